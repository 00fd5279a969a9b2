"""Labelling responses: evidence and correctness, whichever this person's next question belongs to."""

from audit_app.component import labelling


def render() -> None:
    """Draws the screen."""
    labelling("label")
