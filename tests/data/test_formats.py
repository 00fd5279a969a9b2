"""Other people's files, in the shapes in which their tools write them, with invented content."""

import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data.errors import Problem, StudyProblem
from data.formats import OWN, read_format, recognised, rows_of, shipped
from data.importers import read_records
from data.records import Context, Label, Passage, Quote, Response, Task, Verdict

Records = Callable[..., list[Any]]

REAL = Path(__file__).parents[3] / "shared" / "real"


@pytest.fixture
def records(tmp_path: Path) -> Records:
    """What is read off a file that nobody said anything about."""

    def records(kind: str, name: str, content: Any, expected: str, *, pairs: tuple[str, ...] = ()) -> list[Any]:
        path = tmp_path / name
        if isinstance(content, list) and name.endswith(".jsonl"):
            content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in content)
        text = content if isinstance(content, str | bytes) else json.dumps(content, ensure_ascii=False)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        found = recognised(path, kind)
        assert found.name == expected
        read, problems = read_records(kind, path, found.mappings(kind, pairs), rows_of(found, path))
        assert problems == []
        return [record for _, record in read]

    return records


# --- Ragas: EvaluationDataset.to_jsonl writes the fields that are not None, to_csv Python lists in cells ---

RAGAS = [
    {
        "user_input": "Which lake lies north?",
        "retrieved_contexts": ['It\'s the "Grünsee".', "007"],
        "response": "Grünsee",
        "reference": "Grünsee",
    },
    {"user_input": "How many bells?", "retrieved_contexts": ["four\nbells"], "response": "", "reference": "4"},
]


def test_ragas_sets_are_told_and_read(records: Records) -> None:
    assert records("tasks", "a.jsonl", RAGAS, "ragas") == [
        Task(task_id="1", question="Which lake lies north?", gold_answer="Grünsee"),
        Task(task_id="2", question="How many bells?", gold_answer="4"),
    ]
    [first, second] = records("contexts", "a.jsonl", RAGAS, "ragas")
    assert [p.text for p in first.passages] == RAGAS[0]["retrieved_contexts"]
    assert (second.context_id, second.task_id, second.passages[0].text) == ("2", "2", "four\nbells")
    assert records("responses", "a.jsonl", RAGAS, "ragas")[1] == Response(response_id="2", context_id="2", text="")


def test_ragas_csv_holds_lists_as_python_writes_them(records: Records) -> None:
    import csv
    from io import StringIO

    out = StringIO(newline="")
    writer = csv.DictWriter(out, list(RAGAS[0]))
    writer.writeheader()
    writer.writerows(RAGAS)
    found = records("contexts", "a.csv", out.getvalue(), "ragas")
    assert [[p.text for p in context.passages] for context in found] == [row["retrieved_contexts"] for row in RAGAS]


def test_ragas_names_before_version_0_2(records: Records) -> None:
    old = [{"question": "Which?", "contexts": ["a"], "answer": "x", "ground_truth": "y"}]
    assert records("tasks", "a.json", old, "ragas") == [Task(task_id="1", question="Which?", gold_answer="y")]
    assert records("responses", "a.json", old, "ragas")[0].text == "x"


def test_ragas_several_ground_truths_are_the_gold_answer_and_its_aliases(records: Records) -> None:
    old = [{"question": "Which?", "contexts": ["a"], "answer": "x", "ground_truths": ["g1", "g2"]}]
    [task] = records("tasks", "a.json", old, "ragas")
    assert (task.gold_answer, task.gold_aliases) == ("g1", ("g2",))


# --- DeepEval: a saved data set in snake_case, a test run in camelCase ---

DEEPEVAL = [
    {
        "input": "Which lake?", "actual_output": "Grünsee", "expected_output": "Grünsee", "retrieval_context": None,
        "context": ["It is the Grünsee."], "name": None, "comments": None, "source_file": None, "tools_called": None,
        "expected_tools": None, "additional_metadata": None, "custom_column_key_values": None,
    },
]  # fmt: skip

