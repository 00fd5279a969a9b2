"""An estimate with all that a reader may ask of it; what of this may be seen while results are sealed."""

from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from audit_app.actions.answered import Grounding
from audit_app.language import _
from metrics.definitions import METRICS
from metrics.estimate import Estimate
from metrics.nonresponse import Bounds
from metrics.share import Share
from metrics.table import Average
from metrics.uncertainty import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class DetailedEstimate(Estimate):
    """An estimate, and how it came to be; the fields are the fields of its JSON form, after those of an estimate."""

    scale: int = 1
    """Highest possible value: 1 for a share, 2 for a diagnostic."""
    average: Average = "pooled"
    grounding: Grounding | None = None
    """How the label G was read; None for what does not read it, and for the judge's own."""
    se: float | None = None
    """Standard error; None for the naive number."""
    interval: Kind | None = None
    """How the interval was made; None when there is none."""
    interval_reason: str | None = None
    """The diagnostic that chose the kind of interval; None where there was no choice."""
    homogeneity: str | None = None
    """Beside a borrowed value: whether the judge errs alike where the labels come from."""
    n_denominator: int | None = None
    """Of the labelled rows used, those that count in the denominator; None for the naive number and for none."""
    bounds: Bounds | None = None
    """Where the value would lie if every unusable label had gone one way or the other; None without unusable ones."""

    @classmethod
    def of(cls, estimate: Estimate, share: Share, *, average: Average, grounding: Grounding) -> Self:
        """An estimate with what is known of the way to it."""
        own: dict[str, Any] = {name: getattr(estimate, name) for name in Estimate.__dataclass_fields__}
        reads_g = estimate.method != "naive" and "G" in METRICS[estimate.metric].reads
        return cls(**own, average=average, grounding=grounding if reads_g else None, **_way(share))

    @classmethod
    def of_mean(cls, share: Share, *, scale: int, **about: Any) -> Self:
        """A mean score on a scale, with what is known of the way to it; `about` are fields of an estimate."""
        own = {name: getattr(share, name) for name in ("value", "low", "high", "n", "n_effective", "n_dropped", "tier")}
        return cls(**own, why_undefined=share.why_undefined, scale=scale, **about, **_way(share))

    def as_dict(self) -> dict[str, object]:
        """The fields as plain values, ready for JSON."""
        plain = Estimate.as_dict(self)
        if self.bounds is not None:
            plain["bounds"] = {k: v for k, v in asdict(self.bounds).items() if k not in ("metric", "slice")}
        return plain

    def sealed(self) -> Self:
        """The same estimate without its place: how wide it is may be known, where it lies may not.

        The kind of interval goes too: an exact one says that nothing, or everything, was seen.
        """
        if self.tier == "refused":
            # How many labels count in a denominator is itself a result.
            reason = _("sealed; too few labels for a number so far")
        elif self.value is None or self.low is None or self.high is None:
            reason = _("sealed until the planned labels are in")
        elif self.scale > 1:
            reason = _("sealed; the interval is {high:.2f} points wide, on a scale of 0 to {scale}").format(
                high=self.high - self.low, scale=self.scale
            )
        else:
            reason = _("sealed; the interval is {high:.1f} points wide").format(high=100 * (self.high - self.low))
        return replace(
            self,
            value=None,
            low=None,
            high=None,
            n_effective=None,
            n_denominator=None,
            se=None,
            interval=None,
            interval_reason=None,
            homogeneity=None,
            bounds=None,
            why_undefined=reason,
        )


def _way(share: Share) -> dict[str, Any]:
    return {
        "se": share.se,
        "n_denominator": share.n_denominator if share.value is not None else None,
        "interval": share.interval,
        "interval_reason": share.evidence.sentence if share.evidence else None,
        "homogeneity": share.homogeneity.sentence if share.homogeneity else None,
    }
