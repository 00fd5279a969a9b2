// The labelling loop: ask for the view, draw it, take one answer, post it, draw the next.
// Everything that comes from the study is set with textContent; nothing is parsed as markup.

const PAUSE_AFTER = 60_000; // ms without a movement before the clock of active seconds stops
const WAITS = [500, 1000, 2000, 4000, 8000, 15_000]; // ms between tries while the server is away
const TYPED_AHEAD = 400; // ms; a burst begun before a list was on screen is dropped as a whole
const CANNOT_JUDGE = "cannot_judge";
const NONE = "none_of_these";
const SKIP_REASONS = ["unclear", "broken text", "language I do not read", "conflict of interest", "other"];
const SUPPORTS = { gold: "the reference answer", wrong: "something wrong", neither: "neither" };

// ---------------------------------------------------------------- small helpers

function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") node.textContent = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...present(children));
  return node;
}

function present(children) {
  return children.filter((child) => child !== null && child !== undefined);
}

function literal(text) {
  const given = text === null || text === undefined ? "" : String(text);
  if (given.trim() === "") return el("div", { class: "text blank", text: "(empty)" });
  return el("div", { class: "text", dir: "auto", text: given });
}

// One key press as the answer key it stands for: digits from the top row and the
// number pad on any layout, letters by what is printed, else by where the key is.
function pressed(event) {
  if (event.key === "?") return "?";
  const digit = /^(Digit|Numpad)([0-9])$/.exec(event.code);
  if (digit) return digit[1] === "Digit" && event.shiftKey && !/^[0-9]$/.test(event.key) ? null : digit[2];
  if (/^[a-z0-9]$/i.test(event.key)) return event.key.toLowerCase();
  const letter = /^Key([A-Z])$/.exec(event.code);
  return letter && event.key.length === 1 ? letter[1].toLowerCase() : event.key;
}

const memory = {
  read(key) {
    try {
      return JSON.parse(sessionStorage.getItem(key)) ?? {};
    } catch {
      return {};
    }
  },
  write(key, value) {
    try {
      sessionStorage.setItem(key, JSON.stringify(value));
    } catch {
      // Private windows may refuse; the draft then lives as long as the page.
    }
  },
  forget(key) {
    try {
      sessionStorage.removeItem(key);
    } catch {
      // As above.
    }
  },
};

// Offsets are code points of the stored text; the browser counts UTF-16 units.
function points(text, units) {
  return Array.from(text.slice(0, units)).length;
}

function units(text, count) {
  return Array.from(text).slice(0, count).join("").length;
}

// Seconds a person was at work on one view: idle time over a minute and hidden tabs do not count.
class Clock {
  constructor() {
    this.restart();
  }

  restart() {
    this.total = 0;
    this.last = performance.now();
    this.hidden = document.hidden;
  }

  move() {
    const now = performance.now();
    if (!this.hidden) this.total += Math.min(now - this.last, PAUSE_AFTER);
    this.last = now;
    this.hidden = document.hidden;
  }

  seconds() {
    this.move();
    return Math.round(this.total / 100) / 10;
  }
}

// ---------------------------------------------------------------- what is read

function passageHead(passage, open) {
  const named = passage.title ? String(passage.title) : `Passage ${passage.number}`;
  const source = [passage.publisher, passage.source_type].filter(Boolean).join(" · ");
  return el(
    "button",
    { type: "button", class: "head", "aria-expanded": String(open) },
    el("span", { class: "fold", "aria-hidden": "true" }),
    passage.title ? el("span", { class: "number", text: passage.number }) : null,
    el(
      "span",
      { class: "about" },
      el("span", { class: "named", dir: "auto", text: named }),
      source ? el("span", { class: "source", dir: "auto", text: source }) : null,
    ),
    el("span", { class: "asked", text: "asked about now" }),
  );
}

function drawPassage(passage) {
  const head = passageHead(passage, true);
  const rest = el(
    "div",
    { class: "body" },
    passage.url ? el("div", { class: "url", dir: "ltr", text: passage.url }) : null,
    passage.supports
      ? el("div", { class: "claim", text: `Built to support: ${SUPPORTS[passage.supports] ?? passage.supports}` })
      : null,
    literal(passage.text),
  );
  head.addEventListener("click", () => fold(head, rest.hidden));
  return el("article", { class: "passage", "data-number": passage.number }, head, rest);
}

