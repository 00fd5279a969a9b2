// On every page: which language it is in, and every few seconds whether whoever is signed in still is, and whether the
// server still answers. On a phone, where Streamlit's menu lies over the page, it closes once a page is chosen and is
// not open when a page is loaded.

let watching, leaving;
let looking = false;

// A page that says it itself, because something typed is on it, keeps the event from going on.
const unsaid = (what) => window.dispatchEvent(new Event(what, { cancelable: true }));

// One look at a time, and none for long: where a line swallows everything without a word, they would pile up until the
// browser sends nothing more, no answer either, even once the line is back.
async function look(away, every, isWell) {
  if (document.hidden || looking) return;
  looking = true;
  const signal = AbortSignal.timeout(2000 * every);
  const answer = await fetch("/api/here", { credentials: "same-origin", cache: "no-store", signal }).catch(() => null);
  await answer?.arrayBuffer().catch(() => null); // an answer that nobody reads to its end stays open
  looking = false;
  if (answer?.status === 401 && unsaid("signedoutelsewhere")) window.location.reload();
  const fromProxy = answer?.status >= 500 && !answer.headers.get("Content-Type")?.startsWith("application/json");
  if (answer?.ok) isWell();
  away.hidden = (answer !== null && !fromProxy) || !unsaid("serveraway");
}

function drawAway(parent, text) {
  const drawn = parent.querySelector(".away");
  const away = drawn ?? Object.assign(document.createElement("p"), { className: "away", hidden: true });
  away.setAttribute("role", "status");
  away.textContent = text;
  if (!drawn) parent.append(away);
  return away;
}

const onPhone = () => window.matchMedia("(max-width: 767.9px)").matches;

function closeMenu(event) {
  if (!onPhone() || !event.target.closest?.('[data-testid="stSidebarNavLink"]')) return;
  setTimeout(() => document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click());
}

// Streamlit keeps whether the menu is open.
function forgetMenu() {
  if (!onPhone()) return;
  for (const key of Object.keys(localStorage)) if (key.startsWith("stSidebarCollapsed")) localStorage.removeItem(key);
}

// Streamlit shuts its fields while the connection is cut, which takes the keyboard away: it comes back with the connection.
let field;
const shut = new MutationObserver(() => !field.disabled && document.activeElement === document.body && field.focus());

function keepPlace({ target }) {
  shut.disconnect();
  field = target;
  if (field.matches("input, textarea")) shut.observe(field, { attributeFilter: ["disabled"] });
}

export default function ({ parentElement, data, setTriggerValue }) {
  Object.assign(document.documentElement, { lang: data.lang, dir: data.dir });
  clearInterval(watching);
  leaving?.abort();
  const here = (leaving = new AbortController()); // what leaves may leave after the next has come
  const { signal } = here;
  const away = drawAway(parentElement, data.away);
  const isWell = () => data.until_well && setTriggerValue("well", true); // the page is drawn anew
  const timer = (watching = setInterval(() => look(away, data.every, isWell), 1000 * data.every));
  window.addEventListener("pagehide", forgetMenu, { signal });
  document.addEventListener("click", closeMenu, { signal, capture: true });
  document.addEventListener("focusin", keepPlace, { signal });
  return () => (clearInterval(timer), here.abort());
}
