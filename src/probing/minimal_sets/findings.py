"""The rows of a suite of minimal sets: for each construction and model, over seeds, over constructions."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from src.display.shown import plural
from src.metrics.minimal_sets import SetOutcomes, clustered_interval, points, set_outcomes
from src.probing.minimal_sets.outcome import Model, Scored, ScoringRules, notes_on_left_out, notes_on_unknown
from src.runs.array_records import RegionScores, SetScores
from src.runs.results import FEW_ITEMS, ResultRow
from src.seeds import derived_seed

STAGE = "minimal_sets"
GROUPS = "minimal_set_groups"  # the stage of rows about several constructions together
AVERAGE = "average"  # the grouping of the means that a suite names


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
        groups_of_sets: for each construction, of each grouping, the group of each set: see `ConstructionSets.groups`;
            empty where nothing is grouped.
        means: see `MinimalSuite.means`.
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
    groups_of_sets: Sequence[Mapping[str, np.ndarray]] = ()
    means: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def set_scores(self) -> list[SetScores | RegionScores]:
        """Returns the scores of every sentence or region, for each construction."""
        return [construction.scores for construction in self.constructions]

    def rows(self) -> list[ResultRow]:
        """Returns for each construction and metric a row for every model that has a seed and one with seeds averaged.

        Then the unweighted means over constructions, the groups of sets, and the means that the suite names, likewise.
        Models of several epochs are averaged epoch by epoch.
        """
        tables = [_Table(self, rule, one) for one in self.constructions for rule in one.metrics(self.asks_focus)]
        rows = [row for table in tables for row in table.rows()]
        rows += [row for group in self.groups for row in self._average_rows(tables, group)]
        pooled = list(self._pooled(tables))
        rows += [row for table in pooled for row in table.rows()]
        by_name = {one.columns["test"]: one for one in (*tables, *pooled) if one.metric == "accuracy"}
        for name, members in self.means.items():
            scored = [by_name[member] for member in members]
            rows += [row for group in self.groups for row in self._named_mean(name, scored, group)]
        return rows

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

    def _pooled(self, tables: Sequence["_Table"]) -> Iterator["_Pooled"]:
        """Yields the groups in the order in which the constructions have them, grouping by grouping."""
        if not self.groups_of_sets:
            return
        groups_of = {
            one.scores.test: groups for one, groups in zip(self.constructions, self.groups_of_sets, strict=True)
        }
        for grouping in dict.fromkeys(name for groups in self.groups_of_sets for name in groups):
            parts: dict[tuple[str, str], list[_Part]] = {}
            for table in (one for one in tables if one.metric.startswith("accuracy")):
                of_sets = groups_of[table.test][grouping]
                for group in dict.fromkeys(of_sets[of_sets != ""].tolist()):
                    parts.setdefault((group, table.rule), []).append(_Part(table, of_sets == group))
            for (group, rule), of_group in parts.items():
                yield _Pooled(self, rule, grouping, group, of_group)

    def _model_name(self, places: Sequence[int]) -> str | None:
        names = dict.fromkeys(self.model_names[place] for place in places) if self.model_names else {}
        known = [name for name in names if name is not None]
        return f"{known[0]} and {len(known) - 1} more" if len(known) > 1 else next(iter(known), None)

    def _average_rows(self, tables: Sequence["_Table"], group: Sequence[int]) -> Iterator[ResultRow]:
        """Yields the means over constructions of the metric "accuracy"; one without a scored set has no part."""
        tables = [table for table in tables if table.metric == "accuracy"]
        scored = _with_a_set(tables)
        absent = ", ".join(table.test for table in tables if table not in scored)
        mean = f"mean over {plural(len(scored), 'construction')}"
        without = f"without {absent}" if absent else ""
        notes = [self.label, mean, without, self.unknown_language, self.conventions]
        said = "; ".join(note for note in notes if note)
        yield from self._means(scored, group, said, stage=STAGE, test="")

    def _named_mean(self, name: str, members: Sequence["_Scored"], group: Sequence[int]) -> Iterator[ResultRow]:
        """Yields a mean over constructions and groups that the suite names; none where one has no scored set."""
        lacking = ", ".join(one.columns["test"] for one in members if one not in _with_a_set(members))
        lines = plural(len(members), "line")
        said = f"no mean over {lines}: {lacking} without a scored set" if lacking else f"mean over {lines}"
        yield from self._means(members, group, said, stage=GROUPS, grouping=AVERAGE, test=name)

    def _means(
        self, scored: Sequence["_Scored"], group: Sequence[int], note: str, **columns: str
    ) -> Iterator[ResultRow]:
        values = [_mean([one.counts[place].accuracy for one in scored]) for place in group]
        about = {**columns, "metric": "accuracy", "n": sum(one.n for one in scored)}
        for place, value in zip(group, values, strict=True):
            if place in self.seeded(group):
                yield self.row(place, group, value=_or_none(value), **about)
        yield self.row(None, group, value=_or_none(_mean(values)), sd=_deviation(values), note=note, **about)


@dataclass(frozen=True, eq=False)
class _Scored(ABC):
    """Sets that are counted together, by one rule."""

    findings: MinimalSetFindings
    rule: str

    @property
    @abstractmethod
    def margins(self) -> np.ndarray:
        """In bits, see `src.metrics.minimal_sets.margins`: float64 `[models, sets]`."""

    @property
    @abstractmethod
    def clusters(self) -> np.ndarray:
        """What is resampled, a name for each set: str `[sets]`."""

    @property
    @abstractmethod
    def metric(self) -> str:
        """What the accuracy is called."""

    @property
    @abstractmethod
    def is_identical(self) -> np.ndarray | None:
        """See `src.probing.minimal_sets.outcome.Scored`."""

    @property
    def columns(self) -> dict[str, str | int | None]:
        """The columns of its rows that say what was scored."""
        identical = None if self.is_identical is None else int(self.is_identical.sum())
        return {**self.named, "identical": identical}

    @property
    @abstractmethod
    def named(self) -> dict[str, str]:
        """The columns of its rows that name it."""

    @abstractmethod
    def notes(self) -> list[str]:
        """Says what a reader must know of these sets."""

    @property
    def n(self) -> int:
        """How many sets are scored: the same for all models but where one lacks a score by this rule."""
        one = self.counts[0]
        return one.correct + one.wrong + one.ties

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
        return self.findings.row(place, group, metric=self.metric, **self.columns, **columns)

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
            metric=self.metric,
            note=self._note(group, is_average=True),
            **self.columns,
            **columns,
            **self._interval(group),
        )

    def _interval(self, group: Sequence[int]) -> dict[str, float | None]:
        """Returns the interval over sets, seeds averaged first."""
        if self.findings.rules.ties == "released":
            return {}  # no resample would have the set that this rule adds
        worth = points(self.margins[group], self.findings.rules.ties).mean(axis=0)
        seed = derived_seed(0, "bootstrap", self.columns["test"])
        low, high = clustered_interval(worth, self.clusters, seed)
        return {"interval_low": _or_none(low), "interval_high": _or_none(high)}

    def _note(self, group: Sequence[int], is_average: bool) -> str | None:
        notes = self.notes()
        if self.findings.unknown_language:
            notes.append(self.findings.unknown_language)
        if self.n < FEW_ITEMS:
            notes.append(f"fewer than {FEW_ITEMS} sets")
        if is_average and len(group) == 1 and self.findings.seeded(group):
            notes.append("one seed")
        return ", ".join(notes) or None


@dataclass(frozen=True, eq=False)
class _Table(_Scored):
    """One construction by one rule."""

    construction: Scored

    @property
    def test(self) -> str:
        return self.construction.scores.test

    @property
    def named(self) -> dict[str, str]:
        return {"stage": STAGE, "test": self.test}

    @property
    def metric(self) -> str:
        return self.construction.metrics(self.findings.asks_focus)[self.rule]

    @cached_property
    def margins(self) -> np.ndarray:
        return self.construction.margins(self.rule)

    @property
    def clusters(self) -> np.ndarray:
        return self.construction.clusters

    @property
    def is_identical(self) -> np.ndarray | None:
        return self.construction.is_identical

    def notes(self) -> list[str]:
        return self.construction.notes(self.rule)


@dataclass(frozen=True, eq=False)
class _Part:
    """Those sets of a construction that belong to a group.

    Attributes:
        table: of the construction.
        is_in: which sets are meant: bool `[sets]`.
    """

    table: _Table
    is_in: np.ndarray


@dataclass(frozen=True, eq=False)
class _Pooled(_Scored):
    """A group of sets by one rule: all of them together, so that a construction with more sets counts for more."""

    grouping: str
    group: str
    parts: Sequence[_Part]

    @property
    def named(self) -> dict[str, str]:
        constructions = "+".join(part.table.test for part in self.parts)
        return {"stage": GROUPS, "grouping": self.grouping, "test": self.group, "constructions": constructions}

    @property
    def metric(self) -> str:
        return self.parts[0].table.metric

    @cached_property
    def margins(self) -> np.ndarray:
        return np.concatenate([part.table.margins[:, part.is_in] for part in self.parts], axis=1)

    @cached_property
    def clusters(self) -> np.ndarray:
        return np.concatenate([part.table.clusters[part.is_in] for part in self.parts])

    @property
    def is_identical(self) -> np.ndarray | None:
        found = [part.table.is_identical for part in self.parts]
        if any(one is None for one in found):
            return None
        return np.concatenate([one[part.is_in] for one, part in zip(found, self.parts, strict=True)])

    def notes(self) -> list[str]:
        left_out: Counter[str] = Counter()
        unknown: Counter[str] = Counter()
        for part in self.parts:
            scored = part.table.construction
            left_out.update(reason for reason in scored.scores.left_out[part.is_in].tolist() if reason)
            unknown.update({what: int(which[part.is_in].sum()) for what, which in scored.unknown.items()})
        of = f"sets of {plural(len(self.parts), 'construction')}"
        return [of, *notes_on_left_out(dict(left_out.most_common())), *notes_on_unknown(unknown, left_out)]


def _with_a_set(members: Sequence[_Scored]) -> list[_Scored]:
    """Returns those of which at least one set was scored."""
    return [one for one in members if not np.isnan(one.counts[0].accuracy)]


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
