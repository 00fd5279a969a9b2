// The small forms under the answers: skip the item, flag it, or say that a final answer was a slip.

const OTHER = "other"; // the reason for a skip that says nothing by itself

const PANELS = {
  skip: {
    title: mark("Skip this item"),
    about: mark("Skips the whole item, not just this question. A skip is no answer; it is kept with its reason."),
    reasons: true,
    ask: mark("Anything to add?"),
    act: mark("Skip this item"),
  },
  give_back: {
    title: mark("Give this item back"),
    about: mark("Another adjudicator gets it, for good; a vote you have cast is kept."),
    reasons: true,
    ask: mark("Anything to add?"),
    act: mark("Give it back"),
  },
  flag: {
    title: mark("Flag this item"),
    about: mark("Asks an adjudicator to look at it. Your answers and your work go on as they are."),
    ask: mark("What should be looked at? (optional)"),
    act: mark("Flag"),
  },
  slip: {
    title: mark("Report a slip"),
    about: mark("The answer stays as it is; your note goes to an adjudicator with it."),
    ask: mark("What did you mean to answer, and why? (required)"),
    act: mark("Report the slip"),
  },
};

// `question` says which item it is about and keeps what is typed; `done` gets what was filled in.
class Panel {
  constructor(question, kind, done) {
    this.question = question;
    this.kind = kind;
    this.done = done;
    const { title, about, reasons, ask: asked, act } = PANELS[kind];
    const listed = question.view.skip_reasons ?? [OTHER];
    this.select = reasons ? el("select", {}, el("option", { value: "", text: _("Choose a reason …") }), ...listed.map((reason) => el("option", { value: reason, text: reason }))) : null;
    this.text = el("textarea", { rows: "2", dir: "auto", maxlength: "10000" });
    this.send = el("button", { type: "button", class: "send", text: _(act) });
    const back = el("button", { type: "button", class: "plain", text: _("Go back") }, el("kbd", { text: "Esc" }));
    this.node = el(
      "div",
      { class: "panel", role: "group", "aria-label": _(title) },
      el("p", { text: _(about) }),
      this.select ? el("label", { class: "note" }, el("span", { text: _("Why?") }), this.select) : null,
      el("label", { class: "note" }, el("span", { text: _(asked) }), this.text),
      el("div", { class: "row" }, this.send, back),
    );
    for (const field of present([this.select, this.text])) field.addEventListener("input", () => question.remember());
    this.send.addEventListener("click", (event) => question.loop.fresh(event) && this.submit());
    back.addEventListener("click", () => question.closePanel());
  }

  // What is half filled in, for the draft.
  kept() {
    return { kind: this.kind, reason: this.select?.value ?? "", text: this.text.value };
  }

  fill({ reason, text }) {
    if (this.select) this.select.value = reason;
    this.text.value = text;
  }

  focus() {
    (this.select ?? this.text).focus();
  }

  submit() {
    const note = this.text.value.trim();
    const reason = this.select?.value;
    const missing = this.select && !reason ? [_("Choose a reason first."), this.select] : null;
    const silent = (this.kind === "slip" || reason === OTHER) && !note ? [_("Say it in a few words, please."), this.text] : null;
    const [said, field] = missing ?? silent ?? [];
    if (!said) return this.done(this.select ? (note ? `${reason}: ${note}` : reason) : note);
    this.question.loop.say(said, "hint");
    field.focus();
  }
}

// A flag or a slip: the question stays as it is; what is written stays in the form until it has arrived.
async function report(loop, kind, note) {
  const { question, view, screen } = loop;
  const { who, assignment_id, label } = view;
  loop.enter("saving");
  loop.slow = setTimeout(() => question.lock(true), SLOW);
  const { status, body } = await post("/api/flag", { screen, who, assignment_id, label: label.name, kind, note });
  loop.enter("asking");
  if (status === 401) return loop.signedOut();
  if (status !== 200) return loop.say(body.error ?? _("Not sent: the server cannot be reached. Try again in a moment."), "hint");
  (kind === "flag" ? view.flags : view.review.slips).push(note);
  question.closePanel();
  question.draw(view);
  question.heading.focus({ preventScroll: true });
  return loop.say(kind === "flag" ? _("✓ Flagged for an adjudicator") : _("✓ Reported; the first answer stays"), "good");
}
