"""The leak screens on records: the context of a task against its reference answer."""

from functools import lru_cache

from data.leaks.screen import Fields, Screened, screen
from data.records import Context, Task


@lru_cache(maxsize=64)
def screen_context(task: Task, context: Context) -> Screened | None:
    """What the screens say of one context; None where its task has no reference answer to look for.

    Kept for a while: a labelling screen asks for the same context with every answer.
    """
    if task.gold_answer is None:
        return None
    passages = [
        Fields(number=p.rank, text=p.text, title=p.title, url=p.url, publisher=p.publisher) for p in context.passages
    ]
    return screen(task.question, (task.gold_answer, *task.gold_aliases), passages)
