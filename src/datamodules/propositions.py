"""Sentences with propositions to batches, for training and evaluation, on one process or several."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from polyprobe.datamodules.base.task_datamodule import BatchSizes, Count, TaskDataModule
from polyprobe.datamodules.base.word_inputs import Inputs
from polyprobe.datamodules.corpora.corpus_files import CorpusSource
from polyprobe.formats.roles.propositions import LabelledSentence
from polyprobe.frequency import by_frequency
from polyprobe.models.baselines.trivial import NO_ROLE, FrequentRole
from polyprobe.models.role_labeller import Coded, PropositionCoder


class PropositionsDataModule(TaskDataModule):
    """Batches of propositions, those of a sentence together; vocabulary and roles come from train alone.

    Sentences without a predicate make no batch: no loss and no score comes from them. The released code drops the
    last, incomplete batch, on dev too; here it is kept.

    Args:
        source, inputs, seed: see `TaskDataModule`.
        batch_propositions, evaluation_propositions: most propositions of a batch; a sentence with more stands alone.
    """

    roles: tuple[str, ...]

    def __init__(
        self, source: CorpusSource, inputs: Inputs, seed: int, batch_propositions: int, evaluation_propositions: int
    ):
        super().__init__(source, inputs, seed, BatchSizes("propositions", batch_propositions, evaluation_propositions))

    def make_coder(self) -> PropositionCoder:
        counts = Counter(a.role for one in self.train for p in one.propositions for a in p.arguments)
        self.roles = NO_ROLE, *by_frequency(counts)
        return PropositionCoder(self.read_words(), self.roles)

    def model_inputs(self) -> dict[str, Any]:
        return {"reader": self.reader, "roles": list(self.roles)}

    def task_counts(self) -> Iterator[Count]:
        yield from self.of_splits("sentences", len)
        yield from self.of_splits("propositions", lambda of_split: sum(len(one.propositions) for one in of_split))
        no_predicate = "sentences without predicate"
        yield from self.of_splits(no_predicate, lambda of_split: sum(not one.propositions for one in of_split))
        known = {*self.roles}
        for split, sentences in (("dev", self.dev), ("test", self.test)):
            arguments = (a for one in sentences for p in one.propositions for a in p.arguments)
            # These can only be missed; they are not in the loss.
            yield Count("arguments whose role train lacks", sum(a.role not in known for a in arguments), split)
        yield Count("roles", len(self.roles) - 1)

    @property
    def n_scored(self) -> int:
        """Gold arguments of dev, which the scores of each epoch rest on."""
        return sum(len(p.arguments) for sentence in self.dev for p in sentence.propositions)

    @property
    def is_learnable(self) -> bool:
        return len(self.roles) > 1  # the first is that of no argument

    def make_baseline(self) -> FrequentRole:
        return FrequentRole.counted(self.train)

    def coded(self, examples: Sequence[LabelledSentence]) -> list[Coded]:
        """Codes the sentences that have a predicate."""
        return super().coded([one for one in examples if one.propositions])
