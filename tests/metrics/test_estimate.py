import json

import pytest

from metrics.estimate import Estimate

FIELDS = (
    "metric slice method target population annotators contexts value low high level n n_effective n_dropped tier "
    "why_undefined"
)


def estimate(value: float | None, why: str | None) -> Estimate:
    return Estimate(
        metric="SES",
        slice={"model": "m"},
        method="corrected",
        target="A",
        value=value,
        low=None,
        high=None,
        level=0.95,
        n=3,
        n_effective=None,
        n_dropped=0,
        tier="direct",
        why_undefined=why,
    )


def test_the_json_form_has_exactly_the_agreed_fields() -> None:
    as_json = json.loads(json.dumps(estimate(0.2, None).as_dict()))
    assert list(as_json) == FIELDS.split()
    assert as_json["slice"] == {"model": "m"}
    assert as_json["population"] == "these responses"
    assert as_json["annotators"] == "these annotators"
    assert as_json["contexts"] == "all"


@pytest.mark.parametrize(("value", "why"), [(None, None), (0.2, "undefined: because")])
def test_a_value_and_a_reason_exclude_each_other(value: float | None, why: str | None) -> None:
    with pytest.raises(ValueError, match="exactly one"):
        estimate(value, why)
