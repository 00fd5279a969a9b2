// The labelling loop: ask for the view, draw it, take one answer, post it, draw the next.

const SLOW = 200; // ms; a save that takes no longer is not announced, which would only flicker
const TYPED_AHEAD = 400; // ms; a burst begun before a list was on screen is dropped as a whole

class Loop {
  constructor(host, screen) {
    this.screen = screen;
    this.adjudicates = screen === "adjudicate";
    this.clock = new Clock();
    this.reading = new Reading();
    this.question = new Question(this, this.reading);
    this.keys = new Keys(this);
    this.mine = new Mine(this);
    this.lease = new Lease(this);
    this.breaks = new Breaks(this);
    this.tabs = new Tabs(this);
    this.retry = new Retry();
    this.phase = "loading";
    this.view = null;
    this.drawnAt = Infinity;
    this.droppedAt = -Infinity;
    this.feedback = null;
    this.pending = null;
    memory.prune();
    this.build(host);
    window.addEventListener("beforeunload", (event) => this.owes() && event.preventDefault()); // also from another screen
  }

  build(host) {
    this.bar = new Bar(this);
    const panes = el("div", { class: "panes" }, this.reading.node, this.question.node);
    const parts = [this.bar.node, this.bar.alarm, this.breaks.node, panes, this.keys.sheet, this.mine.node];
    this.root = el("div", { class: "audit", lang: speech.language, dir: speech.direction, "data-phase": "loading" }, ...parts);
    host.append(this.root);
  }

  arrive() {
    this.leave(); // the host may ask for the same component again without having left it, as on a change of theme
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    const on = (target, type, action, more = {}) => target.addEventListener(type, action, { signal, ...more });
    on(window, "keydown", (event) => this.keys.press(event), { capture: true });
    for (const type of ["pointermove", "pointerdown", "wheel", "touchmove", "keydown"])
      on(window, type, () => this.moved(), { capture: true, passive: true });
    on(document, "visibilitychange", () => (this.clock.move(), this.lease.tick()));
    on(window, "online", () => this.retry.now());
    on(window, "resize", () => this.fit());
    on(window, "pagehide", () => this.phase === "asking" && this.question.remember());
    on(window, "serveraway", (event) => event.preventDefault()); // said here once it matters: when something is to be saved
    on(window, "signedoutelsewhere", (event) => (event.preventDefault(), this.signedOutElsewhere()));
    this.ticking = setInterval(() => this.lease.tick(), 1000);
    this.tabs.arrive();
    this.fit();
    requestAnimationFrame(() => this.fit());
    if (this.retry.action) this.retry.now();
    else if (this.phase === "loading" && !this.fetching) this.fetchView();
  }

  // Whatever is under way finds out by itself.
  signedOutElsewhere() {
    if (["asking", "empty"].includes(this.phase)) this.signedOut();
  }

  leave() {
    this.leaving?.abort();
    this.tabs.leave();
    clearInterval(this.ticking);
    if (!this.pending) this.retry.stop(); // an answer that was given is sent, wherever its person looks meanwhile
  }

  // Whether something would be lost with the page.
  owes() {
    return this.pending !== null || [...unkept.keys()].some((name) => name.includes("/draft/"));
  }

  // A loop that left its screen with an answer still to be sent goes on where the screen is drawn now.
  moveTo(host) {
    host.append(this.root);
    return this;
  }

  moved() {
    this.clock.move();
    this.breaks.moved();
    this.lease.moved();
  }

  fit() {
    fitToWindow(this.root);
    this.width = this.root.clientWidth;
  }

  narrow() {
    return this.width < 868;
  }

  enter(phase) {
    clearTimeout(this.slow);
    this.phase = this.tabs.away && phase !== "retrying" ? "stopped" : phase;
    if (this.question.locked && phase !== "saving" && !this.pending) this.question.lock(false);
    // No style hangs on the phase itself: a change of it alone must cost no frame, which the next view would wait for.
    this.root.dataset.phase = this.phase;
    for (const styled of ["retrying", "empty"]) this.root.classList.toggle(styled, this.phase === styled);
    this.question.node.setAttribute("aria-busy", String(phase === "saving" || phase === "retrying"));
  }

  say(text, kind = "", aside = null) {
    this.bar.say(text, kind, aside);
  }

  warn(text, ...actions) {
    this.bar.warn(text, actions);
    this.fit();
  }

  calm() {
    if (this.tabs.away) return;
    this.unread = false;
    this.bar.calm();
  }

