// The labelling loop: ask for the view, draw it, take one answer, post it, draw the next.

const WAITS = [500, 1000, 2000, 4000, 8000, 15_000]; // ms between tries while the server is away
const TYPED_AHEAD = 400; // ms; a burst begun before a list was on screen is dropped as a whole

class Loop {
  constructor(host, screen) {
    this.screen = screen;
    this.clock = new Clock();
    this.reading = new Reading();
    this.question = new Question(this, this.reading);
    this.phase = "loading";
    this.view = null;
    this.drawnAt = Infinity;
    this.droppedAt = -Infinity;
    this.pending = null;
    this.tries = 0;
    this.build(host);
  }

  build(host) {
    this.count = el("span", { class: "count" });
    this.track = el("div", { class: "track", role: "progressbar", "aria-label": "Items done", "aria-valuemin": "0" });
    this.track.append(el("div", { class: "fill" }));
    this.step = el("span", { class: "step" });
    this.said = el("span", { class: "said", role: "status", "aria-live": "polite" });
    this.alarm = el("div", { class: "alarm", role: "alert", hidden: true });
    this.keysButton = el("button", { type: "button", class: "plain keys", "aria-haspopup": "dialog", text: "Keys" });
    this.keysButton.append(el("kbd", { text: "h" }));
    this.keysButton.addEventListener("click", () => this.toggleKeys());
    const bar = el("header", { class: "bar" }, this.count, this.track, this.step, this.said, this.keysButton);
    const panes = el("div", { class: "panes" }, this.reading.node, this.question.node);
    this.sheet = el("dialog", { class: "sheet", "aria-label": "Keys" });
    this.root = el("div", { class: "audit", "data-phase": "loading" }, bar, this.alarm, panes, this.sheet);
    host.append(this.root);
  }

  arrive() {
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    const on = (target, type, action, more = {}) => target.addEventListener(type, action, { signal, ...more });
    on(window, "keydown", (event) => this.key(event), { capture: true });
    for (const type of ["pointermove", "pointerdown", "wheel", "touchmove", "keydown"])
      on(window, type, () => this.clock.move(), { capture: true, passive: true });
    on(document, "visibilitychange", () => this.clock.move());
    on(window, "online", () => this.retryNow());
    on(window, "resize", () => this.fit());
    on(window, "beforeunload", (event) => this.pending && event.preventDefault());
    this.fit();
    requestAnimationFrame(() => this.fit());
    if (this.retry) this.retryNow();
    else if (this.phase === "loading" && !this.fetching) this.fetchView();
  }

  leave() {
    this.leaving?.abort();
    clearTimeout(this.timer);
  }

  // The panes end where the window ends, whatever stands above them.
  fit() {
    const top = this.root.getBoundingClientRect().top + this.scrolled();
    this.root.style.setProperty("--top", `${Math.max(0, Math.round(top))}px`);
  }

  scrolled() {
    const scroller = this.root.getRootNode().host?.closest('[data-testid="stMain"]');
    return scroller ? scroller.scrollTop : 0;
  }

  narrow() {
    return this.root.clientWidth < 868;
  }

  enter(phase) {
    this.phase = phase;
    this.root.dataset.phase = phase;
    this.question.node.setAttribute("aria-busy", String(phase === "saving" || phase === "retrying"));
  }

  say(text, kind = "") {
    this.said.className = `said ${kind}`;
    this.said.textContent = text;
  }

  warn(text, ...actions) {
    this.alarm.replaceChildren(el("span", { text }), ...actions);
    this.alarm.hidden = false;
    this.fit();
  }

  calm() {
    this.alarm.hidden = true;
    this.alarm.replaceChildren();
  }

  // -------------------------------------------------------------- talking to the server

  // Status 0 stands for a server that did not answer, or answered with half a body.
  async ask(path, options = {}) {
    try {
      const signal = AbortSignal.timeout(30_000);
      const response = await fetch(path, { credentials: "same-origin", cache: "no-store", signal, ...options });
      const body = await response.json().catch(() => (response.ok ? null : {}));
      return body === null ? { status: 0, body: {} } : { status: response.status, body };
    } catch {
      return { status: 0, body: {} };
    }
  }

  async fetchView(reason = null) {
    this.enter("loading");
    this.fetching = true;
    const answer = await this.ask(`/api/view?screen=${encodeURIComponent(this.screen)}`);
    this.fetching = false;
    if (answer.status === 200) {
      this.tries = 0;
      this.calm();
      this.draw(answer.body);
      if (reason) this.warn(reason, this.closer());
    } else if (answer.status === 401) {
      this.signedOut();
    } else if (answer.status === 403 || answer.status === 404) {
      this.enter("stopped");
      this.warn(answer.body.error ?? "This page is not open to you.");
    } else {
      const said = answer.body.error ?? "The server cannot be reached.";
      this.later(() => this.fetchView(reason), `${said} Trying again …`);
    }
  }

