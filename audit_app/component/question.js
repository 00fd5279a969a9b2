// The right pane: the one question that is asked, and the answer as it is being made up.

const NONE = "none_of_these";
const SKIP_REASONS = ["unclear", "broken text", "language I do not read", "conflict of interest", "other"];

class Question {
  // `loop` says what counts as pressed in time, speaks to the person, and takes the finished answer.
  constructor(loop, reading) {
    this.loop = loop;
    this.reading = reading;
    this.chosen = [];
    this.quotes = [];
    this.node = el("section", { class: "asking", "aria-label": "The question" });
    this.node.append(el("p", { class: "quiet", text: "Fetching the next question …" }));
  }

  draw(view) {
    this.view = view;
    this.draftKey = `evidence-audit/${view.assignment_id}/${view.label.name}`;
    const draft = memory.read(this.draftKey);
    this.chosen = (draft.chosen ?? []).filter((value) => this.choices().some((choice) => choice.value === value));
    this.quotes = draft.quotes ?? [];
    this.drawQuestion(draft.note ?? "");
    this.drawQuotes();
    this.show();
  }

  drawEmpty(reason, again) {
    this.view = null;
    this.node.replaceChildren(
      el("h2", { tabindex: "-1", text: "Nothing to do right now" }),
      el("p", { dir: "auto", text: reason ?? "There is nothing for you here." }),
      el("div", { class: "row" }, el("button", { type: "button", text: "Look again", onclick: again })),
    );
  }

  hasPassages() {
    return this.view.artifacts.some((artifact) => artifact.passages);
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

  drawQuestion(note) {
    const { label } = this.view;
    this.heading = el("h2", { tabindex: "-1", dir: "auto", text: label.question });
    const about = label.passage === null || label.passage === undefined ? null : `About passage ${label.passage}`;
    const details = el("details", { class: "definition" }, el("summary", { text: "What counts" }), literal(label.definition));
    details.open = !this.loop.narrow();
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
      this.hasPassages() ? this.drawEvidence() : null,
    ];
    this.node.replaceChildren(el("div", { class: "scrolls" }, ...parts), this.drawActions());
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
    button.addEventListener("click", (event) => this.loop.fresh(event) && this.choose(choice.value));
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
      const folded = this.node.classList.toggle("folded");
      button.setAttribute("aria-expanded", String(!folded));
      button.textContent = folded ? "Answer" : "Hide";
    });
    this.node.classList.remove("folded");
    return button;
  }

  drawEvidence() {
    const key = this.choices().some((choice) => choice.key === "e") ? null : el("kbd", { text: "e" });
    const button = el("button", { type: "button", class: "plain", text: "Quote the selected text" }, key);
    // Pressing the button must not take the selection away first.
    button.addEventListener("mousedown", (event) => event.preventDefault());
    button.addEventListener("click", (event) => this.loop.fresh(event) && this.quote());
    this.quoteList = el("ul", { class: "quotes" });
    return el("div", { class: "evidence" }, button, this.quoteList);
  }

  drawQuotes() {
    if (!this.hasPassages()) return;
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
    this.reading.highlight(this.quotes);
  }

  drawActions() {
    const save = el("button", { type: "button", class: "save", text: "Save" }, el("kbd", { text: "Enter" }));
    const skip = el("button", { type: "button", class: "plain skip", text: "Skip this item …" }, el("kbd", { text: "s" }));
    save.addEventListener("click", (event) => this.loop.fresh(event) && this.commit());
    skip.addEventListener("click", (event) => this.loop.fresh(event) && this.openSkip());
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

  choose(value) {
    const alone = !this.many() || this.choices().find((choice) => choice.value === value).alone;
    const lone = [NONE, CANNOT_JUDGE];
    if (alone) this.chosen = this.many() && this.chosen.includes(value) ? [] : [value];
    else if (this.chosen.includes(value)) this.chosen = this.chosen.filter((other) => other !== value);
    else this.chosen = [...this.chosen.filter((other) => !lone.includes(other)), value];
    this.loop.calm();
    this.show();
    this.remember();
    if (this.chosen.includes(CANNOT_JUDGE)) {
      this.loop.say("Say in the note why this cannot be judged.", "hint");
      this.note.focus();
    } else {
      this.loop.say("");
      this.buttons.get(value).focus({ preventScroll: this.loop.narrow() === false });
    }
  }

  remember() {
    memory.write(this.draftKey, { note: this.note.value, chosen: this.chosen, quotes: this.quotes });
  }

  forget() {
    memory.forget(this.draftKey);
  }

  quote() {
    const quote = this.reading.quote();
    if (quote === null) {
      this.loop.say("Select words inside one passage first.", "hint");
      return;
    }
    this.quotes = [...this.quotes, quote];
    this.drawQuotes();
    this.remember();
    this.quoteList.lastElementChild.scrollIntoView({ block: "nearest" });
    this.loop.say("Quoted.");
  }

  commit() {
    if (this.chosen.length === 0) {
      this.loop.say(this.many() ? "Mark what applies, or choose “None of these”." : "Choose an answer first.", "hint");
      return;
    }
    const cannot = this.chosen.includes(CANNOT_JUDGE);
    if (cannot && this.note.value.trim() === "") {
      this.loop.say("Say in the note why this cannot be judged.", "hint");
      this.note.focus();
      return;
    }
    const listed = this.view.label.values.map((value) => value.value).filter((value) => this.chosen.includes(value));
    const value = cannot ? CANNOT_JUDGE : this.many() ? listed : this.chosen[0];
    const spoken = this.choices().filter((choice) => this.chosen.includes(choice.value));
    this.loop.give({
      label: this.view.label.name,
      value,
      comment: this.note.value,
      evidence: this.quotes,
      spoken: `${this.view.label.title}: ${spoken.map((choice) => choice.text).join(", ")}`,
    });
  }

  skipping() {
    return this.node.querySelector(".skipping") !== null;
  }

  openSkip() {
    if (this.skipping()) return;
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
    sure.addEventListener("click", (event) => this.loop.fresh(event) && this.skip(select));
    back.addEventListener("click", () => this.closeSkip());
    this.actions.after(panel);
    this.actions.hidden = true;
    select.focus();
  }

  closeSkip() {
    this.node.querySelector(".skipping")?.remove();
    this.actions.hidden = false;
    this.save.focus();
  }

  skip(select) {
    const note = this.note.value.trim();
    if (!select.value || (select.value === "other" && !note)) {
      this.loop.say(select.value ? "Say in the note what the reason is." : "Choose a reason first.", "hint");
      (select.value ? this.note : select).focus();
      return;
    }
    const reason = note ? `${select.value}: ${note}` : select.value;
    this.loop.give({ label: "skip", value: "skip", comment: reason, evidence: [], spoken: "item skipped" });
  }
}
