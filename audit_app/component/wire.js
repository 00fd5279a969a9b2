// Talking to the server: one request at a time is asked, answered in {status, body}; what fails is tried again.

const WAITS = [500, 1000, 2000, 4000, 8000, 15_000]; // ms between tries while the server is away
const OURS = { "Content-Type": "application/json", "X-Evidence-Audit": "1" };

// Status 0 stands for a server that did not answer, or answered with half a body. What is no JSON is no word of ours but
// of something in between, which may say anything; only that an answer is too long does not pass.
async function ask(path, options = {}) {
  try {
    const signal = AbortSignal.timeout(30_000);
    const response = await fetch(path, { credentials: "same-origin", cache: "no-store", signal, ...options });
    const body = await response.json().catch(() => (response.status === 413 ? {} : null));
    return body === null ? { status: 0, body: {} } : { status: response.status, body };
  } catch {
    return { status: 0, body: {} };
  }
}

function post(path, body) {
  return ask(path, { method: "POST", headers: OURS, body: JSON.stringify(body) });
}

function passing(status) {
  return status === 0 || status === 408 || status === 429 || status >= 500;
}

class Retry {
  constructor() {
    this.tries = 0;
    this.action = null;
  }

  later(action) {
    const wait = WAITS[Math.min(this.tries, WAITS.length - 1)] * (0.8 + Math.random() * 0.4);
    this.tries += 1;
    this.action = action;
    this.stop();
    this.timer = setTimeout(() => this.now(), wait);
  }

  now() {
    const { action } = this;
    this.action = null;
    this.stop();
    action?.();
  }

  done() {
    this.tries = 0;
  }

  stop() {
    clearTimeout(this.timer);
  }
}
