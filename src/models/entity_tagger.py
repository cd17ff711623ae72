"""Bi-LSTM-CRF for named entities (LINSPECTOR, section 5)."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
import torch
from torch import Tensor, nn

from polyprobe.formats.entities.span_tags import (
    Span,
    bioul_tags,
    may_end,
    may_follow,
    may_start,
    spans_of,
    spans_of_bioul,
)
from polyprobe.formats.treebanks.labelled_words import LabelledWords
from polyprobe.metrics.labelled_f1 import OTHER, LabelledF1
from polyprobe.metrics.span_f1 import count_spans, span_scores
from polyprobe.metrics.tallies import of_all, summed
from polyprobe.metrics.task_score import TaskScore, with_intervals
from polyprobe.models.inputs.word_batch import NO_LOSS, LabelledBatch, Reader, WordBatch
from polyprobe.models.structures.crf import LinearChainCrf
from polyprobe.models.tagger import EntityCoder, Tagger
from polyprobe.section import AboveZero, checked


class EntityTagger(Tagger):
    """A tagger whose labels are BIOUL tags, with a chain on top.

        … -> bi-LSTM layers -> dropout -> linear -> emissions of the tags -> linear-chain CRF

    The loss is summed over a batch, as in the released code; with several processes over the batch of all.

    Args:
        types: of the entities, those of train.
        clip_norm: gradients longer than this, all together, are scaled down to it.
        others: all other arguments of `Tagger` but `labels`, which are the tags of `types`.
    """

    @checked("model")
    def __init__(
        self, reader: Reader, types: list[str], clip_norm: AboveZero, seed: int, **others: Annotated[Any, Tagger]
    ):
        labels = bioul_tags(types)
        super().__init__(reader=reader, labels=labels, seed=seed, **others)
        self.coder = EntityCoder(reader.coder, types)
        self.types, self.clip_norm = tuple(types), clip_norm
        self.crf = LinearChainCrf(labels, may_follow, may_start, may_end)
        nn.init.xavier_normal_(self.crf.transitions, generator=torch.Generator().manual_seed(seed))
        self.dev_metric, self.test_metric = (LabelledF1(types, count_spans, span_scores) for _ in range(2))

    def loss(self, batch: LabelledBatch) -> Tensor:
        """Negative log-likelihood in nats, summed over sentences whose tags are all known to the model."""
        is_unknown = batch.label_ids >= len(self.labels)
        gold = batch.label_ids.masked_fill(is_unknown, NO_LOSS)
        return self.crf.loss(self(batch.words), gold, batch.words.packing).sum().float()

    def decode(self, batch: WordBatch) -> Tensor:
        """Returns the tag ids of the best well-formed path at every cell: `[cells]`."""
        return self.crf.decode(self(batch), batch.packing)

    def spans(self, sentences: Sequence[Sequence[str]]) -> list[list[Span]]:
        """Finds the entities of sentences, in evaluation mode."""
        return [spans_of_bioul(tags) for tags in self.tags(sentences)]

    def answered(self, batch: LabelledBatch) -> list[list[Span]]:
        """Returns the predicted entities of each sentence."""
        return list(map(spans_of_bioul, self.tags_of(batch.words)))

    def scores(self, sentences: Sequence[LabelledWords]) -> list[TaskScore]:
        """Returns span F1 and that of each type; labels of the sentences may be of any scheme that conlleval reads."""
        pairs = zip(sentences, self.answers(sentences), strict=True)
        tallies = [count_spans(spans_of(one.labels), ours) for one, ours in pairs]
        return with_intervals(span_scores(summed(tallies)), {"span_f1": [of_all(one).f1_parts for one in tallies]})

    def training_step(self, batch: LabelledBatch, batch_index: int) -> Tensor:
        """Returns the loss of a batch, times the number of processes and accumulated pieces, whose mean is taken.

        The loss of train is logged in nats per sentence.
        """
        loss = self.loss(batch)
        n_sentences = len(batch.words.lengths)
        self.train_loss.update(loss.detach() / n_sentences, n_sentences)
        return loss * self.trainer.world_size * self.trainer.accumulate_grad_batches

    def count(self, metric: LabelledF1, batch: LabelledBatch) -> None:
        found = _by_sentence(self.decode(batch.words), batch.words.lengths)
        for gold, ours in zip(_by_sentence(batch.label_ids, batch.words.lengths), found, strict=True):
            if NO_LOSS not in gold:
                metric.update(spans_of_bioul(self._tags(gold)), spans_of_bioul(self._tags(ours)))

    def measured(self, metric: LabelledF1) -> dict[str, Any]:
        return metric.compute()

    def _tags(self, ids: Sequence[int]) -> list[str]:
        """Returns tags of ids; ids above the known ones are of types that train lacks, here of the type `OTHER`."""
        unknown = bioul_tags([OTHER])[1:]
        n_known = len(self.labels)
        return [self.labels[one] if one < n_known else unknown[(one - n_known) % len(unknown)] for one in ids]


def _by_sentence(ids: Tensor, lengths: Sequence[int]) -> Iterator[list[int]]:
    flat = ids.tolist()
    return (flat[start:end] for start, end in pairwise(np.cumsum([0, *lengths]).tolist()))
