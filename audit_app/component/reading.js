// The left pane: what is judged, word for word. Texts are set with textContent; nothing is parsed as markup.

const SUPPORTS = {
  gold: mark("Built to support: the reference answer"),
  wrong: mark("Built to support: something wrong"),
  neither: mark("Built to support: neither"),
};

// The head is no button itself, so that its words can be selected and quoted; the whole of it can be pressed all the same.
function passageHead(passage) {
  const named = passage.title ? String(passage.title) : fill(_("Passage {number}"), passage);
  const { publisher, source_type } = passage;
  const parts = [publisher ? el("span", { "data-field": "publisher", text: publisher }) : null, publisher && source_type ? " · " : null, source_type];
  return el(
    "div",
    { class: "head" },
    el("button", { type: "button", class: "fold", "aria-expanded": "true", "aria-label": named }),
    passage.title ? el("span", { class: "number", text: passage.number }) : null,
    el(
      "span",
      { class: "about" },
      el("span", { class: "named", dir: "auto", "data-field": passage.title ? "title" : null, text: named }),
      publisher || source_type ? el("span", { class: "source", dir: "auto" }, ...present(parts)) : null,
    ),
    el("span", { class: "asked", text: _("asked about now") }),
  );
}

function drawPassage(passage) {
  const head = passageHead(passage);
  const text = literal(passage.text);
  if (!text.classList.contains("blank")) text.dataset.field = "text";
  const rest = el(
    "div",
    { class: "body" },
    passage.url ? el("div", { class: "url", dir: "ltr", "data-field": "url", text: passage.url }) : null,
    passage.supports
      ? el("div", { class: "claim", text: _(SUPPORTS[passage.supports] ?? passage.supports) })
      : null,
    text,
  );
  const selects = () => (head.getRootNode().getSelection?.() ?? document.getSelection()).type === "Range";
  // The second click of two, which selects a word, takes back what the first has done.
  head.addEventListener("click", ({ target, detail }) => (target === head.firstElementChild || detail === 2 || !selects()) && fold(head, rest.hidden));
  return el("article", { class: "passage", "data-number": passage.number }, head, rest);
}

function unfold(head, open = true) {
  head.firstElementChild.setAttribute("aria-expanded", String(open));
  head.nextElementSibling.hidden = !open;
}

function fold(head, open) {
  unfold(head, open);
  const article = head.parentElement;
  const pane = article.parentElement.parentElement;
  // Folding a passage that one is deep inside must not throw the reader somewhere else.
  if (!open && article.offsetTop < pane.scrollTop) pane.scrollTop = article.offsetTop;
}

function foldAll(section, button) {
  const open = button.getAttribute("aria-pressed") === "true";
  for (const head of section.querySelectorAll(".head")) unfold(head, open);
  button.setAttribute("aria-pressed", String(!open));
  button.textContent = open ? _("Fold all") : _("Unfold all");
}

function drawArtifact(artifact) {
  const section = el("section", { class: `artifact ${artifact.passages ? "passages" : ""}` });
  const heading = el("h3", { text: artifact.title ?? artifact.name });
  section.append(heading);
  if (artifact.passages) {
    if (artifact.passages.length > 1) {
      const all = el("button", { type: "button", class: "plain", "aria-pressed": "false", text: _("Fold all") });
      all.addEventListener("click", () => foldAll(section, all));
      heading.append(el("span", { class: "count", text: ` (${artifact.passages.length})` }), all);
    }
    if (artifact.passages.length === 0) section.append(el("div", { class: "text blank", text: _("(no passages)") }));
    section.append(...artifact.passages.map(drawPassage));
  } else if (artifact.hits) {
    if (artifact.hits.length === 0) section.append(el("div", { class: "text blank", text: _("(nothing; there may be a leak all the same)") }));
    section.append(el("ul", { class: "hits" }, ...artifact.hits.map(drawHit)));
  } else if (artifact.texts) {
    if (artifact.texts.length === 0) section.append(el("div", { class: "text blank", text: _("(none)") }));
    section.append(...artifact.texts.map(literal));
  } else {
    section.append(literal(artifact.text));
  }
  return section;
}

// A place that the leak screens found; pressed, its passage comes into sight.
function drawHit(hit) {
  const where = el("button", { type: "button", class: "plain hit", "data-passage": hit.passage }, el("span", { dir: "auto", text: fill(_("Passage {passage}: “{text}”"), hit) }));
  return el("li", { class: hit.kind }, where, el("span", { class: "why", dir: "auto", text: hit.said }));
}

class Reading {
  constructor() {
    this.sections = new Map(); // what is on screen, by what it was drawn from: equal texts are not drawn twice
    this.jump = el("nav", { class: "jump", "aria-label": _("Jump to") });
    this.pane = el("div", { class: "reading", tabindex: "0", role: "region", "aria-label": _("What you judge") });
    this.node = el("div", { class: "left" }, this.jump, this.pane);
  }

  clear() {
    this.sections.clear();
    this.pane.replaceChildren();
    this.jump.replaceChildren();
  }

  look() {
    this.scrolled = this.pane.scrollTop > 0;
  }

  draw(view) {
    const before = this.sections;
    this.sections = new Map();
    const drawn = view.artifacts.map((artifact) => {
      const key = JSON.stringify(artifact);
      const section = before.get(key) ?? drawArtifact(artifact);
      before.delete(key);
      this.sections.set(key, section);
      return section;
    });
    const same = before.size === 0 && drawn.length === this.pane.children.length;
    if (!same) {
      if (this.scrolled) this.pane.scrollTop = 0;
      this.pane.replaceChildren(...drawn);
    }
    this.drawJump(view, drawn);
    this.markHits(view);
    this.mark(view.label.passage);
  }

