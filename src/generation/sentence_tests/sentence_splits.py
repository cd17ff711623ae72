"""Which split a sentence is in, and how the items of a split are drawn and written, in SentEval's format.

No document stands in two splits, and no target word. Documents are shuffled and dealt out until each split has its
share of the sentences, the same for every test of a corpus. Target words are then dealt out for a test: from the most
frequent one on, each goes to the split that has the fewest items of its label for its size and most sentences with this
word. A sentence whose document and targets are in different splits is in none; rare words lose little by that, as they
tend to stand in documents of one split.

The items of a test are then drawn from the sentences of each split: as large as they allow, with balanced labels. A
test is written whole or not at all:

sets/<test>.txt                         partition, label, sentence: written last
sets/about/<test>/statistics.json       what filters took, labels by split, …
sets/about/<test>/origin.jsonl          of each row: where the sentence stands, what was done to it
"""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from polyprobe.formats.files.digest import write_sealed
from polyprobe.formats.probing_sets import senteval
from polyprobe.formats.probing_sets.senteval import SentEvalRow
from polyprobe.formats.reading.lines import write_lines
from polyprobe.frequency import by_frequency
from polyprobe.generation.made_tests.frequent_words import Step
from polyprobe.generation.made_tests.labels import check_labels, label_quotas, parts_by_weight, sizes_of
from polyprobe.generation.made_tests.row_statistics import shares_with_train
from polyprobe.generation.made_tests.writing import ORIGIN, STATISTICS, folder_written_whole
from polyprobe.generation.sentence_tests.labelled_sentences import (
    Corpus,
    LabelledSentence,
    SentenceOptions,
    SentenceTest,
)
from polyprobe.splits import SPLITS

Drawn = dict[str, list[LabelledSentence]]  # the items of each split
Items = Mapping[str, Sequence[LabelledSentence]]  # of each split
ABOUT = "about"


def draw_test(
    test: SentenceTest,
    pools: Mapping[str, Sequence[LabelledSentence]],
    options: SentenceOptions,
    generator: np.random.Generator,
) -> Drawn:
    """Draws the items of each split in random order.

    Args:
        test: whose `labels` say how even the labels are.
        pools: the sentences of each split.
        options: sizes, and how uneven labels may be.
    """
    labels = sorted({one.label for split in SPLITS for one in pools[split]})
    check_labels(test.name, labels)
    uneven = {"equal": 1.0, "even": options.uneven, "found": math.inf}[test.labels]
    counts = {split: Counter(dict.fromkeys(labels, 0) | Counter(one.label for one in pools[split])) for split in SPLITS}
    sizes = sizes_of(
        f"{test.name}: {sum(map(len, pools.values())):,} sentences are left",
        options.items,
        options.sizes,
        "sentence_level.sizes",
        lambda sizes: all(quotas(counts[split], n, uneven) for split, n in zip(SPLITS, sizes, strict=True)),
        "" if test.labels == "found" else " with balanced labels",
    )
    return {
        split: _drawn(pools[split], quotas(counts[split], n, uneven), n, generator)
        for split, n in zip(SPLITS, sizes, strict=True)
    }


def quotas(counts: Mapping[str, int], n_items: int, uneven: float) -> dict[str, int]:
    """Shares items out among labels: each gets the same number, or all that it has; the others share what is over.

    Args:
        counts: sentences of each label.
        uneven: how many times the same number a label may get; 1: what cannot be divided goes to the labels with most
            sentences. Infinite: labels stay as they fall.

    Returns:
        How many of each label are drawn at most; empty where there are too few. In sum `n_items`, unless labels fall.
    """
    if math.isinf(uneven):
        return dict(counts) if sum(counts.values()) >= n_items else {}
    most = math.ceil(n_items / len(counts) * uneven)
    commonest_first = sorted(counts, key=lambda label: (counts[label], label), reverse=True)
    allowed = np.array([min(counts[label], most) for label in commonest_first])
    if allowed.sum() < n_items:
        return {}
    return dict(zip(commonest_first, label_quotas(allowed, np.ones(len(allowed)), n_items).tolist(), strict=True))


def _drawn(
    pool: Sequence[LabelledSentence], of_labels: Mapping[str, int], n_items: int, generator: np.random.Generator
) -> list[LabelledSentence]:
    left, drawn = dict(of_labels), []
    for place in generator.permutation(len(pool)).tolist():
        if left[pool[place].label]:
            left[pool[place].label] -= 1
            drawn.append(pool[place])
    return drawn[:n_items]


def documents_dealt(
    documents: Iterable[str], shares: Mapping[str, float], generator: np.random.Generator
) -> dict[str, str]:
    """Deals documents out.

    Args:
        documents: of each sentence of the corpus.
        shares: of the sentences, by split; what they are in sum is all.
        generator: what the documents are shuffled with.
    """
    sizes = Counter(documents)
    names = sorted(sizes)
    shuffled = [names[place] for place in generator.permutation(len(names))]
    parts = parts_by_weight(np.array([sizes[name] for name in shuffled]), [shares[split] for split in SPLITS])
    return {name: SPLITS[part] for name, part in zip(shuffled, parts.tolist(), strict=True)}


