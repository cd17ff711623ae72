"""Writes a sentence-level test in SentEval's format, whole or not at all, and says what it is like.

sets/<test>.txt                         partition, label, sentence: written last
sets/about/<test>/statistics.json       what filters took, labels by split, …
sets/about/<test>/origin.jsonl          of each row: where the sentence stands, what was done to it
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from src.formats.files.digest import write_sealed
from src.formats.probing_sets import senteval
from src.formats.probing_sets.senteval import SentEvalRow
from src.formats.reading.lines import write_lines
from src.generation.made_tests.frequent_words import Step, described_steps
from src.generation.made_tests.row_statistics import row_statistics, shared_with_train
from src.generation.made_tests.writing import ORIGIN, STATISTICS, NotOurs, folder_written_whole
from src.generation.sentence_tests.labelled_sentences import Corpus, LabelledSentence
from src.generation.sentence_tests.sentence_options import SentenceOptions
from src.splits import SPLITS

Items = Mapping[str, Sequence[LabelledSentence]]  # of each split
ABOUT = "about"


def statistics_of(items: Items, steps: Sequence[Step]) -> dict[str, Any]:
    """Counts what a reader of a test asks for; shares are from 0 to 1.

    Args:
        steps: what each filter took, in order.

    Returns:
        What `row_statistics` does, and
        filters: what each took.
        shared_with_train: sentences that train has, too; items of its documents; items with one of its targets, in
            tests that have targets.
        mean_words: of the sentences of each label, in train.
    """
    rows = {split: [(" ".join(one.words), one.label) for one in items[split]] for split in SPLITS}
    shared = {
        "sentence": shared_with_train({split: [{row[0]} for row in rows[split]] for split in SPLITS}),
        "document": shared_with_train({split: [{one.document} for one in items[split]] for split in SPLITS}),
    }
    if any(one.targets for split in SPLITS for one in items[split]):
        shared["target"] = shared_with_train({split: [one.targets for one in items[split]] for split in SPLITS})
    return {
        "filters": described_steps(steps),
        **row_statistics(rows),
        "shared_with_train": shared,
        "mean_words": _mean_words(items["train"]),
    }


def corpus_statistics(corpus: Corpus, options: SentenceOptions) -> dict[str, Any]:
    """Says what a test was made from: the same for all tests of a corpus.

    Returns:
        sentences, documents: in the length window, each once. A corpus with as many documents as sentences has no
            document marks.
        scale: what published windows were multiplied with; `target_frequency`, `odd_frequency`: what came of it.
    """
    return {
        "sentences": len(corpus.sentences),
        "documents": len({one.document for one in corpus.sentences}),
        "scale": round(corpus.scale, 6),
        "target_frequency": _scaled(options.target_frequency, corpus),
        "odd_frequency": _scaled(options.odd_frequency, corpus),
    }


def _scaled(window: Sequence[int] | None, corpus: Corpus) -> list[float] | None:
    return None if window is None else [round(end * corpus.scale, 2) for end in window]


def _mean_words(items: Sequence[LabelledSentence]) -> dict[str, float]:
    lengths: dict[str, list[int]] = defaultdict(list)
    for one in items:
        lengths[one.label].append(len(one.words))
    return {label: round(sum(lengths[label]) / len(lengths[label]), 3) for label in sorted(lengths)}


def write_sentence_test(
    folder: Path, name: str, items: Mapping[str, Sequence[LabelledSentence]], statistics: Mapping[str, Any]
) -> None:
    """Writes a test; one that was written there before is replaced."""
    path, about = folder / f"{name}.txt", folder / ABOUT / name
    if path.exists() and not (about / STATISTICS).exists():
        found = f"{path} exists and has no {about / STATISTICS}: it was not made here."
        raise NotOurs(f"{found} Move it away, or name another folder.")
    numbered = list(enumerate(((split, one) for split in SPLITS for one in items[split]), start=1))
    path.unlink(missing_ok=True)  # so that no test stands beside what is said of another
    with folder_written_whole(about) as neighbour:
        write_lines((_origin(number, split, one) for number, (split, one) in numbered), neighbour / ORIGIN)
        write_sealed(neighbour / STATISTICS, statistics)
    rows = (SentEvalRow(number, split, one.label, " ".join(one.words)) for number, (split, one) in numbered)
    senteval.write(rows, path)


def _origin(number: int, split: str, one: LabelledSentence) -> str:
    row = {"row": number, "split": split, "label": one.label, "targets": list(one.targets), **one.origin}
    return json.dumps(row, ensure_ascii=False)
