// My items: what one has finished, and the way back to each answer.

class Mine {
  constructor(loop) {
    this.loop = loop;
    this.node = el("dialog", { class: "sheet mine", "aria-label": "My items" });
  }

  get open() {
    return this.node.open;
  }

  async show() {
    this.node.replaceChildren(el("h2", { text: "My items" }), el("p", { class: "quiet", text: "Fetching …" }), this.closer());
    this.node.showModal();
    const { status, body } = await ask(`/api/items?screen=${encodeURIComponent(this.loop.screen)}`);
    if (status === 401) return this.leaveFor(() => this.loop.signedOut());
    if (status !== 200) return this.say(body.error ?? "The server cannot be reached; try again in a moment.");
    if (body.items.length === 0) return this.say("Nothing finished yet. What you finish will be listed here.");
    const more = body.n > body.items.length ? ` The newest ${body.items.length} of ${body.n}.` : "";
    const about = `Answers marked ✎ can still be changed; the others are final, but a slip can be reported.${more}`;
    this.node.replaceChildren(
      el("h2", { text: "My items" }),
      el("p", { class: "quiet", text: about }),
      el("ul", { class: "items" }, ...body.items.map((item) => this.drawItem(item))),
      this.closer(),
    );
    return undefined;
  }

  say(text) {
    this.node.replaceChildren(el("h2", { text: "My items" }), el("p", { text }), this.closer());
  }

  closer() {
    return el("button", { type: "button", text: "Close", onclick: () => this.node.close() });
  }

  leaveFor(action) {
    this.node.close();
    action();
  }

  drawItem(item) {
    const when = item.finished_at ? new Date(item.finished_at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }) : "";
    const state = item.state === "skipped" ? `skipped: ${item.reason}` : `done ${when}`;
    return el(
      "li",
      {},
      el("div", { class: "opening", dir: "auto", text: item.opening.trim() || "(empty)" }),
      el("div", { class: "quiet", dir: "auto", text: item.flags.length ? `${state} · ⚑ flagged` : state }),
      el("div", { class: "answers" }, ...item.answers.map((answer) => this.drawAnswer(item, answer))),
    );
  }

  drawAnswer(item, answer) {
    const title = answer.passage === null ? answer.title : `${answer.title}, passage ${answer.passage}`;
    const mark = answer.final ? "" : "✎ ";
    const slip = answer.slips.length ? " · slip reported" : "";
    const place = { assignment: item.assignment_id, label: answer.label };
    return el("button", {
      type: "button",
      dir: "auto",
      title: answer.final ?? "Can still be changed",
      text: `${mark}${title}: ${answer.text}${slip}`,
      onclick: () => this.leaveFor(() => this.loop.lookBack(place)),
    });
  }
}
