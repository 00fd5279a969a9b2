// The quotes that go with an answer: chosen with the mouse or sentence by sentence, listed, removable. Where several
// answers can be marked, each that points at words has quotes of its own.

const FIELDS = { title: mark("title"), url: mark("address"), publisher: mark("publisher") };

// A quote with its place, as it is read.
function quoteSaid({ passage, field, text }) {
  if (!FIELDS[field]) return fill(_("Passage {passage}: “{text}”"), { passage, text });
  return fill(_("Passage {passage}, {field}: “{text}”"), { passage, field: _(FIELDS[field]), text });
}

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
    this.code = null; // the answer, of several, that the next quote is for
  }

  draw(quotes) {
    this.list = el("ul", { class: "quotes", "aria-label": _("Quotes") });
    this.asked = el("p", { class: "wanted", hidden: true });
    this.openers = el("div", { class: "row openers", hidden: Boolean(this.question.final()) });
    this.quotes = quotes;
    this.drawn = null;
    this.waived = false;
    return el("div", { class: "evidence" }, this.asked, this.openers, this.list);
  }

  // What is chosen and asks for quotes.
  asking() {
    const { view, chosen } = this.question;
    return view.label.values.filter((value) => value.evidence && chosen.includes(value.value));
  }

  // The quotes of what is chosen; those of an answer taken back wait for it to be chosen again.
  given() {
    return this.quotes.filter((quote) => quote.code === undefined || this.question.chosen.includes(quote.code));
  }

  // The answers that are chosen, ask for a quote and have none.
  unquoted() {
    const asking = this.asking();
    const given = this.given();
    const whole = !this.question.many() || asking.length === 1;
    return asking.filter((value) => !given.some((quote) => (quote.code === undefined ? whole : quote.code === value.value)));
  }

  // Quotes are for this answer from now on, as are those that were made before anything was chosen.
  aim(code) {
    if (!this.question.many() || !this.asking().some((value) => value.value === code)) return;
    this.code = code;
    this.quotes = this.quotes.map((quote) => (quote.code === undefined ? { ...quote, code } : quote));
  }

  target() {
    if (!this.question.many()) return undefined;
    const asking = this.asking().map((value) => value.value);
    return asking.includes(this.code) ? this.code : (this.unquoted()[0]?.value ?? asking[0]);
  }

  drawOpener(value) {
    const { loop } = this.question;
    const text = value ? fill(_("Quote for “{answer}”"), { answer: value.text }) : _("Quote from a passage");
    const key = !value || value.value === this.target() ? el("kbd", { text: "e" }) : null;
    const button = el("button", { type: "button", class: "plain", dir: "auto", text }, ...present([key]));
    // Pressing the button must not take the selection away first.
    button.addEventListener("mousedown", (event) => event.preventDefault());
    button.addEventListener("click", (event) => {
      if (!loop.fresh(event)) return;
      if (value) this.aim(value.value);
      this.quote();
    });
    return button;
  }

  drawQuote(quote, several) {
    const remove = () => {
      this.quotes = this.quotes.filter((other) => other !== quote);
      this.question.show();
      this.question.remember();
    };
    const cross = el("button", { type: "button", class: "plain", "aria-label": _("Remove this quote"), text: "✕", onclick: remove });
    const shows = several && this.question.view.label.values.find((value) => value.value === quote.code);
    const words = el("span", { dir: "auto", text: quoteSaid(quote) });
    const said = el("div", {}, shows ? el("strong", { dir: "auto", text: shows.text }) : null, words);
    return el("li", {}, said, this.question.final() ? null : cross);
  }

  // Nothing is drawn again that stays as it is: this runs with every answer that is chosen.
  show() {
    if (!this.question.hasPassages()) return;
    const [asking, given, lacking] = [this.asking(), this.given(), this.unquoted()];
    const several = this.question.many() && asking.length > 1;
    this.asked.hidden = lacking.length === 0 || Boolean(this.question.final());
    const drawn = JSON.stringify([several, this.target(), asking.map((value) => value.value), given]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const answers = this.listed(lacking);
    this.asked.textContent = several ? fill(_("Quote the words that show it: {answers}."), { answers }) : _("Quote the words that show it: select them, or press e.");
    this.openers.replaceChildren(...(several ? asking : [null]).map((value) => this.drawOpener(value)));
    this.list.replaceChildren(...given.map((quote) => this.drawQuote(quote, several)));
    this.question.reading.highlight(given);
  }

  listed(values) {
    return values.map((value) => fill(_("“{answer}”"), { answer: value.text })).join(_(", "));
  }

  // What is not taken as it stands. A note that names a passage will do for some; whether it does, the server says.
  refused() {
    const numbered = /\p{Nd}/u.test(this.question.note.value);
    return this.unquoted().filter((value) => value.evidence === "quote" || (value.evidence === "required" && !numbered));
  }

  wanted() {
    if (this.question.reading.passageTexts().length === 0) return false;
    return this.refused().length > 0 || (this.unquoted().some((value) => value.evidence === true) && !this.waived);
  }

  ask() {
    const { loop } = this.question;
    const refused = this.refused();
    const strict = refused.filter((value) => value.evidence === "quote");
    if (strict.length) return loop.say(fill(_("Quote the words that show it (select, then e): {answers}."), { answers: this.listed(strict) }), "hint");
    if (refused.length) return loop.say(fill(_("Quote the words that show it (select, then e), or name the passage by its number in the note: {answers}."), { answers: this.listed(refused) }), "hint");
    this.waived = true;
    return loop.say(_("Quote the words that show it (select, then e) – or Enter again to save without a quote."), "hint");
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
    const code = this.target();
    const quote = code === undefined ? found[0] : { ...found[0], code };
    const same = (other) => ["passage", "start", "end", "field", "code"].every((name) => other[name] === quote[name]);
    if (this.quotes.some(same)) return loop.say(_("Quoted already."));
    this.quotes = [...this.quotes, quote];
    this.code = this.unquoted()[0]?.value ?? code ?? null;
    question.show();
    question.remember();
    this.list.lastElementChild.scrollIntoView({ block: "nearest" });
    return loop.say(_("Quoted."));
  }
}
