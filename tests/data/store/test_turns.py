"""One run at a time, and whoever dies gives its turn back."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from data.errors import StudyProblem
from data.store.turns import FOLDER, turns
from data.study import Study

ROOT = Path(__file__).parents[3]
HOLDS = """
import sys, time
from pathlib import Path
from data.store.turns import turns
from data.study import open_study
with turns(open_study(Path(sys.argv[1])), ["b"]):
    print("taken", flush=True)
    time.sleep(600)
"""


def test_what_one_has_no_other_gets_and_all_of_it_or_nothing(study: Study) -> None:
    with turns(study, ["a", "b"]) as busy:
        assert busy is None
        with turns(study, ["b", "c"]) as second:
            assert second == "b"
            with turns(study, ["c"]) as third:
                assert third is None
        with turns(study, ["d"]) as other:
            assert other is None
    with turns(study, ["b", "c", "b"]) as again:
        assert again is None
    assert {file.stat().st_size for file in (study.path / FOLDER).iterdir()} == {0}


def test_a_run_that_was_killed_has_no_turn_any_more(study: Study) -> None:
    command = [sys.executable, "-c", HOLDS, str(study.path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "taken\n"
        with turns(study, ["a", "b"]) as busy:
            assert busy == "b"
        os.kill(process.pid, signal.SIGKILL)
        process.wait(60)
    with turns(study, ["a", "b"]) as busy:
        assert busy is None


def test_a_folder_that_cannot_be_made_is_said(study: Study) -> None:
    (study.path / FOLDER).write_text("")
    with pytest.raises(StudyProblem, match="cannot write in"), turns(study, ["a"]):
        pass
