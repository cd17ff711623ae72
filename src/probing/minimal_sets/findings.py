"""The rows of a suite of minimal sets: for each construction and model, over seeds, over constructions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from src.display.plural import plural
from src.metrics.minimal_sets import SetOutcomes, clustered_interval, points, set_outcomes
from src.probing.minimal_sets.outcome import Model, Scored, ScoringRules
from src.runs.region_scores import RegionScores
from src.runs.results import FEW_ITEMS, ResultRow
from src.runs.set_scores import SetScores
from src.seeds import derived_seed

STAGE = "minimal_sets"


@dataclass(frozen=True, eq=False)
class MinimalSetFindings:
    """A suite with what models made of it.

    Attributes:
        suite: its name.
        rules: by which it was scored.
        models: in the order of the scores.
        asks_focus: whether only the words that differ were scored.
        label: of the predictors: which model it is; None where the scored run says it.
        conventions: of the predictors, one line.
        unknown_language: that a model was not trained on the language, in words; "" where nothing is known of that.
        constructions: in the order of the suite.
        model_names: of the models, for the rows, as far as they are known.
    """

    suite: str
    rules: ScoringRules
    models: Sequence[Model]
    asks_focus: bool
    label: str | None
    conventions: str
    unknown_language: str
    constructions: Sequence[Scored]
    model_names: Sequence[str | None] = ()

    def set_scores(self) -> list[SetScores | RegionScores]:
        """Returns the scores of every sentence or region, for each construction."""
        return [construction.scores for construction in self.constructions]

    def rows(self) -> list[ResultRow]:
        """Returns for each construction and metric a row for every model that has a seed and one with seeds averaged.

        Then the unweighted means over constructions, likewise. Models of several epochs are averaged epoch by epoch.
        """
        tables = [_Table(self, one, rule) for one in self.constructions for rule in one.metrics(self.asks_focus)]
        rows = [row for table in tables for row in table.rows()]
        return rows + [row for group in self.groups for row in self._average_rows(tables, group)]

    @property
    def groups(self) -> list[list[int]]:
        """The places of the models that are averaged: of one epoch each, or all where every one has its own seed."""
        if len({model.seed for model in self.models}) == len(self.models):
            return [list(range(len(self.models)))]
        epochs = dict.fromkeys(model.epoch for model in self.models)
        return [[place for place, model in enumerate(self.models) if model.epoch == epoch] for epoch in epochs]

    def row(self, place: int | None, group: Sequence[int], **columns) -> ResultRow:
        """Returns a row of one model, or of the average of a group (`place` is None)."""
        model = Model(None, self.common_epoch(group)) if place is None else self.models[place]
        is_seeded = self.models[group[0]].seed is not None
        return ResultRow(
            stage=STAGE,
            lang=self.rules.lang,
            suite=self.suite,
            split="test",
            predictor=self.rules.predictor,
            model=self._model_name(group if place is None else [place]),
            options=self.rules.options,
            seed=model.seed,
            epoch=model.epoch,
            n_seeds=len(group) if place is None and is_seeded else None,
            scorer="released" if self.rules.ties == "released" else "polyprobe",
            **columns,
        )

    def seeded(self, group: Sequence[int]) -> list[int]:
        """Those of a group that have a row of their own: without a seed it would be that of the average."""
        return [place for place in group if self.models[place].seed is not None]

    def common_epoch(self, group: Sequence[int]) -> int | None:
        """Returns the epoch that all models of a group have; None where they differ or have none."""
        epochs = {self.models[place].epoch for place in group}
        return epochs.pop() if len(epochs) == 1 else None

    def _model_name(self, places: Sequence[int]) -> str | None:
        names = dict.fromkeys(self.model_names[place] for place in places) if self.model_names else {}
        known = [name for name in names if name is not None]
        return f"{known[0]} and {len(known) - 1} more" if len(known) > 1 else next(iter(known), None)

    def _average_rows(self, tables: Sequence["_Table"], group: Sequence[int]) -> Iterator[ResultRow]:
        """Yields the means over constructions of the metric "accuracy"; one without a scored set has no part."""
        tables = [table for table in tables if table.metric == "accuracy"]
        scored = [table for table in tables if table.counts[0].accuracy == table.counts[0].accuracy]
        values = [_mean([table.counts[place].accuracy for table in scored]) for place in group]
        absent = ", ".join(table.test for table in tables if table not in scored)
        columns = {"metric": "accuracy", "test": "", "n": sum(table.n for table in scored)}
        for place, value in zip(group, values, strict=True):
            if place in self.seeded(group):
                yield self.row(place, group, value=_or_none(value), **columns)
        mean = f"mean over {plural(len(scored), 'construction')}"
        without = f"without {absent}" if absent else ""
        notes = [self.label, mean, without, self.unknown_language, self.conventions]
        columns["note"] = "; ".join(note for note in notes if note)
        yield self.row(None, group, value=_or_none(_mean(values)), sd=_deviation(values), **columns)


@dataclass(frozen=True, eq=False)
class _Table:
    """One construction by one rule."""

    findings: MinimalSetFindings
    construction: Scored
    rule: str

    @property
    def test(self) -> str:
        return self.construction.scores.test

    @property
    def metric(self) -> str:
        return self.construction.metrics(self.findings.asks_focus)[self.rule]

    @property
    def n(self) -> int:
        """How many sets are scored: the same for all models but where one lacks a score by this rule."""
        one = self.counts[0]
        return one.correct + one.wrong + one.ties

    @cached_property
    def margins(self) -> np.ndarray:
        return self.construction.margins(self.rule)

    @cached_property
    def counts(self) -> list[SetOutcomes]:
        return [set_outcomes(of_model, self.findings.rules.ties) for of_model in self.margins]

    def rows(self) -> Iterator[ResultRow]:
        for group in self.findings.groups:
            for place in self.findings.seeded(group):
                yield self._row(place, group)
            yield self._average(group)

    def _row(self, place: int, group: Sequence[int]) -> ResultRow:
        one = self.counts[place]
        columns = {**_counted(one), **self._interval([place]), "note": self._note(group, is_average=False)}
        columns["value"] = _or_none(one.accuracy)
        return self.findings.row(place, group, test=self.test, metric=self.metric, **columns)

    def _average(self, group: Sequence[int]) -> ResultRow:
        counts = [self.counts[place] for place in group]
        values = [one.accuracy for one in counts]
        columns = _counted(counts[0]) if len(counts) == 1 else {"n": self.n, "skipped": counts[0].skipped}
        columns["margin"] = _or_none(_mean([one.margin for one in counts]))
        columns["median_margin"] = _or_none(_mean([one.median_margin for one in counts]))
        return self.findings.row(
            None,
            group,
            value=_or_none(_mean(values)),
            sd=_deviation(values),
            test=self.test,
            metric=self.metric,
            note=self._note(group, is_average=True),
            **columns,
            **self._interval(group),
        )

    def _interval(self, group: Sequence[int]) -> dict[str, float | None]:
        """Returns the interval over sets, seeds averaged first."""
        if self.findings.rules.ties == "released":
            return {}  # no resample would have the set that this rule adds
        worth = points(self.margins[group], self.findings.rules.ties).mean(axis=0)
        seed = derived_seed(0, "bootstrap", self.test)
        low, high = clustered_interval(worth, self.construction.clusters, seed)
        return {"interval_low": _or_none(low), "interval_high": _or_none(high)}

    def _note(self, group: Sequence[int], is_average: bool) -> str | None:
        notes = self.construction.notes(self.rule)
        if self.findings.unknown_language:
            notes.append(self.findings.unknown_language)
        if self.n < FEW_ITEMS:
            notes.append(f"fewer than {FEW_ITEMS} sets")
        if is_average and len(group) == 1 and self.findings.seeded(group):
            notes.append("one seed")
        return ", ".join(notes) or None


def _counted(one: SetOutcomes) -> dict[str, float | None]:
    return {
        "n": one.correct + one.wrong + one.ties,
        "correct": one.correct,
        "wrong": one.wrong,
        "ties": one.ties,
        "skipped": one.skipped,
        "margin": _or_none(one.margin),
        "median_margin": _or_none(one.median_margin),
    }


def _or_none(number: float) -> float | None:
    """Returns a number, or None for what is not one."""
    return None if np.isnan(number) else number


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def _deviation(values: Sequence[float]) -> float | None:
    """Returns the standard deviation of a sample; None where there is one value, or one that is not a number."""
    return _or_none(float(np.std(values, ddof=1))) if len(values) > 1 else None
