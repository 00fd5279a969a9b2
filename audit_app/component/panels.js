// The small forms under the answers: skip the item, flag it, or say that a final answer was a slip.

const OTHER = "other"; // the reason for a skip that says nothing by itself

const PANELS = {
  skip: {
    title: "Skip this item",
    about: "Skips the whole item, not just this question. A skip is no answer; it is kept with its reason.",
    reasons: true,
    ask: "Anything to add?",
    act: "Skip this item",
  },
  give_back: {
    title: "Give this item back",
    about: "Another adjudicator gets it, for good; a vote you have cast is kept.",
    reasons: true,
    ask: "Anything to add?",
    act: "Give it back",
  },
  flag: {
    title: "Flag this item",
    about: "Asks an adjudicator to look at it. Your answers and your work go on as they are.",
    ask: "What should be looked at? (optional)",
    act: "Flag",
  },
  slip: {
    title: "Report a slip",
    about: "The answer stays as it is; your note goes to an adjudicator with it.",
    ask: "What did you mean to answer, and why? (required)",
    act: "Report the slip",
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
    this.select = reasons ? el("select", {}, el("option", { value: "", text: "Choose a reason …" }), ...listed.map((reason) => el("option", { value: reason, text: reason }))) : null;
    this.text = el("textarea", { rows: "2", dir: "auto", maxlength: "10000" });
    this.send = el("button", { type: "button", class: "send", text: act });
    const back = el("button", { type: "button", class: "plain", text: "Go back" }, el("kbd", { text: "Esc" }));
    this.node = el(
      "div",
      { class: "panel", role: "group", "aria-label": title },
      el("p", { text: about }),
      this.select ? el("label", { class: "note" }, el("span", { text: "Why?" }), this.select) : null,
      el("label", { class: "note" }, el("span", { text: asked }), this.text),
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
    const missing = this.select && !reason ? ["Choose a reason first.", this.select] : null;
    const silent = (this.kind === "slip" || reason === OTHER) && !note ? ["Say it in a few words, please.", this.text] : null;
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
  const { status, body } = await post("/api/flag", { screen, who, assignment_id, label: label.name, kind, note });
  loop.enter("asking");
  if (status === 401) return loop.signedOut();
  if (status !== 200) return loop.say(body.error ?? "Not sent: the server cannot be reached. Try again in a moment.", "hint");
  (kind === "flag" ? view.flags : view.review.slips).push(note);
  question.closePanel();
  question.draw(view);
  question.heading.focus({ preventScroll: true });
  return loop.say(kind === "flag" ? "✓ Flagged for an adjudicator" : "✓ Reported; the first answer stays", "good");
}
