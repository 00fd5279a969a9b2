"""The split of tasks into those a judge may be tuned on and those that stay sealed to validate it."""

from typing import Literal

from sampling.numbers import as_share, permanent_number

PURPOSE = "dev"


def part(task_id: str, dev_share: float, *, seed: int) -> Literal["dev", "validation"]:
    """Which part a task belongs to, with everything about it, for good.

    A task is in "dev" when its permanent number, as a share, is below `dev_share`; so it depends on no other task,
    stays where it is when tasks come in, and a larger share only moves tasks from validation to dev. The number of
    dev tasks is therefore random (binomial), not exact. The numbers have their own salt: being in dev says nothing
    about being drawn or overlapped.

    Args:
        task_id: The task.
        dev_share: Share of tasks in [0, 1] that is expected in dev.
        seed: The study's seed.

    Raises:
        ValueError: The share is outside [0, 1].

    >>> [part(task, 0.4, seed=1) for task in ("t1", "t2", "t3")]
    ['validation', 'validation', 'dev']
    """
    if not 0 <= dev_share <= 1:
        raise ValueError(f"dev_share is {dev_share}; expected a number from 0 to 1")
    return "dev" if as_share(permanent_number(seed, PURPOSE, task_id)) < dev_share else "validation"
