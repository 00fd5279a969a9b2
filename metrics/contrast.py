"""One metric on two slices of a study, or under two judges, corrected from one draw."""

from metrics.comparison import slice_difference
from metrics.difference import Difference
from metrics.rows import Slice
from metrics.table import OfMetric, Options


def contrast(first: OfMetric, second: OfMetric, places: tuple[Slice, Slice], options: Options) -> Difference:
    """The metric of `first` on the first place less that of `second` on the second, see `slice_difference`.

    Args:
        first: The metric under the first judge.
        second: The same object for two slices under one judge, else the metric under another judge, of the same frame
            and the same labelled rows.
        places: The two slices; two judges are compared on one.
        options: Level, floor and population, as the two were made with; target A, pooled.

    Returns:
        A difference. Under two judges both are about unbiased for what people would say, so the truth is 0.

    Raises:
        ValueError: As for `slice_difference`.
        KeyError: A slice names an unknown column.
    """
    there, here = first.at(places[0]), second.at(places[1])
    one, other = first.case(there), second.case(here)
    return slice_difference(
        one[0],
        other[0],
        (one[1], other[1]),
        level=options.level,
        floor=options.floor,
        predictions=(first.prediction(there), second.prediction(here)),
        about=options.about,
    )
