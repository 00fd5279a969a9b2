// Quoting by keyboard: a selection that moves through the passages sentence by sentence.

// Where the sentences of a text begin and end, in UTF-16 units; blanks around them left out.
function sentences(text) {
  const parts = globalThis.Intl?.Segmenter
    ? Array.from(new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(text), (part) => [part.index, part.segment])
    : Array.from(text.matchAll(/[^\n]+/g), (line) => [line.index, line[0]]);
  return present(
    parts.map(([start, words]) => {
      if (words.trim() === "") return null;
      const from = start + words.length - words.trimStart().length;
      return [from, start + words.trimEnd().length];
    }),
  );
}

function wholly(words) {
  const from = words.length - words.trimStart().length;
  return words.trim() === "" ? [] : [[from, words.trimEnd().length]];
}

function isText(node) {
  return node.parentElement.dataset.field === "text";
}

function passageOf(node) {
  return node.parentElement.closest(".passage");
}

class Picking {
  constructor(reading) {
    this.reading = reading;
    this.known = new WeakMap();
    this.active = false;
  }

  // A title, an address or a publisher is picked whole.
  sentencesOf(text) {
    if (!this.known.has(text)) this.known.set(text, isText(text) ? sentences(text.data) : wholly(text.data));
    return this.known.get(text);
  }

  // Begins at the sentence that was picked last, else at the first one in sight. False when there is nothing to pick.
  start() {
    this.texts = this.reading.passageTexts().filter((text) => this.sentencesOf(text).length);
    if (this.texts.length === 0) return false;
    this.active = true;
    const again = this.texts.indexOf(this.text);
    this.stops = this.texts.filter((text) => isText(text) || !this.texts.some((other) => isText(other) && passageOf(other) === passageOf(text)));
    if (again === -1) this.enter(this.stops.find((text) => this.inSight(text)) ?? this.stops[0]);
    this.show();
    return true;
  }

  stop() {
    if (!this.active) return;
    this.active = false;
    this.reading.deselect();
  }

  enter(text, last = false) {
    this.text = text;
    this.first = this.last = last ? this.sentencesOf(text).length - 1 : this.firstInSight(text);
  }

  inSight(text) {
    const box = passageOf(text).getBoundingClientRect();
    const pane = this.reading.pane.getBoundingClientRect();
    return box.bottom > pane.top + 40 && box.top < pane.bottom && !text.parentElement.closest(".body")?.hidden;
  }

  firstInSight(text) {
    const top = this.reading.pane.getBoundingClientRect().top + 40;
    const all = this.sentencesOf(text);
    // Halving: a long passage has thousands, and each is measured.
    let [low, high] = [0, all.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.box(text, all[middle][0], all[middle][1]).bottom > top) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  box(text, start, end) {
    const range = document.createRange();
    range.setStart(text, start);
    range.setEnd(text, end);
    return range.getBoundingClientRect();
  }

  // What a key does while picking; false when it is none of ours.
  key(event) {
    const code = event.code;
    const all = this.sentencesOf(this.text);
    if (event.shiftKey && ["ArrowDown", "ArrowRight"].includes(code)) this.last = Math.min(this.last + 1, all.length - 1);
    else if (event.shiftKey && ["ArrowUp", "ArrowLeft"].includes(code)) this.last = Math.max(this.last - 1, this.first);
    else if (["ArrowDown", "ArrowRight"].includes(code)) this.step(1);
    else if (["ArrowUp", "ArrowLeft"].includes(code)) this.step(-1);
    else if (code === "PageDown") this.passage(1);
    else if (code === "PageUp") this.passage(-1);
    else if (code === "Home") this.first = this.last = 0;
    else if (code === "End") this.first = this.last = all.length - 1;
    else return false;
    this.show();
    return true;
  }

  // Up from a text lie its address, publisher and title; down from it lies the next text.
  step(by) {
    const next = (by > 0 ? this.last : this.first) + by;
    if (next >= 0 && next < this.sentencesOf(this.text).length) this.first = this.last = next;
    else if (by > 0 && isText(this.text)) this.passage(1);
    else this.go(this.texts[this.texts.indexOf(this.text) + by], by < 0);
  }

  passage(by) {
    const here = this.stops.findIndex((text) => passageOf(text) === passageOf(this.text));
    this.go(this.stops[here + by]);
  }

  go(text, last = false) {
    if (!text) return;
    this.text = text;
    this.first = this.last = last ? this.sentencesOf(text).length - 1 : 0;
  }

  show() {
    const all = this.sentencesOf(this.text);
    const [start, end] = [all[this.first][0], all[this.last][1]];
    const head = passageOf(this.text).firstElementChild;
    if (head.nextElementSibling.hidden) fold(head, true);
    document.getSelection().setBaseAndExtent(this.text, start, this.text, end);
    if (!isText(this.text)) return this.reading.show(passageOf(this.text).dataset.number);
    const pane = this.reading.pane;
    const [box, frame] = [this.box(this.text, start, end), pane.getBoundingClientRect()];
    const above = head.offsetHeight + 8;
    if (box.top < frame.top + above) pane.scrollTop += box.top - frame.top - above;
    else if (box.bottom > frame.bottom - 8) pane.scrollTop += Math.min(box.bottom - frame.bottom + 8, box.top - frame.top - above);
    return undefined;
  }

  // Where one is, for the eye; the words themselves, which the eye sees marked, for a screen reader.
  tell(loop) {
    const all = this.sentencesOf(this.text);
    const { number } = passageOf(this.text).dataset;
    const field = FIELDS[this.text.parentElement.dataset.field];
    const which = { number, field: field && _(field), of: all.length, first: this.first + 1, last: this.last + 1 };
    const where = field ? _("Passage {number}, {field}: ↑ ↓ move, e quotes") : this.first === this.last
      ? _("Passage {number}, sentence {first} of {of}: ↑ ↓ move, Shift adds, e quotes")
      : _("Passage {number}, sentences {first} to {last} of {of}: ↑ ↓ move, Shift adds, e quotes");
    const words = this.text.data.slice(all[this.first][0], all[this.last][1]);
    loop.say(fill(where, which), "hint", fill(_(" “{words}” Esc leaves."), { words }));
  }
}