TEST_RUN = {
    "testFile": None,
    "testCases": [
        {
            "name": "test_case_0", "input": "Which lake?", "actualOutput": "Grünsee", "expectedOutput": "Grünsee",
            "retrievalContext": ["It is the Grünsee.", "There are two."], "success": False, "runDuration": 1.25,
            "metricsData": [
                {"name": "Answer Relevancy", "threshold": 0.5, "success": True, "score": 1.0, "reason": "On topic."},
                {"name": "Faithfulness", "threshold": 0.5, "success": False, "score": 0.0, "reason": "Not said.",
                 "strictMode": False, "evaluationModel": "gpt-4.1", "error": None, "evaluationCost": 0.001},
            ],
            "order": 0,
        },
    ],
    "conversationalTestCases": [],
    "metricsScores": [],
}  # fmt: skip


def test_deepeval_data_sets_and_test_runs_are_told_and_read(records: Records) -> None:
    for name, content in (("set.json", DEEPEVAL), ("run.json", TEST_RUN)):
        assert records("tasks", name, content, "deepeval") == [
            Task(task_id="1", question="Which lake?", gold_answer="Grünsee")
        ]
        assert records("contexts", name, content, "deepeval")[0].passages[0].text == "It is the Grünsee."
        assert records("responses", name, content, "deepeval") == [
            Response(response_id="1", context_id="1", text="Grünsee")
        ]


@pytest.mark.parametrize(
    ("columns", "texts"),
    [
        ("It is the Grünsee.|There are two.,", ["It is the Grünsee.", "There are two."]),
        (",[1] One|[2] Two", ["[1] One", "[2] Two"]),
        ('"[""a|b""]",x', ["a|b"]),
    ],
)
def test_deepeval_csv_joins_passages_with_a_bar(records: Records, columns: str, texts: list[str]) -> None:
    content = f"input,actual_output,expected_output,retrieval_context,context\nWhich?,x,y,{columns}\n"
    [context] = records("contexts", "set.csv", content, "deepeval")
    assert [passage.text for passage in context.passages] == texts


def test_deepeval_faithfulness_is_a_verdict_on_groundedness(records: Records) -> None:
    assert records("verdicts", "run.json", TEST_RUN, "deepeval") == [
        Verdict(
            response_id="1", judge="DeepEval Faithfulness", judge_model="gpt-4.1", G=0, rationale="Not said."
        )
    ]  # fmt: skip


# --- Inspect: log format version 2, as JSON and as an archive of samples ---

ABOUT = {"run_id": "r", "created": "2026-05-04T12:53:13-04:00", "task": "lakes", "task_id": "x", "model": "openai/wren"}


def sample(epoch: int, value: Any, **more: Any) -> dict[str, Any]:
    return {
        "id": 1,
        "epoch": epoch,
        "input": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "Which lake?"}, {"type": "image", "image": "data:"}]},
        ],
        "target": ["Grünsee", "the green lake"],
        "messages": [],
        "output": {
            "model": "wren",
            "choices": [{"message": {"content": f"Grünsee {epoch}", "role": "assistant"}, "stop_reason": "stop"}],
        },
        "scores": {"match": {"value": value, "answer": "Grünsee", "explanation": "As asked."}},
        "metadata": {"contexts": ["It is the Grünsee."]},
        **more,
    }


FAILED = sample(4, "N", output={"model": "wren", "choices": []}, error={"message": "timed out"})
SAMPLES = [sample(1, "C"), sample(2, "I"), sample(3, "P"), FAILED]


def archive(path: Path, *names: str) -> bytes:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as log:
        log.writestr("_journal/start.json", json.dumps({"version": 2, "eval": ABOUT, "plan": {}}))
        for one in SAMPLES:
            log.writestr(f"samples/{one['id']}_epoch_{one['epoch']}.json", json.dumps(one, ensure_ascii=False))
        for name in names:
            log.writestr(name, json.dumps({"version": 2, "status": "success", "eval": ABOUT, "results": {}}))
        log.writestr("summaries.json", "[]")
    return path.read_bytes()


