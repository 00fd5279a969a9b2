// After a blind vote: what everybody said, and the decision with its reason and cause.

class Deciding {
  constructor(question, { stage, why, vote, answers, causes, cause: decided }, cause) {
    this.question = question;
    this.causes = causes;
    this.decided = stage === "decided";
    const own = { who: _("You"), ...vote, slips: [], flags: [], own: true };
    this.node = el(
      "div",
      { class: "said-by", role: "group", "aria-label": _("What was said") },
      why.length ? el("p", { class: "quiet", text: fill(_("Here because: {why}."), { why: why.join(_("; ")) }) }) : null,
      el("ul", {}, ...[...answers, own].map((answer) => this.drawAnswer(answer))),
    );
    this.cause = this.drawCause(decided ?? cause);
    const quotes = [...answers, vote].flatMap((answer) => answer.evidence).filter((quote) => quote.passage !== undefined);
    question.reading.highlight(quotes);
  }

  drawAnswer({ who, text, comment, evidence, slips, flags, own }) {
    const said = (kind, words) => el("div", { class: kind, dir: "auto", text: words });
    return el(
      "li",
      { class: own ? "own" : null },
      el("strong", { text: who }),
      el(
        "div",
        {},
        el("div", { class: "value-said", dir: "auto", text }),
        comment ? said("comment", fill(_("Note: {comment}"), { comment })) : null,
        ...evidence.map((quote) => this.drawQuote(quote)),
        ...slips.map((note) => said("slip", fill(_("Reported as a slip: {note}"), { note }))),
        ...flags.map((note) => said("slip", note ? fill(_("⚑ Flagged: {note}"), { note }) : _("⚑ flagged"))),
      ),
    );
  }

  drawQuote(quote) {
    const { passage, text, code } = quote;
    if (passage === undefined) return el("div", { class: "comment", dir: "auto", text: `“${text}”` });
    const go = () => this.question.reading.show(passage);
    const shows = this.question.view.label.values.find((value) => value.value === code);
    const said = [shows ? el("strong", { dir: "auto", text: shows.text }) : null, el("span", { dir: "auto", text: quoteSaid(quote) })];
    return el("button", { type: "button", class: "plain quote", onclick: go }, ...said);
  }

  drawCause(chosen) {
    const options = this.causes.map(({ cause, title }) => el("option", { value: cause, text: title }));
    this.select = el("select", { required: true, disabled: this.decided }, el("option", { value: "", text: _("Choose a cause …") }), ...options);
    this.help = el("span", { class: "quiet" });
    const show = () => (this.help.textContent = this.causes.find(({ cause }) => cause === this.select.value)?.help ?? "");
    this.select.value = chosen ?? "";
    this.select.addEventListener("input", () => (show(), this.question.remember()));
    show();
    const title = el("span", { text: _("Why did people differ? (required)") }, el("kbd", { text: "w" }));
    return el("label", { class: "note" }, title, this.select, this.help);
  }

  commit(value, answer) {
    const { loop, note, view } = this.question;
    const spoken = fill(_("decided: {answer}"), { answer });
    const missing = note.value.trim() === "" ? [_("Say in a few words why you decide so."), note] : [_("Choose why people differed."), this.select];
    if (note.value.trim() !== "" && this.select.value) {
      return loop.decide({ label: view.label.name, value, reason: note.value, cause: this.select.value, spoken });
    }
    loop.say(missing[0], "hint");
    return missing[1].focus();
  }
}
