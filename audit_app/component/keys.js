// Every key of the labelling screen, and the sheet that lists them.

class Keys {
  constructor(loop) {
    this.loop = loop;
    this.sheet = el("dialog", { class: "sheet", "aria-label": _("Keys") });
  }

  // A digit commits at once: a habit of one person at one keyboard, so it is kept in this browser.
  atOnce() {
    return this.loop.view?.who ? memory.read(this.loop.view.who, "habits").atOnce === true : false;
  }

  press(event) {
    const { loop } = this;
    const { question } = loop;
    if (event.isComposing || loop.mine.open) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.getModifierState("AltGraph")) return this.withControl(event);
    if (this.sheet.open) return this.onSheet(event);
    const where = event.composedPath()[0];
    if (loop.feedback) return this.told(event, where);
    if (loop.unread && this.unread(event, where)) return;
    if (event.key === "Escape") return this.escape(event, where);
    if (this.elsewhere(where)) return;
    if (question.evidence.picking.active && this.pick(event)) return;
    if (event.key === "Enter") return this.enter(event, where);
    if (this.scroll(event, where)) return;
    const key = pressed(event);
    if (key === "h" || key === "?") return this.take(event, () => this.toggle());
    if (event.repeat || question.panel) return;
    if (key === "b" && ["asking", "empty"].includes(loop.phase)) return this.take(event, () => loop.back());
    if (loop.view?.state === "view") this.answer(event, key);
  }

  // While feedback is on screen: Enter goes on, the text can be scrolled, and no key answers anything.
  told(event, where) {
    if (this.elsewhere(where)) return undefined;
    if (event.key === "Enter") return this.take(event, () => this.loop.feedback.goOn(event));
    const key = pressed(event);
    if (key === "h" || key === "?") return this.take(event, () => this.toggle());
    return this.scroll(event, where);
  }

  // While a message must be read first, keys do nothing but go to its button and close it.
  unread(event, where) {
    if (event.key === "Tab" || (event.key === "Enter" && where instanceof Element && where.closest(".alarm"))) return false;
    this.take(event, () => (event.key === "Escape" ? this.loop.calm() : this.loop.fresh(event)));
    return true;
  }

  answer(event, key) {
    const { loop } = this;
    const { question } = loop;
    const choice = question.choices().find((candidate) => candidate.key === key);
    const acts = {
      n: () => question.note.focus(),
      e: question.hasPassages() ? () => question.evidence.quote() : null,
      f: loop.adjudicates ? null : () => question.openPanel("flag"),
      s: loop.view.review ? null : () => question.openPanel(loop.adjudicates ? "give_back" : "skip"),
      w: question.deciding ? () => question.deciding.select.focus() : null,
    };
    const act = choice ? () => this.choose(choice) : acts[key];
    if (act) this.take(event, () => loop.fresh(event) && act());
  }

  choose(choice) {
    const { question } = this.loop;
    question.choose(choice.value);
    const whole = !question.many() && choice.value !== CANNOT_JUDGE && !question.final() && !this.loop.view.review && !question.deciding;
    if (whole && this.atOnce()) question.commit();
  }

  take(event, action) {
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  // Ctrl or Cmd with Enter works from everywhere, also from within a text; no other such key is ours.
  withControl(event) {
    const { loop } = this;
    if (event.key !== "Enter" || event.altKey || this.sheet.open || loop.view?.state !== "view") return;
    if (loop.feedback) return this.take(event, () => loop.feedback.goOn(event));
    if (!loop.root.contains(event.composedPath()[0]) && event.composedPath()[0] !== document.body) return;
    this.take(event, () => !event.repeat && loop.fresh(event) && (loop.question.panel ?? loop.question)[loop.question.panel ? "submit" : "commit"]());
  }

  // Typing, or working another part of the page: the keys are not ours.
  elsewhere(where) {
    if (!(where instanceof Element)) return false;
    if (where.closest("input, textarea, select, [contenteditable]")) return true;
    const { root } = this.loop;
    return where !== document.body && where !== document.documentElement && !root.contains(where) && where.closest("[role=dialog], [role=menu], [role=listbox]") !== null;
  }

  escape(event, where) {
    const { loop } = this;
    const { question } = loop;
    if (question.evidence.picking.active) return this.take(event, () => (question.evidence.picking.stop(), loop.say("")));
    if (question.panel) return this.take(event, () => question.closePanel());
    if ([question.note, question.deciding?.select].includes(where)) return this.take(event, () => (question.buttons.get(question.chosen[0]) ?? question.save).focus());
    if (loop.view?.review && loop.phase === "asking") this.take(event, () => loop.toWork());
  }

  pick(event) {
    const { loop } = this;
    const { question } = loop;
    if (pressed(event) === "e" || event.key === "Enter") {
      this.take(event, () => !event.repeat && loop.fresh(event) && question.evidence.quote());
      return true;
    }
    if (!question.evidence.picking.key(event)) return false;
    this.take(event, () => question.evidence.picking.tell(loop));
    return true;
  }

  enter(event, where) {
    const { loop } = this;
    const { question } = loop;
    const control = where instanceof Element ? where.closest("button, a, summary") : null;
    const value = control?.closest(".value");
    // Enter on a control that is no answer works that control; on an answer not yet chosen it chooses it.
    if (control && !value && control !== question.save) return;
    if (value && !question.many() && value.getAttribute("aria-pressed") !== "true") return;
    if (question.panel || loop.view?.state !== "view") return;
    this.take(event, () => !event.repeat && loop.fresh(event) && question.commit());
  }

  scroll(event, where) {
    const { reading } = this.loop;
    const page = reading.pane.clientHeight * 0.9;
    const by = { ArrowDown: 60, ArrowUp: -60, PageDown: page, PageUp: -page }[event.code];
    if (by === undefined || (where instanceof Element && reading.pane.contains(where))) return false;
    this.take(event, () => reading.scrollBy(by));
    return true;
  }

  onSheet(event) {
    const key = pressed(event);
    if (key === "h" || key === "?") this.take(event, () => this.toggle());
  }

  toggle() {
    if (this.sheet.open) return this.sheet.close();
    const { view, question } = this.loop;
    const line = (keys, meaning) => el("tr", {}, el("td", {}, ...keys.map((key) => el("kbd", { text: key }))), el("td", { dir: "auto", text: meaning }));
    const answers = view?.state === "view" ? question.choices().filter((choice) => choice.key) : [];
    this.sheet.replaceChildren(
      el("h2", { text: _("Keys") }),
      el(
        "table",
        {},
        ...answers.map((choice) => line([choice.key], choice.text)),
        line(["Enter"], _("Save the answer and go on")),
        line(["Ctrl", "Enter"], _("The same, also from within a note (Cmd on a Mac)")),
        ...(this.loop.adjudicates ? this.adjudicating(line) : this.labelling(line)),
        line(["n"], _("Write a note")),
        line(["e"], _("Quote the selected text, or pick a sentence with ↑ ↓ and quote it with e")),
        line(["Esc"], _("Leave a note, a form, or an answer looked back at")),
        line(["↑", "↓", "PgUp", "PgDn"], _("Scroll the text")),
        line(["h", "?"], _("Show or hide these keys")),
      ),
      this.drawHabit(),
      el("p", { class: "quiet", text: _("Keys rest while you type, and no key deletes anything.") }),
      el("button", { type: "button", text: _("Close"), onclick: () => this.sheet.close() }),
    );
    this.sheet.showModal();
    return undefined;
  }

  labelling(line) {
    return [
      line(["b"], _("Back to the answer before")),
      line(["f"], _("Flag this item for an adjudicator")),
      line(["s"], _("Skip this item, with a reason")),
    ];
  }

  adjudicating(line) {
    return [
      line(["w"], _("Say why people differed, after the vote")),
      line(["s"], _("Give this item back, with a reason")),
      line(["b"], _("Back to the decision before")),
    ];
  }

  drawHabit() {
    const who = this.loop.view?.who;
    if (!who) return null;
    const box = el("input", { type: "checkbox", id: "at-once" });
    box.checked = this.atOnce();
    box.addEventListener("change", () => memory.write({ atOnce: box.checked }, who, "habits"));
    return el("label", { class: "habit" }, box, el("span", { text: _("A digit saves at once, without Enter (on this device)") }));
  }
}
