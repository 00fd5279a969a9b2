// The quotes that go with an answer: chosen with the mouse or sentence by sentence, listed, removable.

class Evidence {
  constructor(question) {
    this.question = question;
    this.picking = new Picking(question.reading);
    this.quotes = [];
    this.waived = false; // whether its lack was pointed out for the answer that is chosen now
  }

  clear() {
    this.picking.stop();
    this.quotes = [];
  }

  draw(quotes) {
    const { loop } = this.question;
    const final = Boolean(this.question.final());
    const button = el("button", { type: "button", class: "plain", hidden: final, text: _("Quote from a passage") }, el("kbd", { text: "e" }));
    // Pressing the button must not take the selection away first.
    button.addEventListener("mousedown", (event) => event.preventDefault());
    button.addEventListener("click", (event) => loop.fresh(event) && this.quote());
    this.list = el("ul", { class: "quotes", "aria-label": _("Quotes") });
    this.asked = el("p", { class: "wanted", hidden: true, text: _("Quote the words that show it: select them, or press e.") });
    this.keep(quotes);
    this.waived = false;
    return el("div", { class: "evidence" }, this.asked, button, this.list);
  }

  keep(quotes) {
    this.quotes = quotes;
    this.list.replaceChildren(...quotes.map((quote) => this.drawQuote(quote)));
    this.question.reading.highlight(quotes);
  }

  drawQuote(quote) {
    const remove = () => {
      this.keep(this.quotes.filter((other) => other !== quote));
      this.question.show();
      this.question.remember();
    };
    const cross = el("button", { type: "button", class: "plain", "aria-label": _("Remove this quote"), text: "✕", onclick: remove });
    const words = el("span", { dir: "auto", text: fill(_("Passage {passage}: “{text}”"), quote) });
    return el("li", {}, words, this.question.final() ? null : cross);
  }

  show() {
    if (this.question.hasPassages()) this.asked.hidden = !this.lacks();
  }

  // Whether the answer that is chosen asks for a quote and has none.
  lacks() {
    const { question } = this;
    const { values } = question.view.label;
    const asked = values.some((value) => value.evidence && question.chosen.includes(value.value));
    return asked && question.hasPassages() && this.quotes.length === 0 && !question.final();
  }

  // Whether that answer is not taken without one; a note that says where the words stand will do.
  required() {
    const { question } = this;
    return question.view.label.values.some((value) => value.evidence === "required" && question.chosen.includes(value.value));
  }

  wanted() {
    return this.lacks() && (this.required() ? this.question.note.value.trim() === "" : !this.waived);
  }

  ask() {
    if (this.required()) return this.question.loop.say(_("Quote the words that show it (select, then e), or say in the note where they stand."), "hint");
    this.waived = true;
    return this.question.loop.say(_("Quote the words that show it (select, then e) – or Enter again to save without a quote."), "hint");
  }

  // What is selected is quoted; with nothing selected a sentence is picked first.
  quote() {
    const { question, picking } = this;
    const { loop, reading } = question;
    if (question.final()) return undefined;
    const found = reading.quotes();
    if (found.length > 1) return loop.say(_("Select words inside one passage, not across several."), "hint");
    if (found.length === 0) return picking.start() ? picking.tell(loop) : loop.say(_("There is nothing to quote."), "hint");
    picking.stop();
    reading.deselect();
    const [quote] = found;
    const same = (other) => ["passage", "start", "end"].every((name) => other[name] === quote[name]);
    if (this.quotes.some(same)) return loop.say(_("Quoted already."));
    this.keep([...this.quotes, quote]);
    question.show();
    question.remember();
    this.list.lastElementChild.scrollIntoView({ block: "nearest" });
    return loop.say(_("Quoted."));
  }
}
