"""The scored items of tasks, and what became of them; outcomes of earlier starts are kept: nothing is fitted twice."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import sklearn
import torch

from polyprobe.formats.files.outcome_files import OutcomeFiles
from polyprobe.formats.probing_sets.downstream import DownstreamItem
from polyprobe.items import Sentence
from polyprobe.probing.bank import bank
from polyprobe.probing.bank.outcome_cache import source_digest
from polyprobe.probing.baselines.memory import leakage, leakage_of_parts
from polyprobe.probing.probes import grid
from polyprobe.probing.suites import downstream_tasks
from polyprobe.probing.suites.downstream_tasks import DownstreamTask, TaskSettings


@dataclass(frozen=True, eq=False)
class TaskOutcome:
    """The predictions of one task by one layer and seed."""

    predictions: np.ndarray
    """For the items that are scored, in their order: int64 label ids, or float64 scores or cosines, NaN where there is
    none (the cosine of a vector without length)."""
    fold_accuracies: tuple[float, ...] = ()
    """Of the test folds, 0 to 1; empty without nested folds."""
    dev: float = float("nan")
    """The dev score of what was chosen (accuracy, or Pearson's correlation); NaN where nothing was."""
    cell: str = ""
    """What dev chose ("weight_decay=0.001"), or ""."""


CLASSIFIER, REGRESSION, COSINE = "linear_grid", "score_regression", "cosine"


def manners_of(settings: TaskSettings, has_vectors: bool) -> tuple[str, ...]:
    """Returns how a task is scored, the manner of its headline first: STSB and SICK-R by regression and by cosines.

    Args:
        has_vectors: whether the encoder gives vectors; no regression is fitted to counts.
    """
    if settings.fit == "regression":
        return (REGRESSION, COSINE) if has_vectors else (COSINE,)
    return (COSINE,) if settings.fit == "cosine" else (CLASSIFIER,)


ROOMS = tuple(Path(module).parent for module in (__file__, bank.__file__, grid.__file__, downstream_tasks.__file__))


class KeptTaskOutcomes(OutcomeFiles[TaskOutcome]):
    """The outcomes of tasks.

    They depend on the device, the number of threads, the versions of torch, NumPy and scikit-learn (which draw, and
    deal into folds), and the source of `ROOMS`: this one, the bank, the probes, of which one chooses L2, and the
    suites, which say what an item is.
    """

    def __init__(self, folder: Path, device: torch.device):
        self.device = device
        versions = [torch.__version__, np.__version__, sklearn.__version__]
        super().__init__(folder, [device.type, torch.get_num_threads(), *versions, source_digest(*ROOMS)])

    def of_arrays(self, name: str, saved: Mapping[str, np.ndarray]) -> TaskOutcome | None:
        if str(saved["name"]) != name:
            return None
        folds = tuple(saved["fold_accuracies"].tolist())
        return TaskOutcome(saved["predictions"], folds, float(saved["dev"]), str(saved["cell"]))

    def arrays_of(self, name: str, outcome: TaskOutcome) -> dict[str, np.ndarray]:
        return {"name": np.array(name), **{key: np.array(value) for key, value in vars(outcome).items()}}


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


def leakages_of(task: DownstreamTask) -> dict[str, float]:
    """Returns the share of scored items that train has, too, 0 to 1, and of pairs that of both their sentences.

    Where each item is predicted in a fold, train is all other items: of two equal ones one is mostly in train.
    """
    if "train" not in task.parts:
        counts = Counter(item.sentences for item in task.items)
        return {"leakage": sum(n for n in counts.values() if n > 1) / len(task.items)}
    train, test = ([item.sentences for item in task.parts[part]] for part in ("train", "test"))
    of_parts = {"leakage_of_parts": leakage_of_parts(train, test)} if len(test[0]) > 1 else {}
    return {"leakage": leakage(train, test), **of_parts}