@pytest.mark.parametrize("form", ["json", "eval", "unfinished"])
def test_inspect_logs_are_told_and_read(records: Records, tmp_path: Path, form: str) -> None:
    content: Any = {"version": 2, "status": "success", "eval": ABOUT, "plan": {}, "samples": SAMPLES}
    if form != "json":
        content = archive(tmp_path / "made.zip", *(["header.json"] if form == "eval" else []))
    name = "log.json" if form == "json" else "log.eval"
    tasks = records("tasks", name, content, "inspect")
    aliases = ("Grünsee", "the green lake")
    assert tasks[0] == Task(task_id="lakes/1", question="Which lake?", gold_answer="Grünsee", gold_aliases=aliases)
    responses = records("responses", name, content, "inspect")
    assert [(r.response_id, r.model, r.run, r.text) for r in responses] == [
        (f"lakes/1/openai/wren/{n}", "openai/wren", str(n), f"Grünsee {n}" if n < 4 else "") for n in (1, 2, 3, 4)
    ]
    assert records("contexts", name, content, "inspect")[0].passages[0].text == "It is the Grünsee."
    verdicts = records("verdicts", name, content, "inspect")
    assert [(v.judge, v.C, v.rationale) for v in verdicts] == [("match", C, "As asked.") for C in (1, 0, None, 0)]
    linked = records("responses", name, content, "inspect", pairs=("context_id=item",))
    assert {r.context_id for r in linked} == {"lakes/1"}


@pytest.mark.parametrize("form", ["json", "eval"])
def test_every_problem_of_a_log_names_its_sample(tmp_path: Path, form: str) -> None:
    bad = [sample(1, "C", input=None), sample(2, "C"), sample(3, "perhaps"), 7]
    path = tmp_path / f"log.{form}"
    path.write_text(json.dumps({"version": 2, "eval": ABOUT, "samples": bad}))
    if form == "eval":
        with zipfile.ZipFile(path, "w") as log:
            log.writestr("header.json", json.dumps({"eval": ABOUT}))
            for n, one in enumerate(bad):
                log.writestr(f"samples/{n}.json", json.dumps(one))
    found = read_format("inspect")
    places = [f"{path}:1"] * 4 if form == "json" else [f"{path}/samples/{n}.json" for n in range(4)]
    last = "sample 4, epoch 1" if form == "json" else "sample 1, epoch 1"
    expected = {
        "tasks": ([1, 2], [f"{places[0]} (sample 1, epoch 1)", f"{places[3]} ({last})"]),
        "verdicts": ([1, 2], [f"{places[2]} (sample 1, epoch 3)", f"{places[3]} ({last})"]),
    }
    for kind, (_, where) in expected.items():
        read, problems = read_records(kind, path, found.mappings(kind), rows_of(found, path))
        assert [problem.where for problem in problems] == where
        assert len(read) == 2


@pytest.mark.parametrize("form", ["json", "null", "eval"])
def test_a_log_without_samples_says_so_and_what_to_do(tmp_path: Path, form: str) -> None:
    path = tmp_path / ("log.eval" if form == "eval" else "log.json")
    header = {"version": 2, "status": "success", "eval": ABOUT, "plan": {}, "results": {}}
    path.write_text(json.dumps(header | ({"samples": None} if form == "null" else {})))
    if form == "eval":
        with zipfile.ZipFile(path, "w") as log:
            log.writestr("header.json", json.dumps(header))
    found = recognised(path, "responses")
    assert found.name == "inspect"
    [problem] = read_records("responses", path, found.mappings("responses"), rows_of(found, path))[1]
    assert "a log without samples" in str(problem)
    assert "without --header-only" in str(problem)


def test_texts_that_inspect_keeps_as_attachments_are_put_back(records: Records) -> None:
    one = sample(1, "C", input="attachment://abc", attachments={"abc": "A long question?"})
    assert records("tasks", "a.json", {"eval": ABOUT, "samples": [one]}, "inspect")[0].question == "A long question?"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"PK\x03\x04 rubbish", "not a whole Inspect log"),
        (b"", "not a whole Inspect log"),
        ({"other.json": "{}"}, "no header.json"),
        ({"header.json": "{}"}, "no header.json with an object `eval`"),
        ({"header.json": "[1"}, "not a whole Inspect log"),
    ],
)
def test_what_is_no_inspect_log_is_refused(tmp_path: Path, content: Any, sentence: str) -> None:
    path = tmp_path / "a.eval"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        with zipfile.ZipFile(path, "w") as log:
            for name, text in content.items():
                log.writestr(name, text)
    with pytest.raises(StudyProblem, match=sentence):
        list(rows_of(read_format("inspect"), path))


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="this Python can unpack Zstandard")
def test_an_archive_packed_in_a_newer_way_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    packed = bytearray(archive(tmp_path / "made.zip", "header.json"))
    # Number 93 is Zstandard, which Inspect can write and Python reads from 3.14 on.
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        start = packed.find(mark)
        while start >= 0:
            packed[start + place] = 93
            start = packed.find(mark, start + 1)
    path.write_bytes(packed)
    with pytest.raises(StudyProblem, match="write it as JSON with `inspect log convert --to json`"):
        list(rows_of(read_format("inspect"), path))


