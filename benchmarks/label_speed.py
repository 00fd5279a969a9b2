"""How fast the labelling view is, side by side in one run with a plain page and with an empty Streamlit page.

    python -m benchmarks.label_speed [--commits 60] [--loads 8] [--seconds 20] [--rounds 3]

All on 8 passages × 150 words. The sides take turns, a few answers each, so that whatever else the machine does falls on
both; what counts are the ratios. Times in the browser run from the key event to the first moment after the paint that
shows its effect. Exits 1 if a target is missed. Needs Chromium (CHROMIUM names another one).
"""

import argparse
import os
import shutil
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks import label_load, label_servers, plain_page

PEOPLE, TURN = 50, 5
KEYS = "1234123412"

WATCH = """node => {
  const painted = (action) => requestAnimationFrame(() => setTimeout(action));
  const log = (window.measured = { digit: [], commit: [], pressed: [] });
  let committed = null;
  window.addEventListener("keydown", (event) => {
    if (event.key === "Enter") committed = event.timeStamp;
    else painted(() => {
      if (node.querySelector(".value[aria-pressed=true]")) log.digit.push(performance.now() - event.timeStamp);
    });
  }, { capture: true });
  new MutationObserver(() => {
    if (committed === null || node.dataset.phase !== "asking") return;
    log.commit.push(performance.now() - committed);
    committed = null;
  }).observe(node, { attributes: true, attributeFilter: ["data-phase"] });
  new MutationObserver((records) => {
    const now = node.querySelector(".value[aria-pressed=true]");
    if (now && records.some((record) => record.target === now))
      log.pressed.push(1 + [...node.querySelectorAll(".value")].indexOf(now));
  }).observe(node, { attributes: true, attributeFilter: ["aria-pressed"], subtree: true });
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One row of the table: ours, theirs, and what was to be reached."""

    name: str
    ours: float
    theirs: float | None
    most: float
    """The most that ours may be: a multiple of theirs, or milliseconds where there is none to compare with."""

    @property
    def reached(self) -> bool:
        return self.ours <= self.most * (1 if self.theirs is None else self.theirs)

    def __str__(self) -> str:
        against = f"{'':>9}{'':>8}  ≤ {self.most:g} ms"
        if self.theirs is not None:
            against = f"{self.theirs:>9.1f}{self.ours / self.theirs:>7.2f}×  ≤ {self.most:g} ×"
        return f"{self.name:<44}{self.ours:>9.1f}{against:<26}{'' if self.reached else '  MISSED'}"


def quantile(times: list[float], share: float) -> float:
    return float(np.quantile(times, share))


@dataclass(frozen=True, slots=True)
class Side:
    """A page that takes digits and Enter, its measurements running."""

    page: Page
    root: str

    def watch(self) -> "Side":
        self.page.locator(f"{self.root}[data-phase=asking]").wait_for()
        self.page.locator(self.root).evaluate(WATCH)
        return self

    def answer(self) -> None:
        self.page.keyboard.press("4")
        self.page.wait_for_timeout(50)  # the frame that shows the digit is not part of what follows Enter
        self.page.keyboard.press("Enter")
        self.page.wait_for_timeout(60)
        self.page.locator(f"{self.root}[data-phase=asking]").wait_for()

    def measured(self, name: str) -> list[float]:
        found: list[float] = self.page.evaluate(f"measured.{name}")
        return found

    def forget(self) -> None:
        self.page.evaluate("for (const list of Object.values(measured)) list.length = 0")


