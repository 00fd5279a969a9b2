"""The demo study is what its README says: reproducible, complete, with planted errors that are really there."""

import json
import re
import runpy
import sys
import tomllib
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from audit_app.actions.demo import Demo, make_demo
from audit_app.actions.raters import agreement
from audit_app.actions.results import metrics
from data.errors import StudyProblem
from data.store import people
from data.store.connection import open_store
from data.study import Study

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "data" / "demo"
ROOMS = ("audit_app", "benchmark", "judge", "metrics", "data", "sampling", "agreement")


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DEMO / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


TASKS = {row["task_id"]: row for row in read("tasks")}
CONTEXTS = {row["context_id"]: row for row in read("contexts")}
KEY = read("answer_key")
KEY_RESPONSES = {row["response_id"]: row for row in KEY if row["kind"] == "response"}
KEY_CONTEXTS = {row["context_id"]: row for row in KEY if row["kind"] == "context"}
ERRORS = [(name, error) for name, row in KEY_CONTEXTS.items() for error in row["errors"]]


def condition_of(response_id: str) -> str:
    return response_id.split(".")[1]


def test_the_counts_are_as_declared() -> None:
    responses = read("responses")
    assert (len(TASKS), len(CONTEXTS), len(responses), len(read("verdicts"))) == (24, 120, 480, 960)
    assert Counter(task["regime"] for task in TASKS.values()) == {
        "longfact": 8, "liveresearchbench": 8, "clbench": 8
    }  # fmt: skip
    assert set(Counter(context["condition"] for context in CONTEXTS.values()).values()) == {24}
    assert set(Counter((r["model"], r["prompt"]) for r in responses).values()) == {120}
    assert KEY_RESPONSES.keys() == {r["response_id"] for r in responses}
    assert KEY_CONTEXTS.keys() == CONTEXTS.keys()
    assert sum(v.get("unscored_reason") is not None for v in read("verdicts")) == 3


def test_verdicts_and_labels_are_what_the_scripts_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "tests" / "data"), *sys.path])
    script = runpy.run_path(str(ROOT / "tests" / "data" / "demo_script.py"))
    plan = runpy.run_path(str(ROOT / "tests" / "data" / "demo_plan.py"))["plan"]
    script["write"](tmp_path / "verdicts", script["verdicts"](KEY))
    script["write"](tmp_path / "labels", script["labels"](KEY, plan()))
    for name in ("verdicts", "labels"):
        assert (tmp_path / name).read_bytes() == (DEMO / f"{name}.jsonl").read_bytes()


def test_every_cell_of_labels_occurs() -> None:
    cells = Counter((r["C"], r["A"], r["G"] == "established") for r in KEY_RESPONSES.values())
    # C = 1 with A = 0 is the ambiguous cell.
    for correct in (0, 1):
        for grounded in (False, True):
            assert cells[correct, 1, grounded] > 0
    assert sum(n for (c, a, _), n in cells.items() if (c, a) == (0, 0)) > 0
    assert sum(n for (c, a, _), n in cells.items() if (c, a) == (1, 0)) > 0
    assert {r["G"] for r in KEY_RESPONSES.values()} == {"established", "contradicted", "partly", "not_supported"}
    shifts = Counter(r["D"] for r in KEY_RESPONSES.values() if r["A"] and r["G"] != "established")
    assert min(shifts[0], shifts[1]) > 0


def test_silent_shifts_are_most_frequent_without_evidence_and_as_the_readme_counts_them() -> None:
    count: dict[str, Counter[str]] = defaultdict(Counter)
    for name, row in KEY_RESPONSES.items():
        silent = row["A"] and row["G"] != "established" and not row["D"]
        count[condition_of(name)].update(correct=row["C"], answered=row["A"], silent=silent, both=silent and row["C"])
    assert max(count, key=lambda condition: count[condition]["silent"]) == "evidence_absence"
    readme = (DEMO / "README.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) % \|$", readme, re.M)
    assert len(table) == 5
    for condition, *numbers in table:
        found = count[condition]
        share = round(100 * found["silent"] / 96)
        assert [int(n) for n in numbers] == [*(found[k] for k in ("correct", "answered", "silent", "both")), share]


def test_a_passage_that_contexts_share_is_the_same_in_all() -> None:
    seen: dict[str, dict[str, Any]] = {}
    places = Counter()  # type: Counter[str]
    for context in CONTEXTS.values():
        assert [p["rank"] for p in context["passages"]] == list(range(1, len(context["passages"]) + 1))
        for passage in context["passages"]:
            same = {name: value for name, value in passage.items() if name not in ("rank", "supports")}
            assert seen.setdefault(passage["passage_id"], same) == same
            places[passage["passage_id"]] += 1
    assert sum(n > 1 for n in places.values()) > 100


