// Practice: what was agreed, shown after each answer until somebody goes on.

class Feedback {
  // `onward` draws what comes next.
  constructor(loop, told, onward) {
    this.loop = loop;
    this.onward = onward;
    this.shownAt = Infinity;
    this.heading = el("h2", { tabindex: "-1", text: told.right ? _("✓ As agreed") : _("✗ Not as agreed") });
    const go = el("button", { type: "button", class: "save go-on", text: _("Go on") }, el("kbd", { text: "Enter" }));
    go.addEventListener("click", (event) => this.goOn(event));
    this.actions = el("div", { class: "row actions" }, go);
    this.node = el("div", { class: `feedback ${told.right ? "right" : "wrong"}` }, this.heading, ...drawTold(told));
  }

  // Takes the place of the answers; what is judged stays in sight, so that the reason can be followed.
  show() {
    const { question } = this.loop;
    question.notePart.replaceWith(this.node);
    for (const part of question.node.querySelectorAll(".values, .evidence, .stage, .folds")) part.hidden = true;
    for (const details of question.node.querySelectorAll("details.definition")) details.open = false;
    question.actions.replaceWith(this.actions);
    question.node.classList.remove("folded");
    question.node.querySelector(".scrolls").scrollTop = 0;
    this.heading.focus({ preventScroll: true });
    const seen = () => {
      if (this.loop.feedback !== this) return;
      this.shownAt = performance.now();
      this.loop.enter("told");
    };
    requestAnimationFrame(() => setTimeout(seen));
  }

  // Only what was pressed while the feedback was on screen: a second Enter of the answer's own would hide it unread.
  goOn(event) {
    if (event.repeat || event.timeStamp < this.shownAt) return;
    this.onward();
  }
}

function drawTold({ text, agreed, reason, right, outcome }) {
  const line = (name, said) => el("div", { class: "line" }, el("span", { class: "quiet", text: name }), el("strong", { dir: "auto", text: said }));
  return present([
    right ? null : line(_("Your answer"), text),
    line(_("Agreed answer"), agreed),
    el("div", { class: "why", dir: "auto", text: reason }),
    outcome ? el("p", { class: "outcome", dir: "auto", text: outcome }) : null,
  ]);
}
