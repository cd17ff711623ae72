"""Reads the scores of a run of minimal sets, selects models, and pairs them with those of another run."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from src.analysis.results.collection import find_run
from src.analysis.results.kinds import MINIMAL_SETS
from src.analysis.results.paired_runs import PairingWords, common_names, first_difference
from src.analysis.results.run_references import chosen_tests, split_reference
from src.errors import BadValue, PolyprobeError, UnknownChoice
from src.metrics.minimal_sets import RULES, TIES, margins, points
from src.runs.array_records import RegionScores, SetScores
from src.runs.directory import RunDirectory

ALL_PREDICTIONS = "all predictions"  # the rule of items of SyntaxGym
SEEDLESS = "model"  # name of a model without a seed and an epoch
Sentence = tuple[int, str]  # place of its set, and its words


@dataclass(frozen=True)
class MinimalSetRun:
    """How the models of one run scored minimal sets: of all seeds, or of one model.

    Attributes:
        run: the run's folder.
        suite, lang: of its rows.
        ties: what a tie is worth in the run, one of `TIES`.
        constructions: scores by the name of the construction; of items of SyntaxGym, those of regions.
        models: names of those that are meant, as the files have them.
    """

    run: RunDirectory
    suite: str
    lang: str
    ties: str
    constructions: dict[str, SetScores | RegionScores]
    models: tuple[str, ...]

    @property
    def name(self) -> str:
        """The run, and the model where the run has others."""
        one = next(iter(self.constructions.values()))
        return self.run.name + ("" if len(self.models) == len(one.models) else f":{', '.join(self.models)}")

    @property
    def n_seeds(self) -> int:
        """How many seeds are averaged; 0 where nothing of the models was drawn here."""
        return len({_seed_and_epoch(one)[0] for one in self.models} - {"", SEEDLESS})

    @property
    def names(self) -> list[str]:
        """The names of its constructions."""
        return list(self.constructions)

    def items(self, construction: str) -> list[Sentence]:
        """Returns the sentences of a construction, each with the place of its set."""
        scores = self.constructions[construction]
        return list(zip(scores.set_of_sentence.tolist(), scores.sentences.tolist(), strict=True))

    def rule(self, construction: str) -> str:
        """Names the rule that its scores allow: "sum", or "focus" where the predictor scores the focus words alone.

        Items of SyntaxGym have a rule of their own.
        """
        if isinstance(self.constructions[construction], RegionScores):
            return ALL_PREDICTIONS
        sums = self.constructions[construction].sums
        return "focus" if len(sums) and np.isnan(sums).all() else "sum"

    def points(self, construction: str, rule: str, ties: str) -> np.ndarray:
        """Returns for each set the mean points of the models: float64 `[sets]`, NaN where it is not scored."""
        scores = self.constructions[construction]
        meant = np.isin(scores.models, self.models)
        if isinstance(scores, RegionScores) != (rule == ALL_PREDICTIONS):
            return np.full(len(scores.numbers), np.nan)  # no score by a rule of the other kind
        found = scores.all_margins if isinstance(scores, RegionScores) else margins(scores, rule)
        return points(found, ties)[meant].mean(axis=0)


def are_minimal_set_runs(work: Path, references: object) -> bool:
    """Says whether all that a user names as "run" or "run:model" scored minimal sets, and probed nothing.

    Raises:
        PolyprobeError: some did and some did not, or a run is unknown or not finished.
    """
    if not isinstance(references, Sequence) or isinstance(references, str):
        return False
    runs = [RunDirectory(find_run(work, split_reference(reference)[0])) for reference in references]
    scored = {run.name: _scored_minimal_sets(run) for run in runs}
    if any(scored.values()) and not all(scored.values()):
        others = ", ".join(name for name, has_scored in scored.items() if not has_scored)
        raise PolyprobeError(f"{others} scored no minimal sets, as the other runs did. They cannot stand together.")
    return any(scored.values())


def read_minimal_set_run(work: Path, reference: str, names: Sequence[str] | None) -> MinimalSetRun:
    """Reads the scores that a user names as "run" or "run:model".

    Args:
        work: the work folder.
        reference: name or folder of the run, and what its files call the model ("s1", "s1/8"), or an epoch ("8") of
            all its seeds.
        names: of the constructions that are meant, in this order; None for all.

    Raises:
        BadValue: `names` is not a list.
        UnknownChoice: there is no such run, model or construction; names the nearest.
        PolyprobeError: the run is not finished, has no scores, or has several epochs and none is named.
    """
    name, model = split_reference(reference)
    run = RunDirectory(find_run(work, name))
    files, regions = run.arrays(run.set_scores), run.arrays(run.region_scores)
    if not files and not regions:
        raise PolyprobeError(f"{run.path} has no scores of single sets, as runs of probe.py have.")
    rows = [row for row in run.rows() if row["stage"] == MINIMAL_SETS]
    order = [row["test"] for row in rows if row.get("test")]
    scores = {one.test: one for one in (*map(SetScores.read, files), *map(RegionScores.read, regions))}
    in_order = {test: scores[test] for test in dict.fromkeys([*order, *scores]) if test in scores}
    suite, lang = (rows[0]["suite"], rows[0]["lang"]) if rows else ("", "")
    chosen = chosen_tests(in_order, names, "construction", "[simple_agrmt,vp_coord]")
    return MinimalSetRun(run, suite, lang, ties_of(run), chosen, _models(run, in_order, model))


def ties_of(run: RunDirectory) -> str:
    """Returns what a tie is worth in a run, by its configuration; "wrong" where that says nothing.

    Raises:
        DamagedRun: the configuration is not as it was written.
    """
    found = run.configuration_if_any().get("ties")
    return found if found in TIES else TIES[0]


def common_constructions(first: MinimalSetRun, second: MinimalSetRun) -> list[str]:
    """Names the constructions that both runs have, after checking that they are the same sets.

    Raises:
        PolyprobeError: the runs have other suites, other languages or no construction in common, or one has other
            sentences.
    """
    return common_names(first, second, PairingWords("sets", "construction", "of the same sentences", _difference))


def chosen_rule(rule: object) -> str | None:
    """Checks the rule that a user names.

    Raises:
        BadValue: it is none of `RULES`, nor None.
    """
    if rule is not None and rule not in RULES:
        raise BadValue("rule", rule, f"{', '.join(RULES)} or null")
    return rule


def _models(run: RunDirectory, scores: dict[str, SetScores | RegionScores], model: str | None) -> tuple[str, ...]:
    known = [str(one) for one in next(iter(scores.values())).models]
    chosen = tuple(one for one in known if model in (None, one, _seed_and_epoch(one)[1]))
    if not chosen:
        raise UnknownChoice(f"model of {run.name}", str(model), known)
    seeds = [_seed_and_epoch(one)[0] for one in chosen]
    if len(set(seeds)) < len(seeds):
        raise PolyprobeError(f"{run.name} has several epochs: {', '.join(known)}. Choose one model or epoch: run:model")
    return chosen


def _scored_minimal_sets(run: RunDirectory) -> bool:
    stages = {row["stage"] for row in run.rows()}
    return MINIMAL_SETS in stages and "probing" not in stages


def _seed_and_epoch(model: str) -> tuple[str, str]:
    """Splits "s1/8", "s1", or "8"."""
    first, _, epoch = model.partition("/")
    return ("", first) if first.isdigit() else (first, epoch)


def _difference(one: Sequence[Sentence], other: Sequence[Sentence]) -> str:
    """Says where two lists of sentences differ first, or that one is longer."""
    place = first_difference(one, other)
    if place is None:
        return f"{len(one)} and {len(other)} sentences"
    return " and ".join(f'"{words}" in set {number + 1}' for number, words in (one[place], other[place]))