function fold(head, open) {
  head.setAttribute("aria-expanded", String(open));
  head.nextElementSibling.hidden = !open;
  const article = head.parentElement;
  const pane = article.parentElement.parentElement;
  // Folding a passage that one is deep inside must not throw the reader somewhere else.
  if (!open && article.offsetTop < pane.scrollTop) pane.scrollTop = article.offsetTop;
}

function foldAll(section, button) {
  const open = button.getAttribute("aria-pressed") === "true";
  for (const head of section.querySelectorAll(".head")) {
    head.setAttribute("aria-expanded", String(open));
    head.nextElementSibling.hidden = !open;
  }
  button.setAttribute("aria-pressed", String(!open));
  button.textContent = open ? "Fold all" : "Unfold all";
}

function drawArtifact(artifact) {
  const section = el("section", { class: `artifact ${artifact.passages ? "passages" : ""}` });
  const heading = el("h3", { text: artifact.title ?? artifact.name });
  section.append(heading);
  if (artifact.passages) {
    if (artifact.passages.length > 1) {
      const all = el("button", { type: "button", class: "plain", "aria-pressed": "false", text: "Fold all" });
      all.addEventListener("click", () => foldAll(section, all));
      heading.append(el("span", { class: "count", text: ` (${artifact.passages.length})` }), all);
    }
    if (artifact.passages.length === 0) section.append(el("div", { class: "text blank", text: "(no passages)" }));
    section.append(...artifact.passages.map(drawPassage));
  } else if (artifact.texts) {
    if (artifact.texts.length === 0) section.append(el("div", { class: "text blank", text: "(none)" }));
    section.append(...artifact.texts.map(literal));
  } else {
    section.append(literal(artifact.text));
  }
  return section;
}

// ---------------------------------------------------------------- the loop

class Loop {
  constructor(host, screen) {
    this.screen = screen;
    this.clock = new Clock();
    this.phase = "loading";
    this.view = null;
    this.chosen = [];
    this.quotes = [];
    this.sections = new Map(); // what is on screen, by what it was drawn from: equal texts are not drawn twice
    this.drawnAt = Infinity;
    this.droppedAt = -Infinity;
    this.pending = null;
    this.tries = 0;
    this.build(host);
  }

  build(host) {
    this.count = el("span", { class: "count" });
    this.track = el("div", { class: "track", role: "progressbar", "aria-label": "Items done", "aria-valuemin": "0" });
    this.track.append(el("div", { class: "fill" }));
    this.step = el("span", { class: "step" });
    this.said = el("span", { class: "said", role: "status", "aria-live": "polite" });
    this.alarm = el("div", { class: "alarm", role: "alert", hidden: true });
    this.keysButton = el("button", { type: "button", class: "plain keys", "aria-haspopup": "dialog", text: "Keys" });
    this.keysButton.append(el("kbd", { text: "h" }));
    this.keysButton.addEventListener("click", () => this.toggleKeys());
    const bar = el("header", { class: "bar" }, this.count, this.track, this.step, this.said, this.keysButton);
    this.jump = el("nav", { class: "jump", "aria-label": "Jump to" });
    this.reading = el("div", { class: "reading", tabindex: "0", role: "region", "aria-label": "What you judge" });
    this.asking = el("section", { class: "asking", "aria-label": "The question" });
    this.panes = el("div", { class: "panes" }, el("div", { class: "left" }, this.jump, this.reading), this.asking);
    this.sheet = el("dialog", { class: "sheet", "aria-label": "Keys" });
    this.root = el("div", { class: "audit", "data-phase": "loading" }, bar, this.alarm, this.panes, this.sheet);
    this.asking.append(el("p", { class: "quiet", text: "Fetching the next question …" }));
    host.append(this.root);
  }

