"""The scored items of a task: which they are, their gold labels or scores, and their sentences for an encoder."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from src.formats.probing_sets.downstream import DownstreamItem
from src.items import Sentence
from src.probing.baselines.memory import leakage
from src.probing.suites.downstream_tasks import DownstreamTask


def scored_items(task: DownstreamTask) -> tuple[DownstreamItem, ...]:
    """Returns the items that a score rests on: those of test, or all where each is predicted in a fold or by itself."""
    return task.parts.get("test", task.items) if task.settings.fit != "cosine" else task.items


def label_ids(task: DownstreamTask, items: Sequence[DownstreamItem]) -> np.ndarray:
    """Returns the places of the items' labels among those of the task: int64 `[items]`."""
    places = {label: place for place, label in enumerate(task.settings.labels)}
    return np.array([places[item.label] for item in items], dtype=np.int64)


def gold_scores(items: Sequence[DownstreamItem]) -> np.ndarray:
    """Returns the scores of items: float64 `[items]`."""
    return np.array([item.label for item in items], dtype=np.float64)


def sentences_of(items: Sequence[DownstreamItem], place: int) -> list[Sentence]:
    """Returns the first (0) or the second (1) sentence of each item."""
    return [Sentence(item.sentences[place]) for item in items]


def all_sentences(task: DownstreamTask) -> Iterator[Sentence]:
    """Yields every sentence of a task, as often as it has it."""
    for item in task.items:
        yield from map(Sentence, item.sentences)


def in_words(items: Sequence[DownstreamItem]) -> list[str]:
    """Writes each item for a reader: its words joined by blanks, the sentences of a pair with a tab between them."""
    return ["\t".join(" ".join(words) for words in item.sentences) for item in items]


def leakage_of(task: DownstreamTask) -> float:
    """Returns the share of scored items whose sentences train has, too, 0 to 1; see `leakage`.

    Where each item is predicted in a fold, train is all other items: of two equal ones one is mostly in train.
    """
    if "train" in task.parts:
        return leakage(*([item.sentences for item in task.parts[part]] for part in ("train", "test")))
    counts = Counter(item.sentences for item in task.items)
    return sum(n for n in counts.values() if n > 1) / len(task.items)