  button(text, action) {
    return el("button", { type: "button", text, onclick: action });
  }

  closer() {
    return el("button", { type: "button", "aria-label": _("Close this message"), text: _("OK"), onclick: () => this.calm() });
  }

  // -------------------------------------------------------------- fetching

  fetchView(reason = null) {
    return this.fetch(`/api/view?screen=${encodeURIComponent(this.screen)}`, reason);
  }

  async fetch(path, reason = null) {
    this.enter("loading");
    this.fetching = true;
    const { status, body } = await ask(path);
    this.fetching = false;
    if (status === 200) {
      this.retry.done();
      this.calm();
      const why = reason?.(body); // asked for now: what was typed until the page changes belongs to it
      const typing = this.question.typing();
      this.draw(body);
      if (why) this.mustRead(why, typing);
    } else if (status === 401) {
      this.signedOut();
    } else if (passing(status)) {
      this.later(() => this.fetch(path, reason), fill(_("{why} Trying again …"), { why: body.error ?? _("The server cannot be reached.") }));
    } else {
      this.enter("stopped");
      this.warn(body.error ?? _("This page is not open to you."));
    }
  }

  later(action, text) {
    this.retry.later(action);
    if (!this.tabs.away) this.warn(text, this.button(_("Try now"), () => this.retry.now()));
  }

  // The answer before the one on screen, or before the question on screen.
  back() {
    const { state, assignment_id, label } = this.view ?? {};
    this.lookBack(state === "view" ? { assignment: assignment_id, label: label.name, before: "1" } : {});
  }

  async lookBack(place) {
    this.question.remember();
    const shown = this.phase;
    this.enter("loading");
    const { status, body } = await ask(`/api/back?${new URLSearchParams({ screen: this.screen, ...place })}`);
    if (status === 200) {
      this.calm();
      this.say("");
      return this.draw(body);
    }
    this.enter(shown);
    if (status === 401) return this.signedOut();
    return this.say(body.error ?? _("The server cannot be reached; try again in a moment."), "hint");
  }

  toWork() {
    this.question.remember();
    this.say("");
    this.fetchView();
  }

  // -------------------------------------------------------------- saving

  give({ label, value, comment, evidence, spoken }) {
    const { who, assignment_id, client_seq, review } = this.view;
    if (review && !this.question.changed()) return this.toWork();
    this.enter("saving");
    this.calm();
    this.slow = setTimeout(() => (this.question.lock(true), this.say(_("Saving …"))), SLOW);
    const active_seconds = this.clock.seconds();
    const body = { screen: this.screen, who, assignment_id, label, value, comment, evidence, client_seq, active_seconds };
    return this.post(review ? { ...body, revise: true } : body, spoken);
  }

  decide({ spoken, ...decision }) {
    const { who, assignment_id } = this.view;
    this.enter("saving");
    this.calm();
    this.question.lock(true);
    this.say(_("Saving …"));
    return this.post({ screen: this.screen, who, assignment_id, ...decision }, spoken);
  }

  async post(body, spoken) {
    this.pending = { body, spoken };
    const { status, body: said } = await post("cause" in body ? "/api/decide" : "/api/label", body);
    if (status === 200) this.saved(said, spoken);
    else if (status === 401) this.signedOut();
    else if (status === 409 || status === 403) this.overtaken(said.error);
    else if (passing(status)) this.keepTrying(said.error);
    else this.refused(said.error ?? fill(_("The server refused this answer ({status})."), { status }));
  }

  saved({ next, feedback }, spoken) {
    this.pending = null;
    this.retry.done();
    this.question.forget();
    if (!this.root.isConnected) return;
    this.calm();
    if (feedback) this.tell(feedback, next);
    else this.draw(next);
    this.say(fill(_("✓ Saved · {spoken}"), { spoken }), "good");
  }

  tell(feedback, next) {
    this.enter("drawing");
    this.feedback = new Feedback(this, feedback, () => {
      this.say("");
      this.draw(next);
    });
    this.feedback.show();
  }

  keepTrying(why) {
    const { body, spoken } = this.pending;
    this.enter("retrying");
    this.question.lock(true);
    this.say("");
    this.later(() => this.post(body, spoken), fill(_("Not saved yet, retrying … {why}"), { why: why ?? _("The server cannot be reached.") }));
  }

