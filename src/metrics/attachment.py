"""Attachment scores with gold words: UAS, LAS, CLAS as in the CoNLL-2018 evaluation, UAS and LAS also as in AllenNLP.

The two differ in what is counted: the first counts punctuation and cuts relations at the colon, the second leaves
out words tagged PUNCT or SYM and compares whole relations.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

import torch
from torch import Tensor
from torchmetrics import Metric

from polyprobe.formats.treebanks.dependencies import DependencySentence
from polyprobe.metrics.tallies import LabelCounts, Tally
from polyprobe.metrics.task_score import TaskScore

SCORER = "CoNLL-2018"
WITHOUT_PUNCTUATION_SCORER = "AllenNLP"
CONTENT_RELATIONS = frozenset((
    "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl", "advmod",
    "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound", "list", "parataxis",
    "orphan", "goeswith", "reparandum", "root", "dep",
))  # fmt: skip
LEFT_OUT = frozenset(["PUNCT", "SYM"])


@dataclass(frozen=True, slots=True)
class ArcCounts:
    """Counts that add up over sentences."""

    words: int = 0
    """Words."""
    heads: int = 0
    """Words with the right head."""
    arcs: int = 0
    """Words with the right head and relation."""
    content: int = 0
    content_system: int = 0
    """Words with a content relation in gold and in the system's tree."""
    content_arcs: int = 0
    """Words with a content relation in gold whose head and relation are right."""
    plain: int = 0
    """Words that are neither punctuation nor symbols."""
    plain_heads: int = 0
    plain_arcs: int = 0
    """Both of these, as above, whole relations compared."""

    def __add__(self, other: "ArcCounts") -> "ArcCounts":
        return ArcCounts(*(one + more for one, more in zip(astuple(self), astuple(other), strict=True)))


class RelationCounts(LabelCounts[str]):
    """How often each relation, cut at the colon, was right together with its head, predicted, and gold."""

    def add(self, gold: DependencySentence, heads: Sequence[int], relations: Sequence[str]) -> None:
        """Adds a sentence."""
        ours, theirs = list(map(universal, gold.relations)), list(map(universal, relations))
        right = zip(gold.heads, heads, ours, theirs, strict=True)
        self.correct.update(relation for head, found, relation, other in right if (head, relation) == (found, other))
        self.system.update(theirs)
        self.gold.update(ours)


def universal(relation: str) -> str:
    """Returns a relation without its subtype: `nmod` of `nmod:poss`."""
    return relation.split(":")[0]


def count_arcs(gold: DependencySentence, heads: Sequence[int], relations: Sequence[str]) -> ArcCounts:
    """Counts one sentence.

    Args:
        heads: 1-based, 0 at the root.
        relations: with or without subtypes.
    """
    ours, theirs = list(map(universal, gold.relations)), list(map(universal, relations))
    has_head = [head == found for head, found in zip(gold.heads, heads, strict=True)]
    is_right = [head and one == other for head, one, other in zip(has_head, ours, theirs, strict=True)]
    is_whole = [head and one == other for head, one, other in zip(has_head, gold.relations, relations, strict=True)]
    has_content = [relation in CONTENT_RELATIONS for relation in ours]
    is_plain = [tag not in LEFT_OUT for tag in gold.upos]
    return ArcCounts(
        words=len(ours),
        heads=sum(has_head),
        arcs=sum(is_right),
        content=sum(has_content),
        content_system=sum(relation in CONTENT_RELATIONS for relation in theirs),
        content_arcs=_both(has_content, is_right),
        plain=sum(is_plain),
        plain_heads=_both(is_plain, has_head),
        plain_arcs=_both(is_plain, is_whole),
    )


def attachment_scores(counts: ArcCounts) -> list[TaskScore]:
    """Returns LAS, UAS and CLAS, then LAS and UAS without punctuation; 0 where nothing was counted."""
    clas = Tally(counts.content_arcs, counts.content_system, counts.content)
    n, plain, allennlp = counts.words, counts.plain, WITHOUT_PUNCTUATION_SCORER
    return [
        TaskScore("las", counts.arcs / max(1, n), n, SCORER),
        TaskScore("uas", counts.heads / max(1, n), n, SCORER),
        clas.score("clas", SCORER),
        TaskScore("las_without_punctuation", counts.plain_arcs / max(1, plain), plain, allennlp),
        TaskScore("uas_without_punctuation", counts.plain_heads / max(1, plain), plain, allennlp),
    ]


def attachment_ratios(sentences: Sequence[ArcCounts]) -> dict[str, list[tuple[int, int]]]:
    """Returns each sentence's part of numerator and denominator of each attachment score; see `with_intervals`."""
    return {
        "las": [(one.arcs, one.words) for one in sentences],
        "uas": [(one.heads, one.words) for one in sentences],
        "clas": [(2 * one.content_arcs, one.content_system + one.content) for one in sentences],
        "las_without_punctuation": [(one.plain_arcs, one.plain) for one in sentences],
        "uas_without_punctuation": [(one.plain_heads, one.plain) for one in sentences],
    }


def relation_scores(counts: RelationCounts) -> list[TaskScore]:
    """Returns the F1 of each relation that occurs in gold, its head included, in alphabetical order."""
    tallies = {name: counts.of(name) for name in sorted(counts.gold)}
    return [tally.score("las", SCORER, name) for name, tally in tallies.items()]


class Attachment(Metric):
    """Counts arcs over batches and processes; equals `attachment_scores` of the summed counts."""

    full_state_update = False
    higher_is_better = True
    counts: Tensor

    def __init__(self):
        super().__init__()
        self.add_state("counts", torch.zeros(len(fields(ArcCounts)), dtype=torch.int64), dist_reduce_fx="sum")

    def update(self, gold: DependencySentence, heads: Sequence[int], relations: Sequence[str]) -> None:
        """Adds a sentence."""
        self.counts += torch.tensor(astuple(count_arcs(gold, heads, relations)), device=self.device)

    def compute(self) -> dict[str, float]:
        """Returns the scores by name."""
        return {score.metric: score.value for score in attachment_scores(ArcCounts(*self.counts.tolist()))}


def _both(first: Sequence[bool], second: Sequence[bool]) -> int:
    return sum(one and other for one, other in zip(first, second, strict=True))