def test_broken_samples_of_an_inspect_log_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w") as log:
        log.writestr("header.json", json.dumps({"eval": ABOUT}))
        log.writestr("samples/1_epoch_1.json", '{"id": 1, "ep')
        log.writestr("samples/2_epoch_1/sample.json", "{}")
        log.writestr("samples/3_epoch_1.json", json.dumps(sample(1, "C")))
    found = read_format("inspect")
    records, problems = read_records("responses", path, found.mappings("responses"), rows_of(found, path))
    assert len(records) == 1
    assert [(p.where, p.message.split("(")[0]) for p in problems] == [
        (f"{path}/samples/1_epoch_1.json", "not a whole sample "),
        (f"{path}/samples/2_epoch_1/sample.json", "a sample in pieces "),
    ]


# --- Label Studio: JSON export; completed_by is a number, or an object with an e-mail ---


def choice(tag: str, *choices: str) -> dict[str, Any]:
    return {"id": "a1", "from_name": tag, "to_name": "answer", "type": "choices", "value": {"choices": [*choices]}}


MARKED = {
    "id": "b2", "from_name": "G", "to_name": "passage", "type": "labels",
    "value": {"start": 3, "end": 9, "text": "Grünsee", "labels": ["established"]},
}  # fmt: skip


def annotation(who: Any, *results: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "id": 1001, "completed_by": who, "result": [*results], "was_cancelled": False, "ground_truth": False,
        "created_at": "2021-03-09T22:16:08.728353Z", "updated_at": "2021-03-09T22:16:08.728378Z", "lead_time": 4.288,
        "result_count": len(results), "task": 1, **more,
    }  # fmt: skip


LABEL_STUDIO = [
    {
        "id": 1, "created_at": "2021-03-09T21:52:49.513742Z", "updated_at": "2021-03-09T22:16:08.746926Z",
        "project": 83, "data": {"response_id": "r1", "answer": "Grünsee"}, "predictions": [],
        "annotations": [
            annotation(10, choice("D", "yes"), choice("A", "no")),
            annotation({"id": 7, "email": "ann@example.org", "first_name": ""}, choice("codes", "b", "a"), MARKED),
            annotation(11, was_cancelled=True),
        ],
    },
]  # fmt: skip


def test_label_studio_labels_keep_their_time_and_annotator(records: Records) -> None:
    found = records("labels", "export.json", LABEL_STUDIO, "label_studio")
    time = "2021-03-09T22:16:08.728353+00:00"

    def label(person: str, **more: Any) -> Label:
        return Label(item_id="r1", item_kind="response", person_id=person, created_at=time, **more)

    quote = Quote(text="Grünsee", start=3, end=9)
    assert found == [
        label("10", label="D", value="yes", active_seconds=4.288),
        label("10", label="A", value="no"),
        label("ann@example.org", label="codes", value='["b", "a"]', active_seconds=4.288),
        label("ann@example.org", label="G", value="established", evidence=(quote,)),
        label("11", reason="other: skipped in Label Studio", active_seconds=4.288),
    ]


def region(kind: str, tag: str, label: str, text: str | None, **more: Any) -> dict[str, Any]:
    value = {"text": text, kind: [label], **more.pop("value", {})} if text is not None else {kind: [label]}
    return {"id": "c3", "from_name": tag, "to_name": "passage", "type": kind, "value": value, **more}