def sentences_dealt(
    sentences: Sequence[LabelledSentence], split_of_document: Mapping[str, str], items: Mapping[str, int]
) -> tuple[dict[str, list[LabelledSentence]], Step]:
    """Puts each sentence into the split of its document, unless one of its targets is in another.

    Args:
        split_of_document: from `documents_dealt`.
        items: asked for, by split: how targets are shared out.

    Returns:
        The sentences of each split, and what dealing them out took.
    """
    split_of_target = _targets_dealt(sentences, split_of_document, items)
    pools: dict[str, list[LabelledSentence]] = {split: [] for split in SPLITS}
    for one in sentences:
        split = split_of_document[one.document]
        if all(split_of_target[target] == split for target in one.targets):
            pools[split].append(one)
    left = sum(map(len, pools.values()))
    return pools, Step("target in another split", "sentences", len(sentences) - left, left)


def _targets_dealt(
    sentences: Sequence[LabelledSentence], split_of_document: Mapping[str, str], items: Mapping[str, int]
) -> dict[str, str]:
    counts: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)  # of a target: (label, split of the document)
    for one in sentences:
        for target in one.targets:
            counts[target][one.label, split_of_document[one.document]] += 1
    have: Counter[tuple[str, str]] = Counter()
    dealt = {}
    for target in by_frequency({target: of_target.total() for target, of_target in counts.items()}):
        of_target = counts[target]
        gains = dict.fromkeys(SPLITS, 0.0)
        for (label, at), n in of_target.items():
            gains[at] += n * items[at] / (have[label, at] + 1)
        dealt[target] = max(SPLITS, key=gains.__getitem__)
        for (label, at), n in of_target.items():
            if at == dealt[target]:
                have[label, at] += n
    return dealt


def statistics_of(items: Items) -> dict[str, Any]:
    """Counts what a reader of a test asks for; shares are from 0 to 1.

    Returns:
        shared_with_train: sentences that train has, too; items of its documents; items with one of its targets, in
            tests that have targets.
        mean_words: of the sentences of each label, in train.
    """
    keys = {"sentence": lambda one: {" ".join(one.words)}, "document": lambda one: {one.document}}
    if any(one.targets for split in SPLITS for one in items[split]):
        keys["target"] = lambda one: one.targets
    lengths: dict[str, list[int]] = defaultdict(list)
    for one in items["train"]:
        lengths[one.label].append(len(one.words))
    mean_words = {label: round(sum(lengths[label]) / len(lengths[label]), 3) for label in sorted(lengths)}
    return {"shared_with_train": shares_with_train(items, keys), "mean_words": mean_words}


def corpus_statistics(corpus: Corpus, options: SentenceOptions) -> dict[str, Any]:
    """Says what a test was made from: the same for all tests of a corpus.

    Returns:
        sentences, documents: in the length window, each once. A corpus with as many documents as sentences has no
            document marks.
        scale: what published windows were multiplied with; `target_frequency`, `odd_frequency`: what came of it.
    """
    windows = {name: getattr(options, name) for name in ("target_frequency", "odd_frequency")}
    return {
        "sentences": len(corpus.sentences),
        "documents": len({one.document for one in corpus.sentences}),
        "scale": round(corpus.scale, 6),
        **{name: one and [round(end * corpus.scale, 2) for end in one] for name, one in windows.items()},
    }


def origins_of(items: Items) -> Iterator[dict[str, Any]]:
    """Says for every row, by its number, where its sentence stands and what was done to it."""
    numbered = enumerate(((split, one) for split in SPLITS for one in items[split]), start=1)
    for number, (split, one) in numbered:
        yield {"row": number, "split": split, "label": one.label, "targets": list(one.targets), **one.origin}


def write_sentence_test(
    folder: Path,
    name: str,
    rows: Mapping[str, Sequence[tuple[str, str]]],
    origins: Iterable[Mapping[str, Any]],
    statistics: Mapping[str, Any],
) -> None:
    """Writes a test; one that was written there before is replaced.

    Args:
        rows: of each split: sentence and label.
        origins: one for each row of all splits.
    """
    path, about = folder / f"{name}.txt", folder / ABOUT / name
    path.unlink(missing_ok=True)  # so that no test stands beside what is said of another
    with folder_written_whole(about) as neighbour:
        write_lines((json.dumps(origin, ensure_ascii=False) for origin in origins), neighbour / ORIGIN)
        write_sealed(neighbour / STATISTICS, statistics)
    every = enumerate(((split, *row) for split in SPLITS for row in rows[split]), start=1)
    senteval.write((SentEvalRow(number, split, label, text) for number, (split, text, label) in every), path)