  drawJump(view, drawn) {
    const to = (section) => () => this.pane.scrollTo({ top: section.offsetTop });
    const buttons = view.artifacts.map((artifact, index) =>
      el("button", { type: "button", class: "plain", text: artifact.title ?? artifact.name, onclick: to(drawn[index]) }),
    );
    this.jump.replaceChildren(...(buttons.length > 1 ? [el("div", { class: "links" }, ...buttons)] : []), ...this.reference(view));
  }

  // Beside passages the reference answer stays in sight while one scrolls.
  reference(view) {
    const named = (name) => view.artifacts.find((artifact) => artifact.name === name);
    const gold = named("gold_answer");
    if (!gold || !named("passages")) return [];
    const accepted = [gold.text, ...(named("gold_aliases")?.texts ?? [])].join(" · ");
    return [el("div", { class: "reference", dir: "auto", text: `${gold.title}: ${accepted}` })];
  }

  mark(number) {
    for (const passage of this.pane.querySelectorAll(".passage")) {
      const asked = number !== null && number !== undefined && passage.dataset.number === String(number);
      passage.classList.toggle("now", asked);
      if (!asked) continue;
      unfold(passage.querySelector(".head"));
      requestAnimationFrame(() => this.pane.scrollTo({ top: passage.offsetTop }));
    }
  }

  // What the leak screens found is marked where it stands; without hits in the view nothing of an earlier one stays.
  markHits(view) {
    const hits = view.artifacts.find((artifact) => artifact.hits)?.hits ?? [];
    for (const kind of ["leak", "mention"]) this.paint(`${kind}s`, hits.filter((hit) => hit.kind === kind));
    const buttons = [...this.pane.querySelectorAll(".hit")];
    buttons.forEach((button, index) => { button.onclick = () => this.showHit(hits[index]); });
  }

  // The passage of a hit, with the words themselves in sight where they stand in its text.
  showHit(hit) {
    this.show(hit.passage);
    const text = this.wordsOf(hit);
    if (hit.field !== "text" || !text) return;
    const range = document.createRange();
    range.setStart(text, units(text.data, hit.start));
    range.setEnd(text, units(text.data, hit.end));
    const frame = this.pane.getBoundingClientRect();
    const box = range.getBoundingClientRect();
    if (box.bottom > frame.bottom - 8) this.pane.scrollTop += box.top - frame.top - frame.height / 2;
  }

  // The text node of a place: of a passage's text, or of its title, address or publisher.
  wordsOf({ passage, field = "text" }) {
    return this.pane.querySelector(`.passage[data-number="${Number(passage)}"] [data-field="${CSS.escape(field)}"]`)?.firstChild;
  }

  scrollBy(top) {
    this.pane.scrollBy({ top });
  }

  show(number) {
    const passage = this.pane.querySelector(`.passage[data-number="${Number(number)}"]`);
    if (!passage) return;
    fold(passage.querySelector(".head"), true);
    this.pane.scrollTo({ top: passage.offsetTop });
  }

  // Whatever can be quoted of every passage, each as the one text node that it is.
  passageTexts() {
    return [...this.pane.querySelectorAll(".passage [data-field]")].map((node) => node.firstChild);
  }

  // The selected words with their place: a list, one entry for each passage that the selection touches. A selection
  // may begin or end outside (a triple click ends in the next heading): what lies inside the passage counts.
  quotes() {
    const selected = this.selected();
    if (!selected) return [];
    const range = document.createRange();
    range.setStart(selected.startContainer, selected.startOffset);
    range.setEnd(selected.endContainer, selected.endOffset);
    const found = present(
      this.passageTexts().map((text) => {
        if (!range.intersectsNode(text)) return null;
        const start = range.startContainer === text ? range.startOffset : 0;
        const end = range.endContainer === text ? range.endOffset : text.length;
        return this.quoteOf(text, start, end);
      }),
    );
    // From the head of a passage into its text: the text is meant.
    const one = found.every((quote) => quote.passage === found[0].passage);
    return one && found.length > 1 ? [found.find((quote) => !quote.field) ?? found[0]] : found;
  }

  // Blanks at either end are no part of a quote.
  quoteOf(text, start, end) {
    const words = text.data.slice(start, end);
    if (words.trim() === "") return null;
    const from = start + words.length - words.trimStart().length;
    const to = end - (words.length - words.trimEnd().length);
    const { field } = text.parentElement.dataset;
    return {
      passage: Number(text.parentElement.closest(".passage").dataset.number),
      start: points(text.data, from),
      end: points(text.data, to),
      text: text.data.slice(from, to),
      ...(field === "text" ? {} : { field }),
    };
  }

  deselect() {
    document.getSelection()?.removeAllRanges();
  }

  selected() {
    const root = this.node.getRootNode();
    const selection = root.getSelection?.() ?? document.getSelection();
    if (document.getSelection().getComposedRanges) {
      return document.getSelection().getComposedRanges({ shadowRoots: [root].filter((node) => node.host) })[0];
    }
    return selection.rangeCount ? selection.getRangeAt(0) : null;
  }

  highlight(quotes) {
    this.paint("evidence", quotes);
  }

  paint(name, places) {
    if (!globalThis.Highlight) return;
    const ranges = places.map((quote) => {
      const text = this.wordsOf(quote);
      if (!text || points(text.data, text.length) < quote.end) return null;
      const range = { startContainer: text, endContainer: text };
      range.startOffset = units(text.data, quote.start);
      range.endOffset = units(text.data, quote.end);
      return new StaticRange(range);
    });
    CSS.highlights.set(name, new Highlight(...present(ranges)));
  }
}
