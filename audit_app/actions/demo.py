"""The demo study: everything imported, drawn and labelled, so that every screen has something to show."""

from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from audit_app.actions.importing import import_records
from audit_app.actions.people import Invited, add_person
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.seal import unseal
from audit_app.actions.studies import make_study
from data.store import people
from data.store.connection import open_store
from data.study import Study

PLAN = Plan(sample_id="demo", size=240, seed=7, overlap=0.4)
"""The draw that the scripted labels in data/demo were made for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """The demo study and the two links into it."""

    study: Study
    lead: Invited
    annotator: Invited


def make_demo(folder: Path, *, address: str) -> Demo:
    """Makes the demo study in a folder: two people can sign in, three scripted annotators have labelled already.

    Raises:
        StudyProblem: The folder holds a study already or cannot be written.
    """
    study = make_study(folder, name="Evidence Audit demo")
    with as_file(files("data").joinpath("demo")) as source:
        for kind in ("tasks", "contexts", "responses", "verdicts"):
            import_records(study, kind, source / f"{kind}.jsonl")
        draw_sample(study, PLAN)
        import_records(study, "labels", source / "labels.jsonl")
    unseal(study, "demo")
    lead = add_person(study, "Demo lead", role="lead", person_id="demo-lead", address=address)
    with open_store(study) as store:
        people.results_opened(store, lead.person_id)  # the link is announced as the one to results
    return Demo(
        study=study,
        lead=lead,
        annotator=add_person(study, "Fourth annotator", person_id="demo-annotator", address=address),
    )
