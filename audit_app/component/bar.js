// The line on top: how far one is, what was saved, and below it what needs attention.

class Bar {
  constructor(loop) {
    this.count = el("span", { class: "count" });
    this.track = el("div", { class: "track", role: "progressbar", "aria-label": _("Items done"), "aria-valuemin": "0" });
    this.track.append(el("div", { class: "fill" }));
    this.step = el("span", { class: "step" });
    this.said = el("span", { class: "said", role: "status", "aria-live": "polite" });
    this.alarm = el("div", { class: "alarm", role: "alert", hidden: true });
    const opener = (name, text, action, ...more) =>
      el("button", { type: "button", class: `plain ${name}`, "aria-haspopup": "dialog", text, onclick: action }, ...more);
    const mine = opener("own", loop.mine.title, () => loop.mine.show());
    const keys = opener("keys", _("Keys"), () => loop.keys.toggle(), el("kbd", { text: "h" }));
    this.node = el("header", { class: "bar" }, this.count, this.track, this.step, loop.lease.node, this.said, mine, keys);
  }

  draw(view) {
    if (view.progress) this.drawProgress(view.progress);
    const where = view.step ? fill(_("question {number} of {of}"), view.step) : "";
    const practice = view.practice ? (view.progress?.try > 1 ? _("practice, try {number} · {where}") : _("practice · {where}")) : "{where}";
    const stages = { vote: _("blind vote · {where}"), decide: _("decision · {where}") };
    const stage = view.review ? _("looking back · {where}") : view.case ? stages[view.case.stage] : practice;
    this.step.textContent = fill(stage, { where, number: view.progress?.try });
  }

  drawProgress({ done = 0, of = 0 }) {
    this.count.textContent = of ? fill(_("{done} of {of}"), { done, of }) : "";
    this.track.hidden = !of;
    this.track.setAttribute("aria-valuemax", of);
    this.track.setAttribute("aria-valuenow", done);
    this.track.firstChild.style.width = of ? `${Math.min(100, (100 * done) / of)}%` : "0";
  }

  // `aside` is heard by a screen reader and not seen; on a narrow screen so is what follows the first point.
  say(text, kind, aside) {
    const end = text.indexOf(" · ");
    const parts = end < 0 ? [text] : [text.slice(0, end), el("span", { class: "more", text: text.slice(end) })];
    this.said.className = `said ${kind}`;
    this.said.replaceChildren(...parts, ...present([aside ? el("span", { class: "unseen", text: aside }) : null]));
  }

  warn(text, actions) {
    this.alarm.replaceChildren(el("span", { text }), ...actions);
    this.alarm.hidden = false;
  }

  // Hiding what is hidden would still cost a frame, and the next view would have to wait for the one after.
  calm() {
    if (this.alarm.hidden) return;
    this.alarm.hidden = true;
    this.alarm.replaceChildren();
  }
}