  async post(body, spoken) {
    this.pending = { body, spoken };
    const { status, body: said } = await this.ask("/api/label", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Evidence-Audit": "1" },
      body: JSON.stringify(body),
    });
    if (status === 200) this.saved(said.next, spoken);
    else if (status === 401) this.signedOut();
    else if (status === 409 || status === 403) this.overtaken(said.error);
    else if (status === 0 || status === 408 || status === 429 || status >= 500) this.keepTrying(said.error);
    else this.refused(said.error ?? `The server refused this answer (${status}).`);
  }

  saved(next, spoken) {
    this.pending = null;
    this.tries = 0;
    this.question.forget();
    this.calm();
    this.draw(next);
    this.say(`✓ Saved · ${spoken}`, "good");
  }

  keepTrying(why) {
    const { body, spoken } = this.pending;
    this.enter("retrying");
    this.say("");
    const text = `Not saved yet, retrying … ${why ?? "The server cannot be reached."}`;
    this.later(() => this.post(body, spoken), text);
  }

  later(action, text) {
    const wait = WAITS[Math.min(this.tries, WAITS.length - 1)] * (0.8 + Math.random() * 0.4);
    this.tries += 1;
    this.retry = action;
    this.warn(text, el("button", { type: "button", text: "Try now", onclick: () => this.retryNow() }));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.retryNow(), wait);
  }

  retryNow() {
    const action = this.retry;
    this.retry = null;
    clearTimeout(this.timer);
    action?.();
  }

  signedOut() {
    this.enter("stopped");
    this.say("");
    const unsaved = this.pending ? ", and this answer is not saved yet; it is kept here" : "";
    const again = () => {
      this.calm();
      if (!this.pending) return this.fetchView();
      this.enter("saving");
      return this.post(this.pending.body, this.pending.spoken);
    };
    this.warn(
      `You are signed out${unsaved}. Open your personal link in another tab, then come back here.`,
      el("button", { type: "button", text: "I have signed in again", onclick: again }),
    );
  }

  overtaken(why) {
    this.pending = null;
    this.say("");
    this.fetchView(why ?? "This question has moved on in the meantime; here is where things stand.");
  }

  refused(why) {
    this.pending = null;
    this.enter("asking");
    this.say("");
    this.warn(why, this.closer());
  }

  closer() {
    return el("button", { type: "button", "aria-label": "Close this message", text: "OK", onclick: () => this.calm() });
  }

  // -------------------------------------------------------------- drawing

  draw(view) {
    // Somebody else has signed in with this browser: what stands around the loop is no longer true.
    if (this.view && this.view.who !== view.who) return window.location.reload();
    this.view = view;
    this.drawnAt = Infinity;
    this.drawProgress(view);
    if (view.state !== "view") this.drawEmpty(view);
    else this.drawView(view);
    this.clock.restart();
    this.fit();
    const seen = () => {
      if (this.view !== view || this.phase !== "drawing") return;
      this.drawnAt = performance.now();
      this.enter("asking");
    };
    // The frame callback runs just before the paint; the timer after it, just behind.
    requestAnimationFrame(() => setTimeout(seen));
  }

  drawProgress(view) {
    const { done = 0, of = 0 } = view.progress ?? {};
    this.count.textContent = of ? `${done} of ${of}` : "";
    this.track.hidden = !of;
    this.track.setAttribute("aria-valuemax", of);
    this.track.setAttribute("aria-valuenow", done);
    this.track.firstChild.style.width = of ? `${Math.min(100, (100 * done) / of)}%` : "0";
    this.step.textContent = view.step ? `question ${view.step.number} of ${view.step.of}` : "";
  }

  drawEmpty(view) {
    this.enter("empty");
    this.reading.clear();
    this.question.drawEmpty(view.reason, () => this.fetchView());
  }

  drawView(view) {
    const held = this.root.contains(this.root.getRootNode().activeElement) || document.activeElement === document.body;
    this.reading.draw(view);
    this.question.draw(view);
    this.enter("drawing");
    if (held) this.question.heading.focus({ preventScroll: true });
  }

  // -------------------------------------------------------------- answering

  // Only what was pressed while this very question was on screen is an answer to it.
  fresh(event) {
    if (["stopped", "empty"].includes(this.phase)) return false;
    const ahead = this.question.many() && event.timeStamp - this.droppedAt < TYPED_AHEAD;
    if (this.phase === "asking" && event.timeStamp >= this.drawnAt && !ahead) return true;
    const waiting = ["saving", "retrying", "loading"].includes(this.phase);
    this.droppedAt = event.timeStamp;
    this.say(waiting ? "Too early, not used: wait for the next question." : "Too early, not used: press it again.", "hint");
    return false;
  }

  give({ label, value, comment, evidence, spoken }) {
    this.enter("saving");
    this.calm();
    this.say("Saving …");
    const { who, assignment_id, client_seq } = this.view;
    const active_seconds = this.clock.seconds();
    const body = { screen: this.screen, who, assignment_id, label, value, comment, evidence, client_seq, active_seconds };
    this.post(body, spoken);
  }

  // -------------------------------------------------------------- keys

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.getModifierState("AltGraph")) {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && this.at(event) === this.question.note) this.enterKey(event);
      return;
    }
    if (this.sheet.open) return this.sheetKey(event);
    const where = this.at(event);
    if (event.key === "Escape") return this.escape(event, where);
    if (this.elsewhere(where)) return;
    if (event.key === "Enter") return this.enterKey(event, where);
    if (this.scrollKey(event, where)) return;
    const key = pressed(event);
    if (key === "h" || key === "?") return this.take(event, () => this.toggleKeys());
    if (!this.view || this.view.state !== "view" || event.repeat) return;
    const choice = this.question.choices().find((candidate) => candidate.key === key);
    if (choice) this.take(event, () => this.fresh(event) && this.question.choose(choice.value));
    else if (key === "n") this.take(event, () => this.fresh(event) && this.question.note.focus());
    else if (key === "e" && this.question.quoteList?.isConnected) this.take(event, () => this.fresh(event) && this.question.quote());
    else if (key === "s") this.take(event, () => this.fresh(event) && this.question.openSkip());
  }

  at(event) {
    return event.composedPath()[0];
  }

  take(event, action) {
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  // Typing, or working another part of the page: the keys are not ours.
  elsewhere(where) {
    if (!(where instanceof Element)) return false;
    if (where.closest("input, textarea, select, [contenteditable]")) return true;
    return where !== document.body && where !== document.documentElement && !this.root.contains(where) && where.closest("[role=dialog], [role=menu], [role=listbox]") !== null;
  }

  escape(event, where) {
    if (this.question.skipping()) return this.take(event, () => this.question.closeSkip());
    if (where === this.question.note) this.take(event, () => (this.question.buttons.get(this.question.chosen[0]) ?? this.question.save).focus());
  }

  enterKey(event, where = null) {
    const control = where instanceof Element ? where.closest("button, a, summary") : null;
    const value = control?.closest(".value");
    // Enter on a control that is no answer works that control; on an answer not yet chosen it chooses it.
    if (control && !value && control !== this.question.save) return;
    if (value && !this.question.many() && value.getAttribute("aria-pressed") !== "true") return;
    if (this.question.skipping() || !this.view || this.view.state !== "view") return;
    this.take(event, () => !event.repeat && this.fresh(event) && this.question.commit());
  }

  scrollKey(event, where) {
    const page = this.reading.pane.clientHeight * 0.9;
    const by = { ArrowDown: 60, ArrowUp: -60, PageDown: page, PageUp: -page }[event.code];
    if (by === undefined || (where instanceof Element && this.reading.pane.contains(where))) return false;
    this.take(event, () => this.reading.scrollBy(by));
    return true;
  }

  sheetKey(event) {
    const key = pressed(event);
    if (key === "h" || key === "?") this.take(event, () => this.toggleKeys());
  }

  toggleKeys() {
    if (this.sheet.open) return this.sheet.close();
    const line = (keys, meaning) =>
      el("tr", {}, el("td", {}, ...keys.map((key) => el("kbd", { text: key }))), el("td", { dir: "auto", text: meaning }));
    const answers = this.view?.state === "view" ? this.question.choices().filter((choice) => choice.key) : [];
    this.sheet.replaceChildren(
      el("h2", { text: "Keys" }),
      el(
        "table",
        {},
        ...answers.map((choice) => line([choice.key], choice.text)),
        line(["Enter"], "Save the answer and go on"),
        line(["n"], "Write a note"),
        line(["Esc"], "Leave the note"),
        line(["Ctrl", "Enter"], "Save from within the note"),
        line(["e"], "Quote the selected text as evidence"),
        line(["s"], "Skip this item"),
        line(["↑", "↓", "PgUp", "PgDn"], "Scroll the text"),
        line(["h", "?"], "Show or hide these keys"),
      ),
      el("p", { class: "quiet", text: "Keys rest while you type. An answer is saved only with Enter or Save." }),
      el("button", { type: "button", text: "Close", onclick: () => this.sheet.close() }),
    );
    this.sheet.showModal();
  }
}

const loops = new WeakMap();

export default function ({ parentElement, data }) {
  let loop = loops.get(parentElement);
  if (loop === undefined || loop.screen !== data.screen) {
    loop?.root.remove();
    loop = new Loop(parentElement, data.screen);
    loops.set(parentElement, loop);
  }
  loop.arrive();
  return () => loop.leave();
}
