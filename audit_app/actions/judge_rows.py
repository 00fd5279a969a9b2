"""What is known of a judge, as rows of text."""

from audit_app.actions.judging import JudgeCheck
from audit_app.actions.wording import coefficient, with_interval


def judge_rows(check: JudgeCheck) -> list[dict[str, str]]:
    """One row per label: how the judge stands to people."""
    rows = []
    for label, found in check.labels.items():
        shares = {
            name: with_interval(share.value, share.low, share.high)
            for name, share in (
                ("sensitivity", found.sensitivity),
                ("specificity", found.specificity),
                ("accuracy", found.accuracy),
                ("always yes", found.always_yes),
            )
        }
        notes = [s.why_undefined for s in (found.sensitivity, found.specificity, found.kappa) if s.why_undefined]
        rows.append(
            {
                "label": label,
                **shares,
                "kappa": coefficient(found.kappa) if found.kappa.value is not None else "–",
                "n": str(found.n),
                "dropped": str(found.n_dropped),
                "note": "; ".join(notes),
            }
        )
    return rows
