"""Auditing contexts: are they what the benchmark claims them to be."""

from audit_app.component import labelling


def render() -> None:
    """Draws the screen."""
    labelling("context")
