// The right pane: the one question that is asked, and the answer as it is being made up.

const NONE = "none_of_these";
const DENSE = 8; // answers; more than these stand in two columns
const ROOMY = 1000; // px; a window with room for definition, examples and all answers

class Question {
  // `loop` says what counts as pressed in time, speaks to the person, and takes the finished answer.
  constructor(loop, reading) {
    this.loop = loop;
    this.reading = reading;
    this.chosen = [];
    this.evidence = new Evidence(this);
    this.node = el("section", { class: "asking", "aria-label": _("The question") });
    this.node.append(el("p", { class: "quiet", text: _("Fetching the next question …") }));
  }

  // Asked before anything changes: afterwards all of it would be laid out to find out.
  look() {
    this.scrolled = this.scrolls?.scrollTop > 0;
  }

  draw(view) {
    this.evidence.clear();
    this.view = view;
    this.panel?.node.remove();
    this.panel = null;
    const decides = ["decide", "decided"].includes(view.case?.stage);
    this.draftKey = [view.who, "draft", view.assignment_id, view.label.name, ...(view.review ? ["again"] : decides ? ["decide"] : [])];
    const draft = { ...this.given(), ...memory.read(...this.draftKey) };
    this.chosen = (draft.chosen ?? []).filter((value) => this.choices().some((choice) => choice.value === value));
    this.loop.clock.restart(draft.seconds ?? 0);
    this.deciding = decides ? new Deciding(this, view.case, draft.cause) : null;
    const evidence = this.hasPassages() ? this.evidence.draw(draft.quotes ?? []) : null;
    const standing = this.standing();
    if (standing && standing === this.stands && !this.scrolled) this.drawAgain(draft.note ?? "", evidence);
    else this.drawQuestion(draft.note ?? "", evidence);
    this.stands = standing;
    this.quoting = evidence;
    this.show();
    if (draft.panel) this.openPanel(draft.panel.kind, draft.panel);
  }

  // The answer that is looked back at, in the shape of a draft.
  given() {
    const review = this.view.review ?? this.view.case?.vote;
    if (!review) return {};
    const values = Array.isArray(review.value) ? review.value : [review.value];
    const quotes = review.evidence.filter((quote) => quote.passage !== undefined);
    return { chosen: values.length ? values : [NONE], note: this.view.review ? (review.comment ?? "") : "", quotes };
  }

  // What the pane is drawn from where another item may leave it as it is; null where more than the question hangs on it.
  standing() {
    const { label, review, flags, practice } = this.view;
    return review || practice || this.view.case || flags.length ? null : JSON.stringify([label, this.hasPassages()]);
  }

  final() {
    return this.view.review?.final ?? null;
  }

  drawEmpty(reason, again, back) {
    this.view = null;
    this.stands = null;
    this.panel = null;
    this.deciding = null;
    this.evidence.picking.stop();
    this.node.replaceChildren(
      el("h2", { tabindex: "-1", text: _("Nothing to do right now") }),
      el("p", { dir: "auto", text: reason ?? _("There is nothing for you here.") }),
      el(
        "div",
        { class: "row" },
        el("button", { type: "button", text: _("Look again"), onclick: again }),
        el("button", { type: "button", class: "plain", text: this.loop.adjudicates ? _("Look at my last decision") : _("Look at my last answer"), onclick: back }, el("kbd", { text: "b" })),
      ),
    );
  }

  // Whether words may be quoted with the answer; a decision is about quotes that are there.
  hasPassages() {
    return !this.deciding && this.view.artifacts.some((artifact) => artifact.passages);
  }

  // A long list of answers needs the room of the definition, which one press opens.
  isDense() {
    return this.choices().length > DENSE;
  }

  many() {
    return this.view?.label.kind === "many";
  }

  // Every answer that can be given, with the key that chooses it.
  choices() {
    const { values } = this.view.label;
    const free = (key) => (values.some((value) => value.key === key) ? null : key);
    const none = { key: free("0"), value: NONE, text: _("None of these"), alone: true };
    const cannot = { key: free("9"), value: CANNOT_JUDGE, text: _("Cannot judge"), help: _("Say why in the note."), alone: true };
    return [...(this.many() ? [none] : []), ...values, cannot];
  }