def test_marks_of_label_studio_go_with_the_answer_they_are_made_for(records: Records) -> None:
    per_region = choice("G", "established")
    per_region["id"] = "x"
    results = [
        per_region,
        region("labels", "spans", "Evidence", "one", id="x", value={"start": 1, "end": 4}),
        choice("A", "yes"),
        region("hypertextlabels", "spans", "A", "two", value={
            "start": "/p[1]/text()[1]", "startOffset": 3, "end": "/p[1]/text()[1]", "endOffset": 6,
            "globalOffsets": {"start": 13, "end": 16}}),
        region("hypertextlabels", "A", "other", "three", value={"start": "/p[1]", "startOffset": 3, "end": "/p[1]"}),
        region("paragraphlabels", "turns", "Agent", "four", value={"start": "0", "end": "1", "startOffset": 2}),
        region("labels", "spans", "Evidence", "five", value={"start": 0, "end": 4}),
        region("labels", "spans", "Evidence", "six", value={"start": 5, "end": 8}),
        region("rectanglelabels", "boxes", "Figure", None),
        {"from_id": "x", "to_id": "y", "type": "relation", "direction": "right"},
    ]  # fmt: skip
    rows = [{**LABEL_STUDIO[0], "annotations": [annotation(10, *results)]}]
    found = [(one.label, one.value, one.evidence) for one in records("labels", "e.json", rows, "label_studio")]
    assert found == [
        ("G", "established", (Quote(text="one", start=1, end=4),)),
        ("A", "yes", (Quote(text="two", start=13, end=16), Quote(text="three"))),
        ("turns", "Agent", (Quote(text="four"),)),
        ("spans", "Evidence", (Quote(text="five", start=0, end=4), Quote(text="six", start=5, end=8))),
        ("boxes", "Figure", ()),
        ("relations", None, ()),
    ]


@pytest.mark.parametrize(
    ("name", "row", "places"),
    [
        (
            "label_studio",
            {"id": 5, "data": {}, "annotations": [annotation(1, {"value": 7}), 3, annotation(2, choice("D", "x"))]},
            ["task 5, annotation 1001", "task 5, annotation 2"],
        ),
        ("deepeval", {"testCases": [7, {"name": "a", "input": "?", "actualOutput": "x"}]}, ["testCases.0"]),
        (
            "argilla",
            {"items": [{"id": "s1", "responses": {"D": 7}}, 7, {"responses": {"D": [{"value": "1", "user_id": "u"}]}}]},
            ["record s1", "record 2"],
        ),
    ],
)  # fmt: skip
def test_a_fault_inside_a_row_has_its_place_and_leaves_the_rest(
    tmp_path: Path, name: str, row: dict[str, Any], places: list[str]
) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(row))
    found = list(rows_of(read_format(name), path))
    assert [one.where for one in found if isinstance(one, Problem)] == [f"{path}:1 ({place})" for place in places]
    assert len(found) == len(places) + 1


def test_other_control_tags_are_named_in_a_mapping_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        'extends = "label_studio"\n[labels]\nitem_id = "data.answer"\n'
        'label = { from = "label", values = { D = "G" } }\n'
    )
    path = tmp_path / "a.json"
    path.write_text(json.dumps(LABEL_STUDIO))
    mine = read_format(str(tmp_path / "mine.toml"))
    read, problems = read_records("labels", path, mine.mappings("labels"), rows_of(mine, path))
    assert problems == []
    assert [(r.item_id, r.person_id, r.label) for _, r in read][:2] == [("Grünsee", "10", "G"), ("Grünsee", "10", "A")]


# --- Argilla: the SDK's records, flattened records, and what the server answers ---

ONE, TWO = "3fa85f64-5717-4562-b3fc-2c963f66afa6", "9b2c6a1e-0000-4562-b3fc-2c963f66afa6"

ARGILLA_SDK = [
    {
        "id": "r1", "fields": {"answer": "Grünsee"}, "metadata": {}, "vectors": {}, "_server_id": "s1",
        "suggestions": {"D": {"value": "no", "score": 0.9, "agent": "x"}},
        "responses": {"D": [{"value": "yes", "user_id": ONE}, {"value": "no", "user_id": TWO}],
                      "codes": [{"value": ["a", "b"], "user_id": ONE}]},
    },
]  # fmt: skip

ARGILLA_FLAT = [
    {
        "id": "r1", "status": "completed", "_server_id": "s1", "answer": "Grünsee", "D.responses": ["yes", "no", "yes"],
        "D.responses.users": [ONE, TWO, ONE], "D.responses.status": ["submitted", "submitted", "draft"],
        "D.suggestion": "no", "D.suggestion.score": 0.9, "D.suggestion.agent": None,
    },
]  # fmt: skip


