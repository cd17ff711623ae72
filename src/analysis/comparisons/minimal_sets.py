"""Compares runs of minimal sets set by set with McNemar's exact test: `python analyze.py compare=[run,run]`.

A set is discordant where one run is right more often than the other: with one seed each, where one is right and the
other wrong. McNemar's exact test is the two-sided sign test over the discordant sets. Several seeds of a run are
averaged for each set first, so a set still counts once.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

from src.analysis.comparisons.paired import (
    HOLM_NOTE,
    check_not_itself,
    difference_cells,
    marked_n,
    notes_on_left_out,
    notes_on_marked,
    p_cells,
    report_corrected,
)
from src.analysis.output.tables import Table
from src.analysis.results.config_differences import differences_in_words
from src.analysis.results.minimal_set_run import (
    ALL_PREDICTIONS,
    MinimalSetRun,
    chosen_rule,
    common_constructions,
    read_minimal_set_run,
)
from src.analysis.results.rows import percent
from src.analysis.statistics.significance import ROUNDING
from src.errors import BadValue, PolyprobeError
from src.metrics.minimal_sets import RULES, clustered_interval
from src.seeds import derived_seed

_PLACES = re.compile(r"^predictor\.(paths\..*|device):")  # keys that change no number


@dataclass(frozen=True, slots=True)
class ComparedConstruction:
    """Two runs on the sets of one construction that both scored.

    Attributes:
        construction: its name.
        n: sets that both runs scored.
        skipped: sets that one of them, or both, left out.
        n_lemmas: distinct lemmas of these sets.
        n_seeds: the fewer of the two runs, those without seeds aside; 0 where neither has any.
        first_run, second_run: what is compared, with the model where a run has others.
        rules: what is compared ("sum", or "sum and focus" where the runs differ in it).
        first, second: accuracies, seeds averaged; NaN where no set is scored by both.
        difference: second minus first.
        interval_low, interval_high: of the difference, 95 %, resampled by lemma; NaN with one lemma.
        first_better, second_better: discordant sets.
        p: two-sided, McNemar's exact test.
        p_holm: corrected over all rows of the comparison.
    """

    construction: str
    n: int
    skipped: int
    n_lemmas: int
    n_seeds: int
    first_run: str
    second_run: str
    rules: str
    first: float
    second: float
    difference: float
    interval_low: float
    interval_high: float
    first_better: int
    second_better: int
    p: float
    p_holm: float

    @property
    def has_one_seed(self) -> bool:
        """Whether it rests on one seed; a run without seeds does not."""
        return self.n_seeds == 1


def compare_minimal_sets(work: Path, references: Sequence[str], tests: Sequence[str] | None, rule: str | None) -> Path:
    """Prints how runs of minimal sets differ from the first of them, and writes it to `<work>/comparisons/`.

    Args:
        work: the work folder.
        references: two or more of "run" and "run:model".
        tests: names of constructions, or None for all that the runs share; Holm's correction runs over these.
        rule: what is compared, one of `RULES`; None: the sum, or the focus for a predictor that scores no sentences.

    Returns:
        the CSV file, with a row per construction and run (the fields of `ComparedConstruction`).

    Raises:
        BadValue: a run is compared with itself.
        PolyprobeError: a run is unknown, unfinished or without scores, two runs have other sets, or a run has no score
            by the rule that is named.
    """
    if len(references) < 2:
        raise BadValue("compare", references, "a list of at least two runs, such as [runA,runB] or [run:s1/0,run:s1/8]")
    first, *others = (read_minimal_set_run(work, reference, tests) for reference in references)
    rule = chosen_rule(rule)
    check_not_itself(references, first.name, [(one.run, one.models) for one in (first, *others)])
    for one in (first, *others):
        _check_rule(one, rule)
    groups = [compared_minimal_sets(first, other, rule) for other in others]
    return report_corrected(work, references, groups, lambda rows, place: _table(rows, first, others[place]))


def compared_minimal_sets(first: MinimalSetRun, second: MinimalSetRun, rule: str | None) -> list[ComparedConstruction]:
    """Compares two runs on every construction that both have; p-values are not corrected yet. A tie is worth in both
    what it is in the first.

    Raises:
        PolyprobeError: the constructions or the sentences of the two do not fit.
    """
    return [_compared(test, first, second, rule) for test in common_constructions(first, second)]


def mcnemar(first_better: int, second_better: int) -> float:
    """Returns the two-sided exact p-value that neither side of discordant sets is likelier; 1 where there are none."""
    n = first_better + second_better
    return float(binomtest(first_better, n).pvalue) if n else 1.0


def _check_rule(one: MinimalSetRun, rule: str | None) -> None:
    """Refuses a rule by which a run has no score at all, though it has scores by others."""
    if rule is None or _has_scores(one, rule):
        return
    there = [name for name in (*RULES, ALL_PREDICTIONS) if _has_scores(one, name)]
    if there:
        found = f"rule: {one.name} has no scores by {rule}, only by {', '.join(there)}"
        raise PolyprobeError(f"{found}. Choose a rule that all runs have, or rule=null.")


def _has_scores(one: MinimalSetRun, rule: str) -> bool:
    return any(not np.isnan(one.points(test, rule, one.ties)).all() for test in one.constructions)


def _compared(test: str, first: MinimalSetRun, second: MinimalSetRun, rule: str | None) -> ComparedConstruction:
    rules = [rule or one.rule(test) for one in (first, second)]
    sides = zip((first, second), rules, strict=True)
    before, after = (one.points(test, of_run, first.ties) for one, of_run in sides)
    differences = after - before
    is_scored = ~np.isnan(differences)
    lemmas = first.constructions[test].lemmas
    low, high = clustered_interval(differences, lemmas, derived_seed(0, "comparison", test))
    better = [int(np.count_nonzero(sign * differences > ROUNDING)) for sign in (-1, 1)]
    means = [_mean(points[is_scored]) for points in (before, after, differences)]
    return ComparedConstruction(
        construction=test,
        n=int(is_scored.sum()),
        skipped=int((~is_scored).sum()),
        n_lemmas=len(np.unique(lemmas[is_scored])),
        n_seeds=min((one.n_seeds for one in (first, second) if one.n_seeds), default=0),
        first_run=first.name,
        second_run=second.name,
        rules=" and ".join(dict.fromkeys(rules)),
        first=means[0],
        second=means[1],
        difference=means[2],
        interval_low=low,
        interval_high=high,
        first_better=better[0],
        second_better=better[1],
        p=mcnemar(*better) if is_scored.any() else np.nan,
        p_holm=np.nan,
    )


def _mean(numbers: np.ndarray) -> float:
    return float(numbers.mean()) if len(numbers) else np.nan


def _table(rows: Sequence[ComparedConstruction], first: MinimalSetRun, second: MinimalSetRun) -> Table:
    has_skipped = any(row.skipped for row in rows)
    counts = ["n", "skipped", "lemmas"] if has_skipped else ["n", "lemmas"]
    right = [*counts, "first", "second", "difference", "95 %", "first better", "second better", "p", "Holm", ""]
    table = Table(["construction"], right)
    for row in rows:
        n = marked_n(row)
        counts = [n, str(row.skipped), str(row.n_lemmas)] if has_skipped else [n, str(row.n_lemmas)]
        accuracies, better = [percent(row.first), percent(row.second)], [row.first_better, row.second_better]
        discordant = ["-", "-"] if np.isnan(row.p) else map(str, better)
        table.add_row(row.construction, *counts, *accuracies, *difference_cells(row), *discordant, *p_cells(row))
    title = f"Difference of accuracy in minimal sets (%): {first.lang}, {first.suite}"
    return table.titled(title, _notes(rows, first, second))


def _notes(rows: Sequence[ComparedConstruction], first: MinimalSetRun, second: MinimalSetRun) -> list[str]:
    has_seeds = len(first.models) > 1 or len(second.models) > 1
    averaged = " The seeds of a run are averaged in each set first." if has_seeds else ""
    drawn = "items" if any(ALL_PREDICTIONS in row.rules for row in rows) else "lemmas of the focus word"
    differences = [one for one in differences_in_words(first.run, second.run) if not _PLACES.search(one)]
    return [
        f"first: {first.name}; second: {second.name}.",
        f"Compared by {', '.join(dict.fromkeys(row.rules for row in rows))}; ties are {_worth(first.ties)} in both.",
        f"difference: second minus first, with its 95 % interval: bootstrap over {drawn}.",
        f"first, second better: sets in which one is right more often than the other.{averaged}",
        "p: McNemar's exact test, two-sided. It takes sets as independent. Those that share a lemma or a template are",
        "not, and p is too small for them: look at the interval over lemmas, too.",
        HOLM_NOTE,
        *notes_on_marked(rows, "sets"),
        *notes_on_left_out(first.constructions, second.constructions),
        *[f"Configured otherwise: {one}" for one in differences],
    ]


def _worth(ties: str) -> str:
    return {"half": "half correct", "released": "correct"}.get(ties, ties)
