"""The result rows of a training run: scores after every epoch, of the best epoch, and of the trivial baseline."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from polyprobe.encoders.inputs.vector_source import VectorSource
from polyprobe.metrics.task_score import TaskScore
from polyprobe.runs.results import ResultRow
from polyprobe.training.settings import TrainingSettings


@dataclass(frozen=True, slots=True)
class RowsOfRun:
    """Makes rows of scores.

    Attributes:
        settings: of the run.
        corpus: its name.
        note: on every row; None: none.
        source: of the frozen vectors that the model reads; None where it learns its own.
    """

    settings: TrainingSettings
    corpus: str
    note: str | None
    source: VectorSource | None

    def of_epochs(
        self, history: Sequence[Mapping[str, float]], n_scored: int, otherwise: Mapping[str, tuple[int, str]]
    ) -> Iterator[ResultRow]:
        """Yields the scores on dev after every epoch.

        Args:
            history: the metrics of each epoch, see `History.rows`.
            n_scored: how much of dev is counted.
            otherwise: how much is counted in metrics that are not counted as the task says, and by whose rule.
        """
        task = self.settings.task
        for epoch in history:
            scores = [
                TaskScore(metric, epoch[f"dev/{metric}"], *otherwise.get(metric, (n_scored, task.scorer)))
                for metric in task.metrics
            ]
            yield from self._of_model("training", "dev", scores, int(epoch["epoch"]))

    def of_best(self, split: str, scores: Sequence[TaskScore], epoch: int) -> Iterator[ResultRow]:
        """Yields the scores of the best epoch on a split."""
        return self._of_model("test", split, scores, epoch)

    def of_baseline(self, name: str, split: str, scores: Sequence[TaskScore], note: str | None) -> Iterator[ResultRow]:
        """Yields the scores of the trivial baseline on a split, with a note of their own."""
        return (self._row(score, stage="baseline", split=split, encoder=name, note=note) for score in scores)

    def _of_model(self, stage: str, split: str, scores: Sequence[TaskScore], epoch: int) -> Iterator[ResultRow]:
        read = {"encoder": self.settings.inputs.name, **self._vector_columns()}
        return (self._row(score, stage=stage, split=split, epoch=epoch, note=self.note, **read) for score in scores)

    def _vector_columns(self) -> dict[str, str | None]:
        """Returns the columns that say what frozen vectors a model reads; none where it learns its own."""
        if self.source is None:
            return {}
        name = self.source.encoder.model_name
        return {"model": name, "options": self.settings.inputs.choice.in_words(name is not None)}

    def _row(self, score: TaskScore, **columns: str | int | None) -> ResultRow:
        return ResultRow(
            lang=self.settings.lang,
            suite=self.settings.task.name,
            test=score.part,
            corpus=self.corpus,
            seed=self.settings.seed,
            metric=score.metric,
            scorer=score.scorer,
            value=score.value,
            precision=score.precision,
            recall=score.recall,
            interval_low=score.interval_low,
            interval_high=score.interval_high,
            n=score.n,
            **columns,
        )
