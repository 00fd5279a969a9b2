// Small parts that every other file here uses. The files of this folder are joined into one module.

const CANNOT_JUDGE = "cannot_judge";
const PAUSE_AFTER = 60_000; // ms without a movement before the clock of active seconds stops

// The reader's language: its sentences come from the server with the component's data; without any, English is said.
const speech = { language: "en", direction: "ltr", sentences: {} };

function speak(data) {
  Object.assign(speech, { language: data.language, direction: data.direction, sentences: data.sentences });
  // Digits stay those of the keys and of the server's own numbers.
  speech.locale = data.language === "en" ? [] : `${data.language}-u-nu-latn`;
}

function _(sentence) {
  return speech.sentences[sentence] ?? sentence;
}

// Marks a constant for the catalogue; it is given through _() where it is shown.
function mark(sentence) {
  return sentence;
}

function fill(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, (_whole, name) => values[name]);
}

function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") node.textContent = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...present(children));
  return node;
}

function present(children) {
  return children.filter((child) => child !== null && child !== undefined);
}

function literal(text) {
  const given = text === null || text === undefined ? "" : String(text);
  if (given.trim() === "") return el("div", { class: "text blank", text: _("(empty)") });
  return el("div", { class: "text", dir: "auto", text: given });
}

// The panes end where the window ends, whatever stands above them and however far the page is scrolled.
function fitToWindow(root) {
  const scroller = root.getRootNode().host?.closest('[data-testid="stMain"]');
  const top = root.getBoundingClientRect().top + (scroller ? scroller.scrollTop : 0);
  root.style.setProperty("--top", `${Math.max(0, Math.round(top))}px`);
}

// One key press as the answer key it stands for: digits from the top row and the
// number pad on any layout, letters by what is printed, else by where the key is.
function pressed(event) {
  if (event.key === "?") return "?";
  const digit = /^(Digit|Numpad)([0-9])$/.exec(event.code);
  if (digit) return digit[1] === "Digit" && event.shiftKey && !/^[0-9]$/.test(event.key) ? null : digit[2];
  if (/^[a-z0-9]$/i.test(event.key)) return event.key.toLowerCase();
  const letter = /^Key([A-Z])$/.exec(event.code);
  return letter && event.key.length === 1 ? letter[1].toLowerCase() : event.key;
}

// What is kept in this browser: drafts and habits, each under the tag of the person they belong to.
const KEPT = "evidence-audit";
const DRAFTS_LIVE = 30 * 24 * 3600_000; // ms; what was never saved by then is thrown away

const unkept = new Map(); // what the browser refuses to keep (a private window, no room): it lives as long as the page

const memory = {
  read(...place) {
    const name = [KEPT, ...place].join("/");
    try {
      return JSON.parse(unkept.get(name) ?? localStorage.getItem(name)) ?? {};
    } catch {
      return {};
    }
  },
  write(value, ...place) {
    const name = [KEPT, ...place].join("/");
    const said = JSON.stringify({ ...value, at: Date.now() });
    try {
      localStorage.setItem(name, said);
      unkept.delete(name);
    } catch {
      unkept.set(name, said);
    }
  },
  forget(...place) {
    const name = [KEPT, ...place].join("/");
    unkept.delete(name);
    try {
      localStorage.removeItem(name);
    } catch {
      // Nothing was kept.
    }
  },
  prune() {
    try {
      const old = Object.keys(localStorage).filter((key) => key.startsWith(`${KEPT}/`) && key.includes("/draft/"));
      for (const key of old) if (!(JSON.parse(localStorage.getItem(key)).at > Date.now() - DRAFTS_LIVE)) localStorage.removeItem(key);
    } catch {
      // Nothing was kept.
    }
  },
};

// Offsets are code points of the stored text; the browser counts UTF-16 units.
function points(text, units) {
  return Array.from(text.slice(0, units)).length;
}

function units(text, count) {
  return Array.from(text).slice(0, count).join("").length;
}

// Seconds a person was at work on one view: idle time over a minute and hidden tabs do not count.
class Clock {
  constructor() {
    this.restart();
  }

  // `before`: seconds that were counted before the page was loaded anew.
  restart(before = 0) {
    this.total = 1000 * before;
    this.last = performance.now();
    this.hidden = document.hidden;
  }

  move() {
    const now = performance.now();
    if (!this.hidden) this.total += Math.min(now - this.last, PAUSE_AFTER);
    this.last = now;
    this.hidden = document.hidden;
  }

  seconds() {
    this.move();
    return Math.round(this.total / 100) / 10;
  }
}