  signedOut() {
    this.enter("stopped");
    this.say("");
    const out = this.pending
      ? _("You are signed out, and this answer is not saved yet; it is kept here. Sign in again in another tab, then come back here.")
      : _("You are signed out; what you typed is kept here. Sign in again in another tab, then come back here.");
    const again = () => {
      this.calm();
      if (!this.pending) return this.fetchView((view) => this.question.typed() && !this.shows(view) && this.leftOver());
      this.enter("saving");
      return this.post(this.pending.body, this.pending.spoken);
    };
    this.warn(out, this.button(_("I have signed in again"), again));
  }

  overtaken(why) {
    this.pending = null;
    if (!this.root.isConnected) return; // what was typed waits in its draft
    this.say("");
    this.fetchView(() => this.leftOver(why));
  }

  shows({ assignment_id, label }) {
    return this.view.assignment_id === assignment_id && this.view.label.name === label?.name;
  }

  // That the question is gone, with what was typed into it.
  leftOver(what = _("This question has moved on in the meantime.")) {
    const note = this.question.typed();
    return note ? fill(_("{what} Your note, to copy if you need it: “{note}”"), { what, note }) : what;
  }

  // Whoever was typing when the page changed goes on typing: nothing of that may answer the new question.
  mustRead(why, typing) {
    this.warn(why, this.closer());
    this.unread = typing;
  }

  refused(why) {
    this.pending = null;
    this.enter("asking");
    this.say("");
    this.warn(why, this.closer());
  }

  // -------------------------------------------------------------- drawing

  draw(view) {
    // Somebody else has signed in with this browser: what stands around the loop is no longer true.
    if (this.view && this.view.who !== view.who) return window.location.reload();
    this.view = view;
    this.feedback = null;
    this.drawnAt = Infinity;
    this.letGo();
    this.root.toggleAttribute("data-review", Boolean(view.review));
    if (!view.review) this.lease.begin(view);
    this.breaks.begin(view);
    this.bar.draw(view);
    if (view.state !== "view") this.drawEmpty(view);
    else this.drawView(view);
    const seen = () => {
      if (this.view !== view || this.phase !== "drawing") return;
      this.drawnAt = performance.now();
      this.enter("asking");
      this.readOut();
    };
    // The frame callback runs just before the paint; the timer after it, just behind. Whatever asks how the page is laid
    // out waits for them: asked between the changes, all of it would be laid out several times.
    requestAnimationFrame(() => {
      this.fit();
      setTimeout(seen);
    });
    return undefined;
  }

  drawEmpty(view) {
    this.enter("empty");
    this.reading.clear();
    this.question.drawEmpty(view.reason, () => this.fetchView(), () => this.back());
  }

  // Before anything changes: afterwards all of it would be laid out to find out.
  letGo() {
    const { activeElement } = this.root.getRootNode();
    this.held = this.root.contains(activeElement) || document.activeElement === document.body;
    if (this.held) activeElement?.blur();
    this.reading.look();
    this.question.look();
  }

  drawView(view) {
    this.reading.draw(view);
    this.question.draw(view);
    this.enter("drawing");
  }

  // A screen reader says the new question.
  readOut() {
    if (this.held && !this.question.panel) this.question.heading.focus({ preventScroll: true });
  }

  // Only what was pressed while this very question was on screen is an answer to it.
  fresh(event) {
    if (["stopped", "empty"].includes(this.phase)) return false;
    if (this.unread) return this.say(_("Read the message above first; Esc or OK closes it."), "hint"), false;
    const ahead = this.question.many() && event.timeStamp - this.droppedAt < TYPED_AHEAD;
    if (this.phase === "asking" && event.timeStamp >= this.drawnAt && !ahead) return true;
    const waiting = ["saving", "retrying", "loading"].includes(this.phase);
    this.droppedAt = event.timeStamp;
    this.say(waiting ? _("Too early, not used: wait for the next question.") : _("Too early, not used: press it again."), "hint");
    return false;
  }
}

const loops = new WeakMap(); // by where they are drawn
const latest = new Map(); // by screen

export default function ({ parentElement, data }) {
  speak(data);
  const { screen } = data;
  let loop = loops.get(parentElement);
  if (loop === undefined || loop.screen !== screen) {
    loop?.root.remove();
    loop = latest.get(screen)?.pending ? latest.get(screen).moveTo(parentElement) : new Loop(parentElement, screen);
    loops.set(parentElement, loop);
    latest.set(screen, loop);
  }
  loop.arrive();
  const { leaving } = loop;
  return () => loop.leaving === leaving && loop.leave(); // what leaves may leave after the next has come
}