  // The same question of the next item: only what is written to it begins anew; the rest is not built and laid out again.
  drawAgain(note, evidence) {
    this.notePart.replaceWith(this.drawNote(note));
    if (evidence) this.quoting.replaceWith(evidence);
    this.details.open = this.isUnfolded();
    this.actions.hidden = false;
    if (this.node.classList.contains("folded")) this.fold(false);
  }

  // Whether what counts is open from the start.
  isUnfolded() {
    return !this.deciding && !this.isDense() && !(this.loop.narrow() && memory.read(...this.what).is);
  }

  drawQuestion(note, evidence) {
    const { label, review, flags } = this.view;
    this.heading = el("h2", { tabindex: "-1", dir: "auto", text: label.question });
    const about = label.passage === null || label.passage === undefined ? null : fill(_("About passage {passage}"), label);
    const counts = [label.definition ? literal(label.definition) : null, this.drawExamples()];
    const what = el("div", { class: "counts", tabindex: "0", role: "region", "aria-label": _("What counts") }, ...counts);
    this.what = [this.view.who, "read", label.name];
    const fold = () => this.loop.narrow() && memory.write({ is: this.details.open }, ...this.what); // on a phone the room is dear
    this.details = el("details", { class: "definition" }, el("summary", { text: _("What counts"), onclick: fold }), what);
    this.details.open = this.isUnfolded();
    this.buttons = new Map(this.choices().map((choice) => [choice.value, this.drawChoice(choice)]));
    const values = el("div", { class: "values", role: "group", "aria-label": label.question }, ...this.buttons.values());
    const parts = [
      review ? this.drawReview(review) : null,
      el(
        "div",
        { class: "name" },
        el("span", { dir: "auto", text: label.title }),
        about ? el("strong", { text: about }) : null,
        flags.length ? el("span", { class: "flagged", text: _("⚑ flagged") }) : null,
        this.drawFold(),
      ),
      this.heading,
      present(counts).length ? this.details : null,
      this.drawStage(),
      this.many() ? el("p", { class: "quiet", text: _("Mark everything that applies.") }) : null,
      values,
      this.drawNote(note),
      this.deciding?.cause,
      evidence,
    ];
    this.scrolls = el("div", { class: `scrolls ${this.isDense() ? "dense" : ""}` }, ...parts);
    this.node.replaceChildren(this.scrolls, this.drawActions());
  }

  // Where an adjudicator stands, before their own vote or before everybody's answers; and that this is practice.
  drawStage() {
    if (this.deciding) return this.deciding.node;
    if (this.view.practice && !this.view.review) return el("p", { class: "stage", text: _("Practice: after your answer you see what was agreed, and why. It counts for no result.") });
    return this.view.case ? el("p", { class: "stage", text: _("Vote first. What others said is shown after your vote.") }) : null;
  }

  drawExamples() {
    const { examples, values } = this.view.label;
    if (!examples.length) return null;
    const answer = (example) => values.find((value) => value.value === example.value).text;
    const draw = (example) =>
      el("li", {}, el("span", { class: "case", dir: "auto", text: example.text }), el("span", { dir: "auto" }, el("strong", { text: answer(example) }), ` – ${example.why}`));
    const folded = el("details", { class: "cases" }, el("summary", { text: _("Examples") }), el("ul", { class: "examples", "aria-label": _("Examples") }, ...examples.map(draw)));
    folded.open = !this.loop.narrow() && window.innerHeight >= ROOMY; // else they would push the answers out of sight
    return folded;
  }

  drawReview({ given_at, final, slips, feedback }) {
    const when = new Date(given_at).toLocaleString(speech.locale, { dateStyle: "medium", timeStyle: "short" });
    const open = memory.read(...this.draftKey).note === undefined ? _("You can still change it.") : _("You began to change it; that is not saved yet.");
    const what = this.deciding ? final : final ? fill(_("This answer is final. {why}"), { why: final }) : open;
    return el(
      "div",
      { class: "review", role: "note" },
      el("strong", { text: fill(this.deciding ? _("Your decision of {when}.") : _("Your answer of {when}."), { when }) }),
      el("span", { text: ` ${what}` }),
      ...slips.map((note) => el("div", { class: "slip", dir: "auto", text: fill(_("Reported as a slip: {note}"), { note }) })),
      feedback ? el("div", { class: "feedback" }, ...drawTold(feedback)) : null,
    );
  }