def passages(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = CONTEXTS[name]["passages"]
    return found


def names_answer(task: dict[str, Any], text: str) -> bool:
    wanted = [task["gold_answer"], *task["gold_aliases"]]
    return any(re.search(rf"\b{re.escape(answer)}\b", text, re.IGNORECASE) for answer in wanted)


def test_the_planted_errors_are_those_of_the_readme() -> None:
    readme = (DEMO / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([\w.-]+)` \| `(\w+)` \|", readme, re.M)
    assert sorted(listed) == sorted((name, error["error"]) for name, error in ERRORS)
    assert len(ERRORS) >= 12
    for name, error in ERRORS:
        assert set(error.get("passages", [])) <= {p["rank"] for p in passages(name)}


def test_the_builder_calls_every_leaking_passage_neither() -> None:
    leaks = [(name, error) for name, error in ERRORS if error["error"] == "answer_leaked"]
    assert len(leaks) == 5
    for name, error in leaks:
        assert CONTEXTS[name]["condition"] == "evidence_absence"
        assert all(p["supports"] == "neither" for p in passages(name))
        assert error["passages"]
    named = [name for name, error in leaks
             if any(names_answer(TASKS[CONTEXTS[name]["task_id"]], passages(name)[rank - 1]["text"])
                    for rank in error["passages"])]  # fmt: skip
    # Two leaks stand there in so many words; the others are in other words, or in two passages together.
    assert {"lf-03.evidence_absence", "lf-04.evidence_absence"} <= set(named)


def test_no_other_absence_context_names_the_answer() -> None:
    broken = {name for name, _ in ERRORS}
    found = [
        (name, passage["rank"])
        for name, context in CONTEXTS.items()
        if context["condition"] == "evidence_absence" and name not in broken
        for passage in context["passages"]
        if names_answer(TASKS[context["task_id"]], passage["text"])
        and KEY_CONTEXTS[name]["supports"][passage["rank"] - 1] != "neither"
    ]
    assert found == []


def test_what_can_be_checked_of_the_other_errors_is_so() -> None:
    by_error = defaultdict(list)
    for name, error in ERRORS:
        by_error[error["error"]].append((name, error))
    for name, error in by_error["clean_lacks_answer"]:
        assert KEY_CONTEXTS[name]["answerable"] == "not_established"
        assert not any(names_answer(TASKS[CONTEXTS[name]["task_id"]], p["text"]) for p in passages(name))
        assert error
    for name, error in by_error["duplicate_passage"]:
        one, other = (passages(name)[rank - 1] for rank in error["passages"])
        assert one["text"] == other["text"]
    for name, _ in by_error["majority_not_majority"]:
        supports = Counter(p["supports"] for p in passages(name))
        assert supports["wrong"] <= len(passages(name)) / 2
    for name, _ in by_error["wrong_source_not_first"]:
        assert passages(name)[0]["supports"] != "wrong"
    for name, error in by_error["support_label_wrong"]:
        for rank in error["passages"]:
            assert passages(name)[rank - 1]["supports"] != KEY_CONTEXTS[name]["supports"][rank - 1]
    for name, error in by_error["explicit_cue"]:
        text = " ".join(passages(name)[rank - 1]["text"] for rank in error["passages"])
        assert re.search(r"do not (state|specify)", text)
    for name, error in by_error["nothing_degraded"]:
        clean = {p["text"] for p in passages(name.replace("evidence_absence", "clean"))}
        assert all(passages(name)[rank - 1]["text"] in clean for rank in error["passages"])


def test_the_app_never_reads_the_key() -> None:
    sources = [path for room in ROOMS for path in (ROOT / room).rglob("*") if path.suffix in (".py", ".toml", ".js")]
    assert len(sources) > 40
    assert [path for path in sources if "answer_key" in path.read_text(encoding="utf-8")] == []
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    assert "/data/demo/answer_key.jsonl" in build["targets"]["wheel"]["exclude"]


def test_the_demo_is_open_and_says_why(finished_demo: Demo) -> None:
    found = metrics(finished_demo.study)
    assert (found.seal.is_open, found.seal.reason) == (True, "demo")
    assert found.n_labelled == found.n_drawn == 240
    assert all(e.value is not None for e in found.estimates)
    assert {label.label for label in agreement(finished_demo.study).labels} >= {"D", "A", "G", "C", "answerable"}


def test_a_newcomer_gets_work_of_every_kind(demo_copy: Study, desk: Any) -> None:
    with open_store(demo_copy) as store:
        newcomer = people.find(store, "demo-annotator")
    assert newcomer is not None
    first = desk(demo_copy, newcomer).view()
    assert (first["state"], first["pass"], first["label"]["name"]) == ("view", "evidence", "D")
    assert first["progress"]["of"] > 10
    seen = desk(demo_copy, newcomer).finish(lambda view: view["label"]["values"][0]["value"], limit=400)
    assert {view["pass"] for view in seen} == {"evidence", "correctness"}
    audit = desk(demo_copy, newcomer, "context").view()
    assert (audit["state"], audit["label"]["name"]) == ("view", "answerable")


def test_two_links_lead_in(finished_demo: Demo) -> None:
    links = {finished_demo.lead.link, finished_demo.annotator.link}
    assert len(links) == 2
    assert all(link.startswith("http://127.0.0.1:8501/in/") for link in links)
    assert (finished_demo.lead.role, finished_demo.annotator.role) == ("lead", "annotator")


def test_a_folder_with_a_study_is_left_alone(demo_copy: Study) -> None:
    before = {path: path.read_bytes() for path in demo_copy.path.rglob("*") if path.is_file()}
    with pytest.raises(StudyProblem, match="already holds a study"):
        make_demo(demo_copy.path, address="http://127.0.0.1:8501")
    assert {path: path.read_bytes() for path in demo_copy.path.rglob("*") if path.is_file()} == before
