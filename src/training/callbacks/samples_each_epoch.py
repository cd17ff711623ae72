"""What a model writes from a few sentences of dev after every epoch, for people to read: samples.tsv, and W&B."""

from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, fields
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Checkpoint
from pytorch_lightning.loggers import WandbLogger

from polyprobe.formats.files.atomic import write_text
from polyprobe.formats.texts.sentence_lines import TargetedSentence
from polyprobe.runs.directory import RunDirectory
from polyprobe.training.callbacks.history import History

SAMPLES = "samples"


@dataclass(frozen=True, slots=True)
class Sample:
    """A sentence of dev, its target and what was written in its place; words are separated by blanks."""

    epoch: int
    sentence: str
    target: str
    answer: str


COLUMNS = tuple(field.name for field in fields(Sample))


def spread(sentences: Sequence[TargetedSentence], n: int) -> list[TargetedSentence]:
    """Returns at most so many sentences, at equal distances, the first one first."""
    n = min(n, len(sentences))
    return [sentences[place * len(sentences) // n] for place in range(n)]


class SamplesEachEpoch(Checkpoint):
    """Lets the model answer a few sentences after every epoch, epoch 0 (before training) included.

    The samples are kept in the checkpoints and the file is rewritten from them, as metrics.csv is; a resumed run sends
    the earlier ones to W&B again. A `Checkpoint` callback, see `History`, which must stand before it; that of the
    checkpoints must stand behind it.

    Args:
        history: numbers the epochs and has the logger.
        sentences: to answer, with their targets; none: nothing is done.
    """

    def __init__(self, directory: RunDirectory, history: History, sentences: Sequence[TargetedSentence]):
        self.directory, self.history, self.sentences = directory, history, list(sentences)
        self.samples: list[Sample] = []
        self._n_sent = 0  # epochs

    def state_dict(self) -> dict[str, Any]:
        return {"samples": [asdict(sample) for sample in self.samples]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.samples = [Sample(**sample) for sample in state["samples"]]

    def on_train_start(self, trainer: pl.Trainer, module: pl.LightningModule) -> None:
        self._add_epoch(trainer, module)

    def on_train_epoch_end(self, trainer: pl.Trainer, module: pl.LightningModule) -> None:
        self._add_epoch(trainer, module)

    def publish(self) -> None:
        """Writes samples.tsv and sends what is new to W&B; for the first process of a run alone."""
        if not self.samples:
            return
        rows = [COLUMNS, *map(astuple, self.samples)]
        write_text(self.directory.samples, "".join("\t".join(map(str, row)) + "\n" for row in rows))
        if isinstance(self.history.logger, WandbLogger):
            for epoch in range(self._n_sent, len(self.history.rows)):
                rows = [list(astuple(sample)) for sample in self.samples if sample.epoch == epoch]
                self.history.logger.log_table(SAMPLES, list(COLUMNS), rows, step=epoch)
            self._n_sent = len(self.history.rows)

    def _add_epoch(self, trainer: pl.Trainer, module: pl.LightningModule) -> None:
        if not self.sentences or not trainer.is_global_zero:
            return
        epoch = len(self.history.rows) - 1
        if all(sample.epoch != epoch for sample in self.samples):
            answers = zip(self.sentences, module.answers(self.sentences), strict=True)
            self.samples += [_sample(epoch, sentence, answer) for sentence, answer in answers]
        self.publish()


def _sample(epoch: int, sentence: TargetedSentence, answer: Sequence[str]) -> Sample:
    return Sample(epoch, *map(_cell, (sentence.words, sentence.target, answer)))


def _cell(words: Sequence[str]) -> str:
    return " ".join(words).replace("\t", " ")  # a tab is part of a word where only blanks end one
