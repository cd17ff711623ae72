"""The rows of a suite of minimal sets: for each construction and model, over seeds, over constructions."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from polyprobe.display.shown import plural
from polyprobe.metrics.minimal_sets import SetOutcomes, clustered_interval, margins, points, set_outcomes
from polyprobe.predictors.base.predictor import Predictor
from polyprobe.probing.minimal_sets.outcome import (
    METRICS,
    Model,
    ScoredConstruction,
    ScoringRules,
    distinct_models,
    notes_on_left_out,
    notes_on_unknown,
    unknown_language,
)
from polyprobe.probing.suites.minimal_sets import MinimalSuite
from polyprobe.runs.array_records import SetScores
from polyprobe.runs.results import FEW_ITEMS, ResultRow, known_number
from polyprobe.seeds import derived_seed

STAGE = "minimal_sets"
GROUPS = "minimal_set_groups"  # the stage of rows about several constructions together
MARGINS = ("margin", "median_margin")
NO_SCORE = "no score: every scored set has an OOV critical word"
AVERAGE = "average"  # the grouping of the means that a suite names

Part = tuple[ScoredConstruction, np.ndarray]
"""A construction, and which of its sets are meant: bool `[sets]`."""


@dataclass(frozen=True, eq=False)
class _Line:
    """Sets that are counted together, by one rule: those of a construction, or of a group of sets."""

    columns: Mapping[str, str | int | None]
    """Of its rows: what was scored."""
    metric: str
    """What the accuracy is called."""
    margins: np.ndarray
    """In bits, see `polyprobe.metrics.minimal_sets.margins`: float64 `[models, sets]`."""
    clusters: np.ndarray
    """What is resampled, a name for each set: str `[sets]`."""
    counts: Sequence[SetOutcomes]
    """Of each model."""
    has_score: bool
    """Whether at least one scored set has critical words that are all known: else a score would say nothing."""
    notes: Sequence[str]
    """What a reader must know of these sets."""

    @property
    def test(self) -> str:
        return self.columns["test"]

    @property
    def n(self) -> int:
        """How many sets are scored: the same for all models but where one lacks a score by this rule."""
        one = self.counts[0]
        return one.correct + one.wrong + one.ties

    def accuracy(self, place: int) -> float:
        """Returns the accuracy of a model; NaN without a score."""
        return self.counts[place].accuracy if self.has_score else float("nan")


@dataclass(frozen=True, eq=False)
class MinimalSetFindings:
    """A suite with what models made of it."""

    suite: MinimalSuite
    predictors: Sequence[Predictor]
    rules: ScoringRules
    constructions: Sequence[ScoredConstruction]
    """In the order of the suite."""

    @cached_property
    def models(self) -> list[Model]:
        """Seed and epoch of each predictor: the models, in the order of the scores."""
        return distinct_models(self.predictors)

    @property
    def label(self) -> str | None:
        """Which model it is; None where the scored run says it."""
        return self.predictors[0].label

    @property
    def conventions(self) -> str:
        """Of the predictors, one line."""
        return "; ".join(dict.fromkeys(one.conventions for one in self.predictors))

    @cached_property
    def _unknown_language(self) -> str:
        return unknown_language(self.predictors, self.rules.lang)

    @property
    def _metrics(self) -> Mapping[str, str]:
        """The metric of each rule, that of the main table first; models that score the focus alone have no other."""
        return {"focus": "accuracy"} if self.predictors[0].asks_focus else METRICS

    def set_scores(self) -> list[SetScores]:
        """Returns the scores of every sentence, for each construction."""
        return [construction.scores for construction in self.constructions]

    def rows(self) -> list[ResultRow]:
        """Returns for each construction and metric a row for every model that has a seed and one with seeds averaged.

        Then the unweighted means over constructions, the groups of sets, and the means that the suite names, likewise.
        Models of several epochs are averaged epoch by epoch.
        """
        lines, pooled = list(self._lines()), list(self._pooled())
        by_name = {line.test: line for line in (*lines, *pooled) if line.metric == "accuracy"}
        rows = [row for line in lines for row in self._rows_of(line)]
        rows += [row for group in self._groups for row in self._average_rows(lines, group)]
        rows += [row for line in pooled for row in self._rows_of(line)]
        for name, members in self.suite.means.items():
            scored = [by_name[member] for member in members]
            rows += [row for group in self._groups for row in self._named_mean(name, scored, group)]
        return rows

    @property
    def _groups(self) -> list[list[int]]:
        """The places of the models that are averaged: of one epoch each, or all where every one has its own seed."""
        if len({model.seed for model in self.models}) == len(self.models):
            return [list(range(len(self.models)))]
        epochs = dict.fromkeys(model.epoch for model in self.models)
        return [[place for place, model in enumerate(self.models) if model.epoch == epoch] for epoch in epochs]

    def _lines(self) -> Iterator[_Line]:
        """Yields every construction by every rule."""
        for one in self.constructions:
            named = {"stage": STAGE, "test": one.scores.test}
            all_sets = np.ones(len(one.scores.numbers), dtype=bool)
            for rule in self._metrics:
                yield self._line(rule, [(one, all_sets)], named, one.notes())

    def _pooled(self) -> Iterator[_Line]:
        """Yields the groups in the order in which the constructions have them, grouping by grouping.

        A group has all of its sets together, so that a construction with more sets counts for more.
        """
        for grouping in dict.fromkeys(name for one in self.suite.constructions for name in one.groups):
            parts: dict[tuple[str, str], list[Part]] = {}
            for one, construction in zip(self.constructions, self.suite.constructions, strict=True):
                of_sets = construction.groups[grouping]
                for rule in self._metrics:
                    for group in dict.fromkeys(of_sets[of_sets != ""].tolist()):
                        parts.setdefault((group, rule), []).append((one, of_sets == group))
            for (group, rule), of_group in parts.items():
                constructions = "+".join(one.scores.test for one, _ in of_group)
                named = {"stage": GROUPS, "grouping": grouping, "test": group, "constructions": constructions}
                yield self._line(rule, of_group, named, _notes_on_group(of_group))

    def _line(self, rule: str, parts: Sequence[Part], named: Mapping[str, str], notes: Sequence[str]) -> _Line:
        bits = np.concatenate([margins(one.scores, rule)[:, is_in] for one, is_in in parts], axis=1)
        is_oov = np.concatenate([one.is_oov[is_in] for one, is_in in parts])
        is_scored = ~np.isnan(bits).all(axis=0)
        has_score = bool((is_scored & ~is_oov).any())
        no_score = [NO_SCORE] if is_scored.any() and not has_score else []
        n_identical = sum(int(one.scores.is_identical[is_in].sum()) for one, is_in in parts)
        return _Line(
            columns={**named, "identical": n_identical, "oov_sets": float(is_oov.mean()) if len(is_oov) else None},
            metric=self._metrics[rule],
            margins=bits,
            clusters=np.concatenate([one.scores.lemmas[is_in] for one, is_in in parts]),
            counts=[set_outcomes(of_model, self.rules.ties) for of_model in bits],
            has_score=has_score,
            notes=[*no_score, *notes],
        )

    def _rows_of(self, line: _Line) -> Iterator[ResultRow]:
        for group in self._groups:
            for place in self._seeded(group):
                one = line.counts[place]
                columns = {**_counted(one, line.has_score), **self._interval(line, [place]), "note": self._note(line)}
                value = known_number(line.accuracy(place))
                yield self._row(place, group, value=value, metric=line.metric, **line.columns, **columns)
            yield self._seeds_averaged(line, group)

    def _seeds_averaged(self, line: _Line, group: Sequence[int]) -> ResultRow:
        counts = [line.counts[place] for place in group]
        values = [line.accuracy(place) for place in group]
        columns = _counted(counts[0], True) if len(counts) == 1 else {"n": line.n, "skipped": counts[0].skipped}
        for name in MARGINS:
            margin = _mean([getattr(one, name) for one in counts])
            columns[name] = known_number(margin) if line.has_score else None
        one_seed = ["one seed"] if len(group) == 1 and self._seeded(group) else []
        return self._row(
            None,
            group,
            value=known_number(_mean(values)),
            sd=_deviation(values),
            metric=line.metric,
            note=self._note(line, *one_seed),
            **line.columns,
            **columns,
            **self._interval(line, group),
        )

    def _interval(self, line: _Line, group: Sequence[int]) -> dict[str, float | None]:
        """Returns the interval over sets, seeds averaged first."""
        if self.rules.ties == "released" or not line.has_score:
            return {}  # no resample would have the set that this rule adds
        worth = points(line.margins[group], self.rules.ties).mean(axis=0)
        low, high = clustered_interval(worth, line.clusters, derived_seed(0, "bootstrap", line.test))
        return {"interval_low": known_number(low), "interval_high": known_number(high)}

    def _note(self, line: _Line, *further: str) -> str | None:
        few = f"fewer than {FEW_ITEMS} sets" if line.n < FEW_ITEMS else ""
        return ", ".join(filter(None, [*line.notes, self._unknown_language, few, *further])) or None

    def _average_rows(self, lines: Sequence[_Line], group: Sequence[int]) -> Iterator[ResultRow]:
        """Yields the means over constructions of the metric "accuracy"; one without a score has no part."""
        lines = [line for line in lines if line.metric == "accuracy"]
        scored = [line for line in lines if line.has_score]
        absent = ", ".join(line.test for line in lines if not line.has_score)
        mean = f"mean over {plural(len(scored), 'construction')}"
        without = f"without {absent}" if absent else ""
        said = "; ".join(filter(None, [self.label, mean, without, self._unknown_language, self.conventions]))
        yield from self._means(scored, group, said, stage=STAGE, test="")

    def _named_mean(self, name: str, members: Sequence[_Line], group: Sequence[int]) -> Iterator[ResultRow]:
        """Yields a mean over constructions and groups that the suite names; none where one has no score."""
        lacking = ", ".join(line.test for line in members if not line.has_score)
        lines = plural(len(members), "line")
        said = f"no mean over {lines}: {lacking} without a score" if lacking else f"mean over {lines}"
        yield from self._means(members, group, said, stage=GROUPS, grouping=AVERAGE, test=name)

    def _means(self, scored: Sequence[_Line], group: Sequence[int], note: str, **columns: str) -> Iterator[ResultRow]:
        values = [_mean([line.accuracy(place) for line in scored]) for place in group]
        about = {**columns, "metric": "accuracy", "n": sum(line.n for line in scored)}
        for place, value in zip(group, values, strict=True):
            if place in self._seeded(group):
                yield self._row(place, group, value=known_number(value), **about)
        yield self._row(None, group, value=known_number(_mean(values)), sd=_deviation(values), note=note, **about)

    def _row(self, place: int | None, group: Sequence[int], **columns) -> ResultRow:
        """Returns a row of one model, or of the average of a group (`place` is None)."""
        epochs = {self.models[one].epoch for one in group}
        common = Model(None, epochs.pop() if len(epochs) == 1 else None)
        model = common if place is None else self.models[place]
        is_seeded = self.models[group[0]].seed is not None
        return ResultRow(
            lang=self.rules.lang,
            suite=self.suite.name,
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

    def _model_name(self, places: Sequence[int]) -> str | None:
        names = dict.fromkeys(self.predictors[place].model_name for place in places)
        known = [name for name in names if name is not None]
        return f"{known[0]} and {len(known) - 1} more" if len(known) > 1 else next(iter(known), None)

    def _seeded(self, group: Sequence[int]) -> list[int]:
        """Those of a group that have a row of their own: without a seed it would be that of the average."""
        return [place for place in group if self.models[place].seed is not None]


def _notes_on_group(parts: Sequence[Part]) -> list[str]:
    left_out: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    for one, is_in in parts:
        left_out.update(reason for reason in one.scores.left_out[is_in].tolist() if reason)
        unknown.update({what: int(which[is_in].sum()) for what, which in one.unknown.items()})
    of = f"sets of {plural(len(parts), 'construction')}"
    return [of, *notes_on_left_out(dict(left_out.most_common())), *notes_on_unknown(unknown, left_out)]


def _counted(one: SetOutcomes, has_score: bool) -> dict[str, float | None]:
    margins = {name: known_number(getattr(one, name)) if has_score else None for name in MARGINS}
    return {
        "n": one.correct + one.wrong + one.ties,
        "correct": one.correct,
        "wrong": one.wrong,
        "ties": one.ties,
        "skipped": one.skipped,
        **margins,
    }


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def _deviation(values: Sequence[float]) -> float | None:
    """Returns the standard deviation of a sample; None where there is one value, or one that is not a number."""
    return known_number(float(np.std(values, ddof=1))) if len(values) > 1 else None
