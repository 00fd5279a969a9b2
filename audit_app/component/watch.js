// On every page: which language it is in, and every few seconds whether whoever is signed in still is.

let watching;

// A page that wants to say it itself, because something typed is on it, keeps the event from going on.
async function look() {
  if (document.hidden) return;
  const answer = await fetch("/api/here", { credentials: "same-origin", cache: "no-store" }).catch(() => null);
  await answer?.arrayBuffer().catch(() => null); // an answer that nobody reads to its end stays open
  const gone = new Event("signedoutelsewhere", { cancelable: true });
  if (answer?.status === 401 && window.dispatchEvent(gone)) window.location.reload();
}

export default function ({ data }) {
  Object.assign(document.documentElement, { lang: data.lang, dir: data.dir });
  clearInterval(watching);
  watching = setInterval(look, 1000 * data.every);
  return () => clearInterval(watching);
}