def in_browser(ours: Side, theirs: Side, n: int) -> list[Line]:
    """Answers on both pages, a few at a time each."""
    for side in (ours, theirs):  # what runs for the first time is compiled first
        for _ in range(TURN):
            side.answer()
        side.forget()
    for _ in range(n // TURN):
        for side in (ours, theirs):
            side.page.bring_to_front()
            for _ in range(TURN):
                side.answer()
    a, b = ours.measured("commit"), theirs.measured("commit")
    assert len(a) == len(b) == n // TURN * TURN, "an answer was not measured"
    digits = [side.measured("digit") for side in (ours, theirs)]
    return [
        Line(
            name=f"commit → next view painted, median (n {n})", ours=quantile(a, 0.5), theirs=quantile(b, 0.5), most=1.5
        ),
        Line(name="commit → next view painted, p95", ours=quantile(a, 0.95), theirs=quantile(b, 0.95), most=2),
        Line(name="digit key → change painted, median", ours=quantile(digits[0], 0.5), theirs=None, most=20),
        Line(name="digit key → change painted, p95", ours=quantile(digits[0], 0.95), theirs=None, most=20),
    ]


def ten_keys(side: Side) -> str:
    """Which of ten keys without a gap were taken, in the order in which they were."""
    side.page.bring_to_front()
    side.forget()
    side.page.keyboard.type(KEYS)
    side.page.wait_for_timeout(200)
    return "".join(f"{digit:.0f}" for digit in side.measured("pressed"))


def opened(browser: Browser, address: str, there: str, cookies: dict[str, str]) -> float:
    """Seconds until a page is there in a browser that has never seen it."""
    context = browser.new_context()
    context.add_cookies([{"name": name, "value": value, "url": address} for name, value in cookies.items()])
    page = context.new_page()
    start = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.locator(there).wait_for()
    spent = time.perf_counter() - start
    context.close()
    return 1000 * spent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commits", type=int, default=60)
    parser.add_argument("--loads", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    with ExitStack() as stack:
        lines, keys = measure(stack, asked)
    print(f"{'milliseconds':<44}{'ours':>9}{'plain':>9}{'ratio':>8}  target")
    print(*lines, sep="\n")
    print(f"{'ten keys with no gap: taken, in order':<44}{keys} of {KEYS}{'' if keys == KEYS else '  MISSED'}")
    return 0 if keys == KEYS and all(line.reached for line in lines) else 1


def measure(stack: ExitStack, asked: argparse.Namespace) -> tuple[list[Line], str]:
    folder = Path(stack.enter_context(TemporaryDirectory()))
    bodies = label_servers.texts(plain_page.ITEMS)
    study = label_servers.make_study(folder, bodies)
    ours = stack.enter_context(label_servers.labelling_view(study))
    theirs = stack.enter_context(label_servers.plain(folder, bodies))
    empty = stack.enter_context(label_servers.empty_page(folder))
    links = label_servers.links(study, PEOPLE + 1, ours)
    playwright = stack.enter_context(sync_playwright())
    chromium = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
    lines, keys, cookies = browsing(browser, ours, theirs, links[-1], asked.commits)
    lines += loading(browser, ours, empty, cookies, asked.loads)
    browser.close()
    return lines + under_load(ours, theirs, links, asked), keys


def browsing(browser: Browser, ours: str, theirs: str, link: str, n: int) -> tuple[list[Line], str, dict[str, str]]:
    contexts = [browser.new_context(viewport={"width": 1280, "height": 800}) for _ in range(2)]
    pages = [context.new_page() for context in contexts]
    pages[0].goto(link)
    pages[1].goto(f"{theirs}/?person=browser")
    sides = Side(pages[0], ".audit").watch(), Side(pages[1], "body").watch()
    lines, keys = in_browser(*sides, n), ten_keys(sides[0])
    cookies = {each["name"]: each["value"] for each in contexts[0].cookies()}
    for context in contexts:
        context.close()
    return lines, keys, cookies


def loading(browser: Browser, ours: str, empty: str, cookies: dict[str, str], n: int) -> list[Line]:
    """First loads, in turns; the first pair warms the servers up and does not count."""
    pairs = [
        (opened(browser, ours, ".audit[data-phase=asking]", cookies), opened(browser, empty, "text=ready", {}))
        for _ in range(n + 1)
    ][1:]
    a, b = ([pair[k] for pair in pairs] for k in (0, 1))
    name = f"first load, median (n {n}; against Streamlit)"
    return [Line(name=name, ours=quantile(a, 0.5), theirs=quantile(b, 0.5), most=1.5)]


def under_load(ours: str, theirs: str, links: list[str], asked: argparse.Namespace) -> list[Line]:
    """Fifty people on one side, then on the other, and again."""
    sides = (
        [label_load.annotator(ours, link) for link in links[:PEOPLE]],
        [label_load.plain_annotator(theirs, f"p{n}") for n in range(PEOPLE)],
    )
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(asked.rounds):
        for clients, spent in zip(sides, times, strict=True):
            spent += [1000 * each for each in label_load.drive(clients, asked.seconds)]
    n = len(times[0])
    return [
        Line(name=f"{PEOPLE} annotators, server {name} (n {n})", ours=quantile(times[0], share),
             theirs=quantile(times[1], share), most=3)
        for name, share in (("median", 0.5), ("p95", 0.95))
    ]  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