def answered(who: str, status: str, values: Any) -> dict[str, Any]:
    times = {"inserted_at": "2026-05-04T13:37:00.5", "updated_at": "2026-05-04T13:40:00+02:00"}
    return {"id": "x", "values": values, "status": status, "record_id": "s1", "user_id": who, **times}


ARGILLA_SERVER = {
    "items": [
        {
            "id": "s1", "status": "completed", "external_id": "r1", "fields": {"answer": "Grünsee"}, "metadata": None,
            "responses": [
                answered(ONE, "submitted", {"D": {"value": "yes"}, "A": {"value": 1}}),
                answered(TWO, "discarded", None),
                answered("third", "draft", {"D": {"value": "no"}}),
            ],
            "suggestions": [],
        },
    ],
    "total": 1,
}  # fmt: skip


def test_argilla_records_are_told_and_read(records: Records) -> None:
    def said(name: str, content: Any) -> list[tuple[str, ...]]:
        found = records("labels", name, content, "argilla")
        assert {(label.item_id, label.item_kind) for label in found} == {("r1", "response")}
        return [(label.person_id, label.label, label.value) for label in found]

    assert said("a.json", ARGILLA_SDK) == [(ONE, "D", "yes"), (TWO, "D", "no"), (ONE, "codes", '["a", "b"]')]
    assert said("a.jsonl", ARGILLA_FLAT) == [(ONE, "D", "yes"), (TWO, "D", "no")]
    assert said("s.json", ARGILLA_SERVER) == [(ONE, "D", "yes"), (ONE, "A", "1"), (TWO, None, None)]


def test_argilla_server_records_keep_their_times_and_skips(records: Records) -> None:
    first, _, skip = records("labels", "s.json", ARGILLA_SERVER, "argilla")
    assert first.created_at == "2026-05-04T11:40:00+00:00"
    assert (skip.reason, skip.person_id) == ("other: discarded in Argilla", TWO)


@pytest.mark.parametrize(
    ("name", "row", "sentence"),
    [
        ("label_studio", {"data": {}, "annotations": {"a": "b"}}, "annotations is an object; expected a list"),
        ("label_studio", {"data": {}, "annotations": [{"result": [{"value": 7}]}]}, "value is text; expected"),
        ("argilla", {"D.responses": ["yes"], "D.responses.users": []}, "not two lists of one length"),
        ("inspect", {"eval": [], "samples": []}, "eval is a list; expected an object"),
    ],
)  # fmt: skip
def test_a_row_that_is_not_as_its_tool_writes_it_is_a_problem(
    tmp_path: Path, name: str, row: dict[str, Any], sentence: str
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(row) + "\n")
    [problem] = rows_of(read_format(name), path)
    assert sentence in str(problem)


# --- Public data sets: an invented slice in the same shape, and the real files where they are ---

RAMDOCS = [
    {
        "item": "ram001", "question": "Where is it?", "disambig_entity": ["A"], "wrong_answers": ["Y"],
        "gold_answers": ["X", "Z"],
        "documents": [
            {"text": "It is in X.", "type": "correct", "answer": "X"},
            {"text": "It is in Y.", "type": "misinfo", "answer": "Y"},
            {"text": "A hill.", "type": "noise", "answer": "unknown"},
            {"text": "It is in Z.", "type": "correct", "answer": "Z"},
        ],
    },
    {
        "item": "ram002", "question": "Who?", "disambig_entity": ["B"], "wrong_answers": [], "gold_answers": ["V"],
        "documents": [{"text": "V did.", "type": "correct", "answer": "V"}],
    },
]  # fmt: skip


def test_ramdocs_rows_give_a_context_per_condition_that_they_have_documents_for(records: Records) -> None:
    found = records("contexts", "ramdocs.jsonl", RAMDOCS, "ramdocs")
    assert [(c.context_id, c.condition, [(p.text, p.supports) for p in c.passages]) for c in found] == [
        ("ram001/clean", "clean", [("It is in X.", "gold"), ("It is in Z.", "gold")]),
        ("ram001/direct_conflict", "direct_conflict",
         [("It is in X.", "gold"), ("It is in Y.", "wrong"), ("It is in Z.", "gold")]),
        ("ram001/evidence_absence", "evidence_absence", [("A hill.", "neither")]),
        ("ram002/clean", "clean", [("V did.", "gold")]),
    ]  # fmt: skip
    first = records("tasks", "ramdocs.jsonl", RAMDOCS, "ramdocs")[0]
    assert first == Task(task_id="ram001", question="Where is it?", gold_answer="X", gold_aliases=("X", "Z"))