  arrive() {
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    const on = (target, type, action, more = {}) => target.addEventListener(type, action, { signal, ...more });
    on(window, "keydown", (event) => this.key(event), { capture: true });
    for (const type of ["pointermove", "pointerdown", "wheel", "touchmove", "keydown"])
      on(window, type, () => this.clock.move(), { capture: true, passive: true });
    on(document, "visibilitychange", () => this.clock.move());
    on(window, "online", () => this.retryNow());
    on(window, "resize", () => this.fit());
    on(window, "beforeunload", (event) => this.pending && event.preventDefault());
    this.fit();
    requestAnimationFrame(() => this.fit());
    if (this.retry) this.retryNow();
    else if (this.phase === "loading" && !this.fetching) this.fetchView();
  }

  leave() {
    this.leaving?.abort();
    clearTimeout(this.timer);
  }

  // The panes end where the window ends, whatever stands above them.
  fit() {
    const top = this.root.getBoundingClientRect().top + this.scrolled();
    this.root.style.setProperty("--top", `${Math.max(0, Math.round(top))}px`);
  }

  scrolled() {
    const scroller = this.root.getRootNode().host?.closest('[data-testid="stMain"]');
    return scroller ? scroller.scrollTop : 0;
  }

  enter(phase) {
    this.phase = phase;
    this.root.dataset.phase = phase;
    this.asking.setAttribute("aria-busy", String(phase === "saving" || phase === "retrying"));
  }

  say(text, kind = "") {
    this.said.className = `said ${kind}`;
    this.said.textContent = text;
  }

  warn(text, ...actions) {
    this.alarm.replaceChildren(el("span", { text }), ...actions);
    this.alarm.hidden = false;
    this.fit();
  }

  calm() {
    this.alarm.hidden = true;
    this.alarm.replaceChildren();
  }

  // -------------------------------------------------------------- talking to the server

  // Status 0 stands for a server that did not answer, or answered with half a body.
  async ask(path, options = {}) {
    try {
      const signal = AbortSignal.timeout(30_000);
      const response = await fetch(path, { credentials: "same-origin", cache: "no-store", signal, ...options });
      const body = await response.json().catch(() => (response.ok ? null : {}));
      return body === null ? { status: 0, body: {} } : { status: response.status, body };
    } catch {
      return { status: 0, body: {} };
    }
  }

  async fetchView(reason = null) {
    this.enter("loading");
    this.fetching = true;
    const answer = await this.ask(`/api/view?screen=${encodeURIComponent(this.screen)}`);
    this.fetching = false;
    if (answer.status === 200) {
      this.tries = 0;
      this.calm();
      this.draw(answer.body);
      if (reason) this.warn(reason, this.closer());
    } else if (answer.status === 401) {
      this.signedOut();
    } else if (answer.status === 403 || answer.status === 404) {
      this.enter("stopped");
      this.warn(answer.body.error ?? "This page is not open to you.");
    } else {
      const said = answer.body.error ?? "The server cannot be reached.";
      this.later(() => this.fetchView(reason), `${said} Trying again …`);
    }
  }

