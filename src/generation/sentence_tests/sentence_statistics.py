"""What is said of a sentence-level test that was made."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from src.generation.made_tests.filters import Step, described
from src.generation.made_tests.row_statistics import row_statistics, shared_with_train
from src.generation.sentence_tests.labelled_sentences import Corpus, LabelledSentence
from src.generation.sentence_tests.sentence_options import SentenceOptions
from src.splits import SPLITS

Items = Mapping[str, Sequence[LabelledSentence]]  # of each split


def statistics_of(items: Items, steps: Sequence[Step]) -> dict[str, Any]:
    """Counts what a reader of a test asks for; shares are from 0 to 1.

    Args:
        items: of the test.
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
        "filters": described(steps),
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