def test_poisonedrag_rows_give_the_false_passages(records: Records) -> None:
    rows = [
        {"item": "nq-1", "source": "nq", "question": "Who?", "gold": "23", "counter": "24", "adv_texts": ["a", "b"]}
    ]
    wrong = [Passage(passage_id=str(n), rank=n, text=text, supports="wrong") for n, text in enumerate("ab", 1)]
    assert records("contexts", "p.jsonl", rows, "poisonedrag") == [
        Context(context_id="nq-1", task_id="nq-1", passages=tuple(wrong))
    ]
    assert records("tasks", "p.jsonl", rows, "poisonedrag")[0].gold_answer == "23"


def test_nomiracl_rows_give_a_context_and_an_answer_of_every_model(records: Records) -> None:
    rows = [
        {"item": f"ar-{subset}-1", "lang": "ar", "subset": subset, "human_any_relevant": subset == "relevant",
         "question": "ما هي اللغة؟", "contexts": ["إندونيسيا", "二"], "docids": ["1#0", "2#0"],
         "responses": {"gpt-4": "I don't know", "aya": ""}}
        for subset in ("non_relevant", "relevant")
    ]  # fmt: skip
    found = records("contexts", "n.jsonl", rows, "nomiracl")
    assert [(c.condition, {p.supports for p in c.passages}) for c in found] == [
        ("evidence_absence", {"neither"}), ("clean", {None})
    ]  # fmt: skip
    assert records("responses", "n.jsonl", rows, "nomiracl")[:2] == [
        Response(response_id=f"ar-non_relevant-1/{model}", context_id="ar-non_relevant-1", model=model, text=text)
        for model, text in (("gpt-4", "I don't know"), ("aya", ""))
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "file", "counts"),
    [
        ("openqa_nq301", "items.jsonl", {"tasks": 1490, "responses": 1490, "verdicts": 4470, "labels": 4470}),
        ("ramdocs", "ramdocs_test.jsonl", {"tasks": 500, "contexts": 1075}),
        ("poisonedrag", "poisonedrag.jsonl", {"tasks": 300, "contexts": 300}),
        ("nomiracl", "items_ar-hi.jsonl", {"tasks": 172, "contexts": 172, "responses": 1892}),
    ],
)
def test_the_real_files_are_read_without_a_problem(name: str, file: str, counts: dict[str, int]) -> None:
    path = REAL / name / file
    if not path.is_file():
        pytest.skip(f"the real file is not there: {path}")
    for kind, n in counts.items():
        found = recognised(path, kind)
        assert found.name == name
        records, problems = read_records(kind, path, found.mappings(kind), rows_of(found, path))
        assert (len(records), problems) == (n, [])


# --- Telling ---


def test_our_own_names_are_told_first_and_what_is_unknown_is_taken_for_them(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    for row in ({"task_id": "t", "question": "?", "user_input": "x", "reference": "y"}, {"a": "b"}, None):
        path.write_text(json.dumps(row) + "\n" if row else "")
        assert recognised(path, "tasks") is OWN


def test_a_format_that_does_not_hold_such_records_says_what_it_holds(tmp_path: Path) -> None:
    with pytest.raises(StudyProblem, match=r"no \[tasks\] section \(Label Studio export gives labels\)"):
        read_format("label_studio").mappings("tasks")


@pytest.mark.parametrize("name", shipped())
def test_every_shipped_format_has_a_title_and_marks_of_its_own(name: str) -> None:
    found = read_format(name)
    assert found.title != name
    assert found.marks
    assert found.sections


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('extends = "nothing"\n', "extends = 'nothing'; expected one of argilla"),
        ("[tasks]\nwhere = 'x'\n", "expected a table like"),
        ("[tasks]\nquestion = { from = 'x' }\n", "expected \"their_field\""),
        ("[tasks]\nquestion = []\n", "expected \"their_field\""),
    ],
)  # fmt: skip
def test_a_faulty_format_is_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "m.toml"
    path.write_text(text)
    with pytest.raises(StudyProblem, match=sentence):
        read_format(str(path))
