// One tab is in use at a time: the others of this browser say so, and take over on request.

class Tabs {
  constructor(loop) {
    this.loop = loop;
    this.id = Math.random().toString(36).slice(2);
    this.away = false; // another tab is in use
  }

  arrive() {
    if (!globalThis.BroadcastChannel) return;
    this.channel = new BroadcastChannel(`${KEPT}/${this.loop.screen}`);
    this.channel.onmessage = ({ data }) => this.hear(data);
    if (!this.away) this.tell("anyone here?");
  }

  leave() {
    this.channel?.close();
    this.channel = null;
  }

  tell(says, to = null) {
    this.channel?.postMessage({ says, from: this.id, to });
  }

  hear({ says, from, to }) {
    if (says === "anyone here?" && !this.away) this.tell("here", from);
    else if (says === "mine now" || (says === "here" && to === this.id)) this.rest();
  }

  rest() {
    const { loop } = this;
    if (this.away) return;
    if (loop.phase === "asking") loop.question.remember();
    this.away = true;
    loop.enter("stopped");
    loop.say("");
    const use = loop.button(_("Use this one"), () => this.take());
    loop.warn(_("You have this open in another tab or window, so this one rests. Nothing is lost."), use);
  }

  // An answer that is still on its way goes on; otherwise things are drawn as they stand now.
  take() {
    const { loop } = this;
    this.tell("mine now");
    this.away = false;
    loop.calm();
    if (loop.pending) loop.enter("saving");
    else loop.fetchView();
  }
}
