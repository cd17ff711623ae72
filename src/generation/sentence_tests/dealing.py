"""Which split a sentence is in: no document stands in two splits, and no target word.

Documents are shuffled and dealt out until each split has its share of the sentences, the same for every test of a
corpus. Target words are then dealt out for a test: from the most frequent one on, each goes to the split that has the
fewest items of its label for its size and most sentences with this word. A sentence whose document and targets are in
different splits is in none; rare words lose little by that, as they tend to stand in documents of one split.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from src.frequency import by_frequency
from src.generation.made_tests.filters import Step
from src.generation.made_tests.parts import parts_by_weight
from src.generation.sentence_tests.labelled_sentences import LabelledSentence
from src.splits import SPLITS


@dataclass(frozen=True)
class Dealt:
    """The sentences of a test, by split, and what dealing them out took."""

    pools: Mapping[str, Sequence[LabelledSentence]]
    step: Step


def documents_dealt(
    documents: Iterable[str], shares: Mapping[str, float], generator: np.random.Generator
) -> dict[str, str]:
    """Deals documents out.

    Args:
        documents: of each sentence of the corpus.
        shares: of the sentences, by split; what they are in sum is all.
        generator: what the documents are shuffled with.

    Returns:
        The split of each document.
    """
    sizes = Counter(documents)
    names = sorted(sizes)
    shuffled = [names[place] for place in generator.permutation(len(names))]
    parts = parts_by_weight(np.array([sizes[name] for name in shuffled]), [shares[split] for split in SPLITS])
    return {name: SPLITS[part] for name, part in zip(shuffled, parts.tolist(), strict=True)}


def sentences_dealt(
    sentences: Sequence[LabelledSentence], split_of_document: Mapping[str, str], items: Mapping[str, int]
) -> Dealt:
    """Puts each sentence into the split of its document, unless one of its targets is in another.

    Args:
        sentences: of a test.
        split_of_document: from `documents_dealt`.
        items: asked for, by split: how targets are shared out.
    """
    split_of_target = _targets_dealt(sentences, split_of_document, items)
    pools: dict[str, list[LabelledSentence]] = {split: [] for split in SPLITS}
    for one in sentences:
        split = split_of_document[one.document]
        if all(split_of_target[target] == split for target in one.targets):
            pools[split].append(one)
    left = sum(map(len, pools.values()))
    return Dealt(pools, Step("target in another split", "sentences", len(sentences) - left, left))


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