  drawChoice(choice) {
    const button = el(
      "button",
      { type: "button", class: `value ${choice.value === CANNOT_JUDGE ? "cannot" : ""}`, "aria-pressed": "false", "aria-disabled": this.final() ? "true" : null },
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
    button.addEventListener("focus", () => (this.evidence.aim(choice.value), this.evidence.show()));
    return button;
  }

  drawNote(text) {
    this.note = el("textarea", { rows: "2", dir: "auto", maxlength: "10000", id: "note", readonly: Boolean(this.final()) });
    this.note.value = text;
    this.note.addEventListener("input", () => this.remember());
    this.noteName = el("span");
    this.notePart = el("label", { class: "note" }, el("span", {}, this.noteName, el("kbd", { text: "n" })), this.note);
    return this.notePart;
  }

  // On a phone the question can make room for the text.
  drawFold() {
    this.folds = el("button", { type: "button", class: "plain folds" });
    this.folds.addEventListener("click", () => this.fold(!this.node.classList.contains("folded")));
    this.fold(false);
    return this.folds;
  }

  fold(folded) {
    this.node.classList.toggle("folded", folded);
    this.folds.setAttribute("aria-expanded", String(!folded));
    this.folds.textContent = folded ? _("Answer") : _("Hide");
  }

  drawActions() {
    const act = (name, text, key, action) => {
      const button = el("button", { type: "button", class: name, text }, el("kbd", { text: key }));
      button.addEventListener("click", (event) => this.loop.fresh(event) && action());
      return button;
    };
    const { review } = this.view;
    const saves = this.deciding ? _("Decide") : this.view.case ? _("Vote") : review ? _("Save the change") : _("Save");
    this.save = act("save", saves, "Enter", () => this.commit());
    const practised = this.final() && this.view.practice;
    const giveBack = act("plain skip", _("Give back …"), "s", () => this.openPanel("give_back"));
    const goBack = act("plain", _("Back"), "b", () => this.loop.back());
    const rest = this.view.case ? [goBack, ...(review ? [] : [giveBack])] : [
      goBack,
      act("plain flag", _("Flag …"), "f", () => this.openPanel("flag")),
      review ? (practised ? null : act("plain", _("To my work"), "Esc", () => this.loop.toWork())) : act("plain skip", _("Skip …"), "s", () => this.openPanel("skip")),
    ];
    if (practised || this.deciding?.decided) this.save = act("save", _("To my work"), "Enter", () => this.loop.toWork());
    else if (this.final()) this.save = act("save slipped", _("I slipped …"), "Enter", () => this.openPanel("slip"));
    this.actions = el("div", { class: "row actions" }, this.save, el("div", { class: "row rest" }, ...present(rest)));
    return this.actions;
  }

  show() {
    for (const [value, button] of this.buttons) button.setAttribute("aria-pressed", String(this.chosen.includes(value)));
    const needed = this.chosen.includes(CANNOT_JUDGE);
    this.noteName.textContent = needed ? _("Note (required: why can this not be judged?)") : this.deciding ? _("Reason (required)") : this.noteAsked();
    this.note.toggleAttribute("required", needed || this.needsNote() || Boolean(this.deciding));
    this.save.setAttribute("aria-disabled", String(this.chosen.length === 0));
    this.evidence.show();
  }

  // What the note is for: before anything is chosen, which answers need one.
  noteAsked() {
    if (this.needsNote()) return _("Note (required: what is it?)");
    const needing = this.chosen.length ? [] : this.view.label.values.filter((value) => value.note);
    return needing.length ? fill(_("Note (required with {answers})"), { answers: this.evidence.listed(needing) }) : _("Note (optional)");
  }

  // Whether an answer that is chosen has to be explained.
  needsNote() {
    return this.view.label.values.some((value) => value.note && this.chosen.includes(value.value));
  }

  choose(value) {
    if (this.deciding?.decided) return this.loop.say(_("Decisions are not changed."), "hint");
    if (this.final()) return this.loop.say(_("This answer is final. If it was a slip, say so."), "hint");
    const alone = !this.many() || this.choices().find((choice) => choice.value === value).alone;
    const lone = [NONE, CANNOT_JUDGE];
    if (alone) this.chosen = this.many() && this.chosen.includes(value) ? [] : [value];
    else if (this.chosen.includes(value)) this.chosen = this.chosen.filter((other) => other !== value);
    else this.chosen = [...this.chosen.filter((other) => !lone.includes(other)), value];
    this.evidence.waived = false;
    this.evidence.aim(value);
    this.loop.calm();
    this.show();
    this.remember();
    if (this.chosen.includes(CANNOT_JUDGE)) {
      this.loop.say(_("Say in the note why this cannot be judged."), "hint");
      this.note.focus();
    } else {
      this.loop.say("");
      this.buttons.get(value).focus({ preventScroll: this.loop.narrow() === false });
    }
    return undefined;
  }

  // Everything that is not saved yet, so that nothing typed is lost with the page.
  remember() {
    if (!this.view) return;
    if (this.view.review && !this.panel && !this.changed()) return this.forget();
    const panel = this.panel?.kept() ?? null;
    const seconds = this.loop.clock.seconds();
    const cause = this.deciding?.select.value ?? null;
    return memory.write({ note: this.note.value, chosen: this.chosen, quotes: this.evidence.quotes, cause, panel, seconds }, ...this.draftKey);
  }

  // What is typed and not saved, in the note and in an open form.
  typed() {
    if (!this.view) return "";
    return present([this.note, this.panel?.text]).map((field) => field.value.trim()).filter(Boolean).join(" – ");
  }

  typing() {
    const { activeElement } = this.node.getRootNode();
    return this.node.contains(activeElement) && activeElement.matches("textarea, select");
  }

  // While an answer is under way for longer than an instant, nothing can be typed that would not be sent with it.
  lock(locked) {
    this.locked = locked;
    for (const field of this.node.querySelectorAll("textarea")) field.readOnly = locked || (field === this.note && Boolean(this.final()));
  }

  forget() {
    if (this.draftKey) memory.forget(...this.draftKey);
  }

  commit() {
    if (this.final()) return this.view.practice || this.deciding ? this.loop.toWork() : this.openPanel("slip");
    if (this.chosen.length === 0) return this.loop.say(this.many() ? _("Mark what applies, or choose “None of these”.") : _("Choose an answer first."), "hint");
    const cannot = this.chosen.includes(CANNOT_JUDGE);
    if (cannot && this.note.value.trim() === "") {
      this.loop.say(_("Say in the note why this cannot be judged."), "hint");
      return this.note.focus();
    }
    if (this.hasPassages() && this.evidence.wanted()) return this.evidence.ask();
    if (this.needsNote() && this.note.value.trim() === "") {
      this.loop.say(_("Say in the note what it is."), "hint");
      return this.note.focus();
    }
    const listed = this.view.label.values.map((value) => value.value).filter((value) => this.chosen.includes(value));
    const value = cannot ? CANNOT_JUDGE : this.many() ? listed : this.chosen[0];
    const spoken = this.choices().filter((choice) => this.chosen.includes(choice.value));
    if (this.deciding) return this.deciding.commit(value, spoken.map((choice) => choice.text).join(_(", ")));
    return this.loop.give({
      label: this.view.label.name,
      value,
      comment: this.note.value,
      evidence: this.hasPassages() ? this.evidence.given() : [],
      spoken: `${this.view.label.title}: ${spoken.map((choice) => choice.text).join(_(", "))}`,
    });
  }

  // Whether what is on screen differs from the answer that is looked back at.
  changed() {
    const before = this.given();
    const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
    return !(same([...this.chosen].sort(), [...before.chosen].sort()) && this.note.value === before.note && same(this.evidence.given(), before.quotes));
  }

  openPanel(kind, kept = null) {
    if (this.panel || !this.view) return;
    const done = PANELS[kind].reasons
      ? (reason) => this.loop.give({ label: "skip", value: "skip", comment: reason, evidence: [], spoken: this.view.case ? _("given back") : _("item skipped") })
      : (note) => report(this.loop, kind, note);
    this.evidence.picking.stop();
    this.panel = new Panel(this, kind, done);
    if (kept) this.panel.fill(kept);
    this.actions.after(this.panel.node);
    this.actions.hidden = true;
    this.panel.focus();
  }

  closePanel() {
    this.panel?.node.remove();
    this.panel = null;
    this.actions.hidden = false;
    this.remember();
    this.save.focus();
  }
}
