// My items, or an adjudicator's decisions: what one has finished, and the way back to each answer.

class Mine {
  constructor(loop) {
    this.loop = loop;
    this.title = loop.adjudicates ? _("My decisions") : _("My items");
    this.node = el("dialog", { class: "sheet mine", "aria-label": this.title });
  }

  get open() {
    return this.node.open;
  }

  async show() {
    this.node.replaceChildren(el("h2", { text: this.title }), el("p", { class: "quiet", text: _("Fetching …") }), this.closer());
    this.node.showModal();
    const { status, body } = await ask(`/api/items?screen=${encodeURIComponent(this.loop.screen)}`);
    if (status === 401) return this.leaveFor(() => this.loop.signedOut());
    if (status !== 200) return this.say(body.error ?? _("The server cannot be reached; try again in a moment."));
    if (body.items.length === 0) return this.say(_("Nothing finished yet. What you finish will be listed here."));
    const about = [this.loop.adjudicates ? _("Decisions are not changed.") : _("Answers marked ✎ can still be changed; the others are final, but a slip can be reported.")];
    if (body.n > body.items.length) about.push(fill(_("The newest {shown} of {n}."), { shown: body.items.length, n: body.n }));
    this.node.replaceChildren(
      el("h2", { text: this.title }),
      el("p", { class: "quiet", text: about.join(" ") }),
      el("ul", { class: "items" }, ...body.items.map((item) => this.drawItem(item))),
      this.closer(),
    );
    return undefined;
  }

  say(text) {
    this.node.replaceChildren(el("h2", { text: this.title }), el("p", { text }), this.closer());
  }

  closer() {
    return el("button", { type: "button", text: _("Close"), onclick: () => this.node.close() });
  }

  leaveFor(action) {
    this.node.close();
    action();
  }

  drawItem(item) {
    const when = item.finished_at ? new Date(item.finished_at).toLocaleString(speech.locale, { dateStyle: "medium", timeStyle: "short" }) : "";
    const state = item.state === "skipped" ? fill(_("skipped: {reason}"), item) : fill(_("done {when}"), { when });
    return el(
      "li",
      {},
      el("div", { class: "opening", dir: "auto", text: item.opening.trim() || _("(empty)") }),
      el("div", { class: "quiet", dir: "auto", text: item.flags.length ? fill(_("{state} · ⚑ flagged"), { state }) : state }),
      el("div", { class: "answers" }, ...item.answers.map((answer) => this.drawAnswer(item, answer))),
    );
  }

  drawAnswer(item, answer) {
    const title = answer.passage === null ? answer.title : fill(_("{title}, passage {passage}"), answer);
    const pen = answer.final ? "" : "✎ ";
    const said = `${pen}${title}: ${answer.text}`;
    const why = answer.cause ? fill(_("{said} · {cause}: {reason}"), { said, ...answer }) : said;
    const place = { assignment: item.assignment_id, label: answer.label };
    return el("button", {
      type: "button",
      dir: "auto",
      title: answer.final ?? _("Can still be changed"),
      text: answer.slips.length ? fill(_("{said} · slip reported"), { said }) : why,
      onclick: () => this.leaveFor(() => this.loop.lookBack(place)),
    });
  }
}
