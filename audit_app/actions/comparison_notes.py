"""What has to be said beside a comparison: what is missing, what was left out, where two ways disagree."""

from collections.abc import Iterator, Sequence

from audit_app.actions.comparable import Question
from audit_app.actions.compared import JUDGE, NAMED, Comparison, shown
from audit_app.language import _


def disagreeing(question: Question, found: Sequence[Comparison]) -> str | None:
    """Where a naive p value and its interval say different things, and which of them decides."""
    differ = [
        f"{one.metric} ({shown(one.first)} − {shown(one.second)})" for one in found if one.naive and one.naive.disagrees
    ]
    if not differ:
        return None
    which = (
        _("; ").join(differ) if len(differ) <= NAMED else _("{n_differ} naive differences").format(n_differ=len(differ))
    )
    return _(
        "{which}: p comes from flipping signs task by task and decides; the interval is "
        "Student's with tasks kept whole, and here only one of the two says that 0 is out of "
        "reach at {level:g} %."
    ).format(which=which, level=100 * question.level)


def notes(
    question: Question, found: Sequence[Comparison], known: Sequence[str | None], *, drawn: bool
) -> Iterator[str]:
    """What is missing or was left out."""
    yield from (note for note in known if note)
    if question.method is None and not drawn:
        yield _("Nothing is drawn yet, so there is no corrected difference: this is the judge's word alone.")
    refused = sum(one.corrected is not None and one.corrected.difference.value is None for one in found)
    if refused:
        yield _("{refused} of {n_found} corrected differences are refused or undefined; the table says why.").format(
            refused=refused, n_found=len(found)
        )
    most = max((one.n_unmatched for one in found), default=0)
    if most and any(one.naive for one in found):
        yield _(
            "Up to {most} responses of a comparison have no partner and are left out of its naive difference."
        ).format(most=most)
    if question.by == JUDGE and drawn:
        yield _("The corrected numbers rest on the same labels of people under every judge: they should agree.")
    if question.by == JUDGE and drawn and any(one.naive and one.naive.difference.n_dropped for one in found):
        yield (
            _(
                "Naive differences are over the pairs that both judges labelled usably; under each judge "
                "the naive number is over all responses that this judge labelled, so the two need not "
                "subtract to the difference."
            )
        )
