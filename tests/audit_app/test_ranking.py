"""The models as a judge and people have them: those that a judge does not tell apart have no order."""

from audit_app.actions.ranking import beside_people
from metrics.estimate import Estimate, Method


def numbers(method: Method, values: dict[str, float]) -> list[Estimate]:
    return [
        Estimate(
            metric="Acc", slice={"model": model}, method=method, target=None, value=value, low=None, high=None,
            level=None, n=9, n_effective=None, n_dropped=0, tier=None, why_undefined=None,
        )
        for model, value in values.items()
    ]  # fmt: skip


def test_models_that_tie_are_put_into_no_order() -> None:
    naive = numbers("naive", {"wren": 1.0, "larch": 1.0 - 1e-15, "fern": 0.4})
    corrected = numbers("corrected", {"wren": 0.6, "larch": 0.5, "fern": 0.4})
    found = beside_people("kind", "Acc", naive + corrected)
    assert found is not None
    assert found.first_order == ("larch = wren", "fern")
    assert found.second_order == ("wren", "larch", "fern")
