// What goes on around the questions: how long an item is held, and when a break is due.

const SOON = 0.2; // of a lease: from here on the time that is left is shown loudly
const REST = 5 * 60_000; // ms without a movement that count as a break

// Whether a moment is no more than so many ms ago. One in the future is not: the clock was set back since.
function isWithin(ms, moment) {
  const passed = Date.now() - moment;
  return passed >= 0 && passed < ms;
}

// Holds the item in hand for as long as its person is at work.
class Lease {
  constructor(loop) {
    this.loop = loop;
    this.node = el("span", { class: "lease" });
  }

  // A view of the work itself (not of an answer looked back at) begins a new lease.
  begin(view) {
    this.held = view.state === "view" ? { who: view.who, assignment_id: view.assignment_id } : null;
    // What has an answer stays with its person, as does what only they practise on.
    this.kept = view.practice || (!view.case && view.step?.answered.length > 0);
    if (this.held) this.renewed(view.lease_seconds);
    this.show();
  }

  renewed(seconds) {
    this.length = 1000 * seconds;
    this.asked = Date.now();
    this.until = this.asked + this.length;
    this.over = false;
  }

  tick() {
    if (!this.held) return;
    this.show();
    // What is said meanwhile of an answer on its way, with the button that it needs, stays.
    if (this.kept || this.over || Date.now() < this.until || this.loop.phase !== "asking") return;
    this.over = true;
    this.loop.warn(_("Nothing happened for a while, so this item is free for others now. What you typed is kept: go on, and it is yours again if nobody has taken it."));
  }

  show() {
    const left = this.held && !this.kept ? Math.min(this.length, Math.max(0, this.until - Date.now())) : null;
    const soon = left !== null && left < SOON * this.length;
    const held = left < 90_000
      ? fill(_("held for you: {n} s"), { n: Math.ceil(left / 1000) })
      : fill(_("held for you: {n} min"), { n: Math.round(left / 60_000) });
    const text = left === null ? "" : left === 0 ? _("time is up") : held;
    if (this.node.textContent !== text) this.node.textContent = text;
    this.node.classList.toggle("soon", soon);
  }

  // A sign of work. Every sixth of the lease it is told to the server, and at once when the time had run out.
  async moved() {
    if (!this.held || this.asking || this.loop.phase !== "asking") return;
    if (!this.over && isWithin(Math.max(1000, this.length / 6), this.asked)) return;
    if (isWithin(1000, this.tried ?? 0)) return;
    const { held } = this;
    this.asking = true;
    this.tried = Date.now();
    const { status, body } = await post("/api/lease", { screen: this.loop.screen, ...held });
    this.asking = false;
    if (held !== this.held) return; // answered meanwhile
    if (status === 200) this.again(body.lease_seconds);
    else if (status === 401) this.loop.signedOut();
    else if (!passing(status)) this.loop.overtaken(body.error);
  }

  again(seconds) {
    if (this.over) {
      this.loop.calm();
      this.loop.say(_("✓ This item is yours again."), "good");
    }
    this.renewed(seconds);
    this.show();
  }
}

// Suggests a break after so much work without one; counted over reloads, and for each person apart.
class Breaks {
  constructor(loop) {
    this.loop = loop;
    this.node = el("div", { class: "tip", role: "status", hidden: true });
  }

  begin(view) {
    this.minutes = view.break_minutes ?? this.minutes ?? 0;
    if (this.who === view.who) return;
    this.who = view.who;
    const { since, last } = memory.read(this.who, "sitting");
    this.since = since ?? Date.now();
    this.last = last ?? this.since;
  }

  moved() {
    if (!this.who) return;
    const now = Date.now();
    if (now - this.last > REST) this.restart(now);
    if (now - (this.written ?? 0) > 5000) {
      this.written = now;
      memory.write({ since: this.since, last: now }, this.who, "sitting");
    }
    this.last = now;
    if (this.minutes && now - this.since > 60_000 * this.minutes && this.node.hidden) this.suggest();
  }

  restart(now = Date.now()) {
    this.since = now;
    this.written = 0;
    this.node.hidden = true;
  }

  suggest() {
    const minutes = Math.round((Date.now() - this.since) / 60_000);
    const on = el("button", { type: "button", class: "plain", text: _("Go on"), onclick: () => this.restart() });
    const text = fill(_("You have been at work for {minutes} min. A few minutes away from the screen keep answers good; everything is saved."), { minutes });
    this.node.replaceChildren(el("span", { text }), on);
    this.node.hidden = false;
    this.loop.fit();
  }
}