  async post(body) {
    this.pending = body;
    const { status, body: said } = await this.ask("/api/label", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Evidence-Audit": "1" },
      body: JSON.stringify(body),
    });
    if (status === 200) this.saved(body, said);
    else if (status === 401) this.signedOut();
    else if (status === 409 || status === 403) this.overtaken(said.error);
    else if (status === 0 || status === 408 || status === 429 || status >= 500) this.keepTrying(body, said.error);
    else this.refused(said.error ?? `The server refused this answer (${status}).`);
  }

  saved(body, answer) {
    this.pending = null;
    this.tries = 0;
    memory.forget(this.draftKey);
    this.calm();
    this.draw(answer.next);
    this.say(`✓ Saved${body.label === "skip" ? ": item skipped" : ` · ${this.spoken(body)}`}`, "good");
  }

  spoken(body) {
    const title = this.lastTitle ?? body.label;
    return `${title}: ${this.lastAnswer ?? body.value}`;
  }

  keepTrying(body, why) {
    this.enter("retrying");
    this.say("");
    this.later(() => this.post(body), `Not saved yet, retrying … ${why ?? "The server cannot be reached."}`);
  }

  later(action, text) {
    const wait = WAITS[Math.min(this.tries, WAITS.length - 1)] * (0.8 + Math.random() * 0.4);
    this.tries += 1;
    this.retry = action;
    this.warn(text, el("button", { type: "button", text: "Try now", onclick: () => this.retryNow() }));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.retryNow(), wait);
  }

  retryNow() {
    const action = this.retry;
    this.retry = null;
    clearTimeout(this.timer);
    action?.();
  }

  signedOut() {
    this.enter("stopped");
    this.say("");
    const again = () => {
      this.calm();
      if (!this.pending) return this.fetchView();
      this.enter("saving");
      return this.post(this.pending);
    };
    this.warn(
      "You are signed out, and this answer is not saved yet. Open your personal link in another tab, then come back here. Your note is kept.",
      el("button", { type: "button", text: "I have signed in again", onclick: again }),
    );
  }

  overtaken(why) {
    this.pending = null;
    this.say("");
    this.fetchView(why ?? "This question has moved on in the meantime; here is where things stand.");
  }

  refused(why) {
    this.pending = null;
    this.enter("asking");
    this.say("");
    this.warn(why, this.closer());
  }

  closer() {
    return el("button", { type: "button", "aria-label": "Close this message", text: "OK", onclick: () => this.calm() });
  }

  // -------------------------------------------------------------- drawing

  draw(view) {
    this.view = view;
    this.drawnAt = Infinity;
    this.drawProgress(view);
    if (view.state !== "view") this.drawEmpty(view);
    else this.drawView(view);
    this.clock.restart();
    this.fit();
    const seen = () => {
      if (this.view !== view || this.phase !== "drawing") return;
      this.drawnAt = performance.now();
      this.enter("asking");
    };
    // The frame callback runs just before the paint; the timer after it, just behind.
    requestAnimationFrame(() => setTimeout(seen));
  }

  drawProgress(view) {
    const { done = 0, of = 0 } = view.progress ?? {};
    this.count.textContent = of ? `${done} of ${of}` : "";
    this.track.hidden = !of;
    this.track.setAttribute("aria-valuemax", of);
    this.track.setAttribute("aria-valuenow", done);
    this.track.firstChild.style.width = of ? `${Math.min(100, (100 * done) / of)}%` : "0";
    this.step.textContent = view.step ? `question ${view.step.number} of ${view.step.of}` : "";
  }

  drawEmpty(view) {
    this.enter("empty");
    this.sections.clear();
    this.reading.replaceChildren();
    this.jump.replaceChildren();
    const again = el("button", { type: "button", text: "Look again", onclick: () => this.fetchView() });
    this.asking.replaceChildren(
      el("h2", { tabindex: "-1", text: "Nothing to do right now" }),
      el("p", { dir: "auto", text: view.reason ?? "There is nothing for you here." }),
      el("div", { class: "row" }, again),
    );
  }

  drawView(view) {
    const held = this.root.contains(this.root.getRootNode().activeElement) || document.activeElement === document.body;
    this.draftKey = `evidence-audit/${view.assignment_id}/${view.label.name}/${view.label.passage ?? ""}`;
    const draft = memory.read(this.draftKey);
    this.chosen = (draft.chosen ?? []).filter((value) => this.choices().some((choice) => choice.value === value));
    this.quotes = draft.quotes ?? [];
    this.drawReading(view);
    this.drawQuestion(view, draft.note ?? "");
    this.drawQuotes();
    this.enter("drawing");
    this.show();
    if (held) this.heading.focus({ preventScroll: true });
  }

  drawReading(view) {
    const before = this.sections;
    this.sections = new Map();
    const drawn = view.artifacts.map((artifact) => {
      const key = JSON.stringify(artifact);
      const section = before.get(key) ?? drawArtifact(artifact);
      before.delete(key);
      this.sections.set(key, section);
      return section;
    });
    const same = before.size === 0 && drawn.length === this.reading.children.length;
    if (!same) {
      this.reading.replaceChildren(...drawn);
      this.reading.scrollTop = 0;
    }
    this.drawJump(view, drawn);
    this.mark(view.label.passage);
  }

  drawJump(view, drawn) {
    const to = (section) => () => this.reading.scrollTo({ top: section.offsetTop });
    const buttons = view.artifacts.map((artifact, index) =>
      el("button", { type: "button", class: "plain", text: artifact.title ?? artifact.name, onclick: to(drawn[index]) }),
    );
    this.jump.replaceChildren(...(buttons.length > 1 ? buttons : []));
  }

  mark(number) {
    for (const passage of this.reading.querySelectorAll(".passage")) {
      const asked = number !== null && number !== undefined && passage.dataset.number === String(number);
      passage.classList.toggle("now", asked);
      if (!asked) continue;
      passage.querySelector(".head").setAttribute("aria-expanded", "true");
      passage.querySelector(".body").hidden = false;
      requestAnimationFrame(() => this.reading.scrollTo({ top: passage.offsetTop }));
    }
  }

  many() {
    return this.view.label.kind === "many";
  }

  // Every answer that can be given, with the key that chooses it.
  choices() {
    const { values } = this.view.label;
    const free = (key) => (values.some((value) => value.key === key) ? null : key);
    const none = { key: free("0"), value: NONE, text: "None of these", alone: true };
    const cannot = { key: free("9"), value: CANNOT_JUDGE, text: "Cannot judge", help: "Say why in the note.", alone: true };
    return [...(this.many() ? [none] : []), ...values, cannot];
  }

  drawQuestion(view, note) {
    const { label } = view;
    this.heading = el("h2", { tabindex: "-1", dir: "auto", text: label.question });
    const about = label.passage === null || label.passage === undefined ? null : `About passage ${label.passage}`;
    const details = el("details", { class: "definition" }, el("summary", { text: "What counts" }), literal(label.definition));
    details.open = !this.narrow();
    this.buttons = new Map(this.choices().map((choice) => [choice.value, this.drawChoice(choice)]));
    const values = el("div", { class: "values", role: "group", "aria-label": label.question }, ...this.buttons.values());
    const parts = [
      el(
        "div",
        { class: "name" },
        el("span", { dir: "auto", text: label.title }),
        about ? el("strong", { text: about }) : null,
        this.drawFold(),
      ),
      this.heading,
      label.definition ? details : null,
      this.many() ? el("p", { class: "quiet", text: "Mark everything that applies." }) : null,
      values,
      this.drawNote(note),
      view.artifacts.some((artifact) => artifact.passages) ? this.drawEvidence() : null,
    ];
    this.asking.replaceChildren(el("div", { class: "scrolls" }, ...parts), this.drawActions());
  }

  drawChoice(choice) {
    const button = el(
      "button",
      { type: "button", class: `value ${choice.value === CANNOT_JUDGE ? "cannot" : ""}`, "aria-pressed": "false" },
      el("span", { class: `box ${this.many() && !choice.alone ? "square" : ""}`, "aria-hidden": "true" }),
      el(
        "span",
        { class: "words" },
        el("span", { class: "said", dir: "auto", text: choice.text }),
        choice.help ? el("span", { class: "help", dir: "auto", text: choice.help }) : null,
      ),
      choice.key ? el("kbd", { text: choice.key }) : null,
    );
    button.addEventListener("click", (event) => this.fresh(event) && this.choose(choice.value));
    return button;
  }

  drawNote(text) {
    this.note = el("textarea", { rows: "2", dir: "auto", maxlength: "10000", id: "note" });
    this.note.value = text;
    this.note.addEventListener("input", () => this.remember());
    this.noteName = el("span");
    this.notePart = el("label", { class: "note" }, el("span", {}, this.noteName, el("kbd", { text: "n" })), this.note);
    return this.notePart;
  }

  // On a phone the question can make room for the text.
  drawFold() {
    const button = el("button", { type: "button", class: "plain folds", "aria-expanded": "true", text: "Hide" });
    button.addEventListener("click", () => {
      const folded = this.asking.classList.toggle("folded");
      button.setAttribute("aria-expanded", String(!folded));
      button.textContent = folded ? "Answer" : "Hide";
    });
    this.asking.classList.remove("folded");
    return button;
  }

  drawEvidence() {
    const key = this.choices().some((choice) => choice.key === "e") ? null : el("kbd", { text: "e" });
    const button = el("button", { type: "button", class: "plain", text: "Quote the selected text" }, key);
    // Pressing the button must not take the selection away first.
    button.addEventListener("mousedown", (event) => event.preventDefault());
    button.addEventListener("click", (event) => this.fresh(event) && this.quote());
    this.quoteList = el("ul", { class: "quotes" });
    return el("div", { class: "evidence" }, button, this.quoteList);
  }

  drawQuotes() {
    if (!this.view.artifacts.some((artifact) => artifact.passages)) return;
    const remove = (quote) => () => {
      this.quotes = this.quotes.filter((other) => other !== quote);
      this.drawQuotes();
      this.remember();
    };
    this.quoteList.replaceChildren(
      ...this.quotes.map((quote) =>
        el(
          "li",
          {},
          el("span", { dir: "auto", text: `Passage ${quote.passage}: “${quote.text}”` }),
          el("button", { type: "button", class: "plain", "aria-label": "Remove this quote", text: "✕", onclick: remove(quote) }),
        ),
      ),
    );
    this.highlight();
  }

  highlight() {
    if (!globalThis.Highlight) return;
    const ranges = this.quotes.map((quote) => {
      const text = this.reading.querySelector(`.passage[data-number="${Number(quote.passage)}"] .text`)?.firstChild;
      if (!text || points(text.data, text.length) < quote.end) return null;
      const range = { startContainer: text, endContainer: text };
      range.startOffset = units(text.data, quote.start);
      range.endOffset = units(text.data, quote.end);
      return new StaticRange(range);
    });
    CSS.highlights.set("evidence", new Highlight(...present(ranges)));
  }

  drawActions() {
    const save = el("button", { type: "button", class: "save", text: "Save" }, el("kbd", { text: "Enter" }));
    const skip = el("button", { type: "button", class: "plain skip", text: "Skip this item …" }, el("kbd", { text: "s" }));
    save.addEventListener("click", (event) => this.fresh(event) && this.commit());
    skip.addEventListener("click", (event) => this.fresh(event) && this.openSkip());
    this.save = save;
    this.actions = el("div", { class: "row actions" }, save, skip);
    return this.actions;
  }

  show() {
    for (const [value, button] of this.buttons) button.setAttribute("aria-pressed", String(this.chosen.includes(value)));
    const needed = this.chosen.includes(CANNOT_JUDGE);
    this.noteName.textContent = needed ? "Note (required: why can this not be judged?)" : "Note (optional)";
    this.note.toggleAttribute("required", needed);
    this.save.setAttribute("aria-disabled", String(this.chosen.length === 0));
  }

  narrow() {
    return this.root.clientWidth < 868;
  }

  // -------------------------------------------------------------- answering

  // Only what was pressed while this very question was on screen is an answer to it.
  fresh(event) {
    if (["stopped", "empty"].includes(this.phase)) return false;
    const ahead = this.many() && event.timeStamp - this.droppedAt < TYPED_AHEAD;
    if (this.phase === "asking" && event.timeStamp >= this.drawnAt && !ahead) return true;
    const waiting = ["saving", "retrying", "loading"].includes(this.phase);
    this.droppedAt = event.timeStamp;
    this.say(waiting ? "Too early, not used: wait for the next question." : "Too early, not used: press it again.", "hint");
    return false;
  }

  choose(value) {
    const alone = !this.many() || this.choices().find((choice) => choice.value === value).alone;
    const lone = [NONE, CANNOT_JUDGE];
    if (alone) this.chosen = this.many() && this.chosen.includes(value) ? [] : [value];
    else if (this.chosen.includes(value)) this.chosen = this.chosen.filter((other) => other !== value);
    else this.chosen = [...this.chosen.filter((other) => !lone.includes(other)), value];
    this.calm();
    this.show();
    this.remember();
    if (this.chosen.includes(CANNOT_JUDGE)) {
      this.say("Say in the note why this cannot be judged.", "hint");
      this.note.focus();
    } else {
      this.say("");
      this.buttons.get(value).focus({ preventScroll: this.narrow() === false });
    }
  }

  remember() {
    memory.write(this.draftKey, { note: this.note.value, chosen: this.chosen, quotes: this.quotes });
  }

  quote() {
    const range = this.selected();
    const text = range?.startContainer;
    const passage = text?.parentElement?.matches?.(".passage .text") ? text.parentElement.closest(".passage") : null;
    if (!passage || range.endContainer !== text || range.startOffset >= range.endOffset) {
      this.say("Select words inside one passage first.", "hint");
      return;
    }
    const [start, end] = [points(text.data, range.startOffset), points(text.data, range.endOffset)];
    const words = text.data.slice(range.startOffset, range.endOffset);
    this.quotes = [...this.quotes, { passage: Number(passage.dataset.number), start, end, text: words }];
    this.drawQuotes();
    this.remember();
    this.quoteList.lastElementChild.scrollIntoView({ block: "nearest" });
    this.say("Quoted.");
  }

  selected() {
    const root = this.root.getRootNode();
    const selection = root.getSelection?.() ?? document.getSelection();
    if (document.getSelection().getComposedRanges) {
      return document.getSelection().getComposedRanges({ shadowRoots: [root].filter((node) => node.host) })[0];
    }
    return selection.rangeCount ? selection.getRangeAt(0) : null;
  }

  commit() {
    if (this.chosen.length === 0) {
      this.say(this.many() ? "Mark what applies, or choose “None of these”." : "Choose an answer first.", "hint");
      return;
    }
    const cannot = this.chosen.includes(CANNOT_JUDGE);
    if (cannot && this.note.value.trim() === "") {
      this.say("Say in the note why this cannot be judged.", "hint");
      this.note.focus();
      return;
    }
    const listed = this.view.label.values.map((value) => value.value).filter((value) => this.chosen.includes(value));
    const value = cannot ? CANNOT_JUDGE : this.many() ? listed : this.chosen[0];
    this.lastAnswer = this.choices()
      .filter((choice) => this.chosen.includes(choice.value))
      .map((choice) => choice.text)
      .join(", ");
    this.give(this.view.label.name, value, this.note.value);
  }

  give(label, value, comment) {
    this.lastTitle = this.view.label.title;
    this.enter("saving");
    this.calm();
    this.say("Saving …");
    this.post({
      screen: this.screen,
      assignment_id: this.view.assignment_id,
      label,
      value,
      comment,
      evidence: label === "skip" ? [] : this.quotes,
      client_seq: this.view.client_seq,
      active_seconds: this.clock.seconds(),
    });
  }

  openSkip() {
    if (this.asking.querySelector(".skipping")) return;
    const reasons = this.view.skip_reasons ?? SKIP_REASONS;
    const select = el(
      "select",
      {},
      el("option", { value: "", text: "Choose a reason …" }),
      ...reasons.map((reason) => el("option", { value: reason, text: reason })),
    );
    const sure = el("button", { type: "button", text: "Skip this item" });
    const back = el("button", { type: "button", class: "plain", text: "Go back" }, el("kbd", { text: "Esc" }));
    const panel = el(
      "div",
      { class: "skipping", role: "group", "aria-label": "Skip this item" },
      el("p", { text: "Skips the whole item, not just this question. A skip is no answer; it is kept with its reason." }),
      el("label", { class: "note" }, el("span", { text: "Why?" }), select),
      el("div", { class: "row" }, sure, back),
    );
    sure.addEventListener("click", () => this.skip(select));
    back.addEventListener("click", () => this.closeSkip());
    this.actions.after(panel);
    this.actions.hidden = true;
    select.focus();
  }

  closeSkip() {
    this.asking.querySelector(".skipping")?.remove();
    this.actions.hidden = false;
    this.save.focus();
  }

  skip(select) {
    if (this.phase !== "asking") return;
    const note = this.note.value.trim();
    if (!select.value || (select.value === "other" && !note)) {
      this.say(select.value ? "Say in the note what the reason is." : "Choose a reason first.", "hint");
      (select.value ? this.note : select).focus();
      return;
    }
    this.give("skip", "skip", note ? `${select.value}: ${note}` : select.value);
  }

  // -------------------------------------------------------------- keys

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.getModifierState("AltGraph")) {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && this.at(event) === this.note) this.enterKey(event);
      return;
    }
    if (this.sheet.open) return this.sheetKey(event);
    const where = this.at(event);
    if (event.key === "Escape") return this.escape(event, where);
    if (this.elsewhere(where)) return;
    if (event.key === "Enter") return this.enterKey(event, where);
    if (this.scrollKey(event, where)) return;
    const key = pressed(event);
    if (key === "h" || key === "?") return this.take(event, () => this.toggleKeys());
    if (!this.view || this.view.state !== "view" || event.repeat) return;
    const choice = this.choices().find((candidate) => candidate.key === key);
    if (choice) this.take(event, () => this.fresh(event) && this.choose(choice.value));
    else if (key === "n") this.take(event, () => this.fresh(event) && this.note.focus());
    else if (key === "e" && this.quoteList?.isConnected) this.take(event, () => this.fresh(event) && this.quote());
    else if (key === "s") this.take(event, () => this.fresh(event) && this.openSkip());
  }

  at(event) {
    return event.composedPath()[0];
  }

  take(event, action) {
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  // Typing, or working another part of the page: the keys are not ours.
  elsewhere(where) {
    if (!(where instanceof Element)) return false;
    if (where.closest("input, textarea, select, [contenteditable]")) return true;
    return where !== document.body && where !== document.documentElement && !this.root.contains(where) && where.closest("[role=dialog], [role=menu], [role=listbox]") !== null;
  }

  escape(event, where) {
    if (this.asking.querySelector(".skipping")) return this.take(event, () => this.closeSkip());
    if (where === this.note) this.take(event, () => (this.buttons.get(this.chosen[0]) ?? this.save).focus());
  }

  enterKey(event, where = null) {
    const control = where instanceof Element ? where.closest("button, a, summary") : null;
    const value = control?.closest(".value");
    // Enter on a control that is no answer works that control; on an answer not yet chosen it chooses it.
    if (control && !value && control !== this.save) return;
    if (value && !this.many() && value.getAttribute("aria-pressed") !== "true") return;
    if (this.asking.querySelector(".skipping") || !this.view || this.view.state !== "view") return;
    this.take(event, () => !event.repeat && this.fresh(event) && this.commit());
  }

  scrollKey(event, where) {
    const page = this.reading.clientHeight * 0.9;
    const by = { ArrowDown: 60, ArrowUp: -60, PageDown: page, PageUp: -page }[event.code];
    if (by === undefined || (where instanceof Element && this.reading.contains(where))) return false;
    this.take(event, () => this.reading.scrollBy({ top: by }));
    return true;
  }

  sheetKey(event) {
    const key = pressed(event);
    if (key === "h" || key === "?") this.take(event, () => this.toggleKeys());
  }

  toggleKeys() {
    if (this.sheet.open) return this.sheet.close();
    const line = (keys, meaning) =>
      el("tr", {}, el("td", {}, ...keys.map((key) => el("kbd", { text: key }))), el("td", { dir: "auto", text: meaning }));
    const answers = this.view?.state === "view" ? this.choices().filter((choice) => choice.key) : [];
    this.sheet.replaceChildren(
      el("h2", { text: "Keys" }),
      el(
        "table",
        {},
        ...answers.map((choice) => line([choice.key], choice.text)),
        line(["Enter"], "Save the answer and go on"),
        line(["n"], "Write a note"),
        line(["Esc"], "Leave the note"),
        line(["Ctrl", "Enter"], "Save from within the note"),
        line(["e"], "Quote the selected text as evidence"),
        line(["s"], "Skip this item"),
        line(["↑", "↓", "PgUp", "PgDn"], "Scroll the text"),
        line(["h", "?"], "Show or hide these keys"),
      ),
      el("p", { class: "quiet", text: "Keys rest while you type. An answer is saved only with Enter or Save." }),
      el("button", { type: "button", text: "Close", onclick: () => this.sheet.close() }),
    );
    this.sheet.showModal();
  }
}

const loops = new WeakMap();

export default function ({ parentElement, data }) {
  let loop = loops.get(parentElement);
  if (loop === undefined || loop.screen !== data.screen) {
    loop?.root.remove();
    loop = new Loop(parentElement, data.screen);
    loops.set(parentElement, loop);
  }
  loop.arrive();
  return () => loop.leave();
}
