"""What is known of people as raters, as rows of text."""

from audit_app.actions.raters import AgreementResult
from audit_app.actions.wording import coefficient

TITLES = {
    "percent_agreement": "percent",
    "krippendorff_alpha_nominal": "alpha",
    "krippendorff_alpha_ordinal": "alpha (ordinal)",
    "gwet_ac1": "AC1",
}


def agreement_rows(result: AgreementResult) -> list[dict[str, str]]:
    """One row per label: how well people agree."""
    rows = []
    for label in result.labels:
        rows.append(
            {
                "label": f"{label.label} ({label.title})",
                **{TITLES[found.name]: coefficient(found) for found in label.coefficients},
                "items": str(label.n_items),
                "dropped": str(label.n_dropped),
                "cannot judge": str(label.n_cannot_judge),
            }
        )
    return rows


def pair_rows(result: AgreementResult) -> list[dict[str, str]]:
    """One row per label and pair of people: Cohen's kappa."""
    return [
        {
            "label": label.label,
            "people": " · ".join(result.names.get(person, person) for person in pair["people"]),
            "Cohen's kappa": coefficient(pair["kappa"]),
            "items": str(pair["kappa"].n),
        }
        for label in result.labels
        for pair in label.pairs
    ]
