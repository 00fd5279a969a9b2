"""How many hours of reading and labelling a plan costs its annotators."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long things take one person, in seconds, and how often they are done."""

    read_context: float = 60.0
    read_response: float = 20.0
    label: float = 6.0
    labels_per_context: int = 1
    labels_per_response: int = 4
    passes: int = 2
    """Times that each person goes through the items; every pass reads context and response again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """Expected work of all annotators together."""

    hours: float
    context_readings: float
    response_readings: float
    rereading_hours: float
    """The part of the hours that goes into reading again in later passes what was read in the first."""


def effort(
    n_responses: int,
    n_contexts: int,
    *,
    overlap: float = 0.25,
    people: int = 2,
    repeats: float = 0.0,
    pace: Pace | None = None,
) -> Effort:
    """Expected hours for a plan in which a context's responses are read together.

    Everybody who has an item of a context reads the context, in every pass. The second and further people of the
    overlap read a context when at least one of its c = n_responses / n_contexts responses is in the overlap, which a
    random share s makes so with probability 1 - (1 - s)^c. A hidden repeat costs a reading of its context and its
    response, and its labels.

    Args:
        n_responses: Responses in the sample.
        n_contexts: Contexts in the sample.
        overlap: Share in [0, 1] of the responses that goes to `people`; the others go to one person.
        people: Annotators of an item in the overlap.
        repeats: Share in [0, 1] of an annotator's responses that they see again.
        pace: Seconds per reading and label.

    Raises:
        ValueError: A number is negative, a share is outside [0, 1], or there are responses without a context.

    >>> round(effort(400, 200).hours, 1)
    19.0
    """
    _check(n_responses, n_contexts, overlap, people, repeats)
    pace = pace or Pace()
    responses = n_responses * (1 + overlap * (people - 1))
    touched = 1 - (1 - overlap) ** (n_responses / n_contexts) if n_contexts else 0.0
    first_contexts = n_contexts * (1 + touched * (people - 1))
    contexts = first_contexts + repeats * responses
    responses *= 1 + repeats
    reading = contexts * pace.read_context + responses * pace.read_response
    labelling = pace.label * (first_contexts * pace.labels_per_context + responses * pace.labels_per_response)
    return Effort(
        hours=(pace.passes * reading + labelling) / 3600,
        context_readings=pace.passes * contexts,
        response_readings=pace.passes * responses,
        rereading_hours=max(0, pace.passes - 1) * reading / 3600,
    )


def _check(n_responses: int, n_contexts: int, overlap: float, people: int, repeats: float) -> None:
    if min(n_responses, n_contexts) < 0 or people < 1 or (n_responses and not n_contexts):
        raise ValueError(
            f"{n_responses} responses in {n_contexts} contexts for {people} people: expected numbers of 0 or more, a "
            "context for every response, and at least 1 person"
        )
    for name, share in (("overlap", overlap), ("repeats", repeats)):
        if not 0 <= share <= 1:
            raise ValueError(f"{name} is {share}; expected a share from 0 to 1")
