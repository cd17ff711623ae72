"""The kinds of scores whose runs can be paired item by item: what their predictions are, how two runs are compared."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from polyprobe.analysis.comparisons.differences import (
    ACCURACY,
    ALL_PREDICTIONS,
    ComparedTest,
    difference_of_probes,
    difference_of_sets,
    difference_of_tasks,
)
from polyprobe.analysis.results.collection import find_run
from polyprobe.analysis.results.kinds import CONSTRUCTIONS, DOWNSTREAM_TASKS, PROBING
from polyprobe.analysis.results.paired_runs import (
    ALL_LAYERS,
    Item,
    PairedRun,
    Pairing,
    is_list,
    seed_and_epoch,
    split_reference,
)
from polyprobe.analysis.tables.minimal_sets import minimal_set_tables
from polyprobe.analysis.tables.score_tables import downstream_tables, probing_tables
from polyprobe.errors import PolyprobeError, UnknownChoice
from polyprobe.runs.array_records import PredictedScores, Predictions, RegionScores, SetScores
from polyprobe.runs.directory import RunDirectory

BY_BOOTSTRAP = ["difference: second minus first, with its 95 % CI (paired bootstrap over items, seeds averaged)."]
_RUNS = ("first_run", "first_layer", "second_run", "second_layer")
_SCORES = ("first", "second", "difference", "interval_low", "interval_high")


def pairing_of_runs(work: Path, references: object) -> Pairing:
    """Says of which kind all the runs are that a user names; of probing what is neither of the other kinds."""
    if not is_list(references):
        return PROBES
    runs = [RunDirectory(find_run(work, split_reference(reference)[0])) for reference in references]
    stages = {run.name: {row["stage"] for row in run.rows()} for run in runs}
    for pairing, others in ((SETS, {PROBING.stage}), (TASKS, set())):
        without = [name for name, found in stages.items() if pairing.kind.stage not in found or found & others]
        if without and len(without) < len(stages):
            raise PolyprobeError(
                f"{', '.join(without)} scored no {pairing.scored}, as the other runs did. They cannot stand together."
            )
        if stages and not without:
            return pairing
    return PROBES


def if_tested(written: Callable[[ComparedTest], str]) -> Callable[[ComparedTest], str]:
    return lambda row: "-" if np.isnan(row.p) else written(row)


def _layers(run: str, layer: str | None, record: Predictions | PredictedScores) -> tuple[str, ...]:
    layers = tuple(map(str, record.layers))
    if layer in (None, ALL_LAYERS):
        return layers
    if layer not in layers:
        raise UnknownChoice(f"layer of {run}", layer, layers)
    return (layer,)


def _models(run: str, model: str | None, record: SetScores | RegionScores) -> tuple[str, ...]:
    known = list(map(str, record.models))
    chosen = tuple(one for one in known if model in (None, one, seed_and_epoch(one)[1]))
    if not chosen:
        raise UnknownChoice(f"model of {run}", str(model), known)
    seeds = [seed_and_epoch(one)[0] for one in chosen]
    if len(set(seeds)) < len(seeds):
        raise PolyprobeError(f"{run} has several epochs: {', '.join(known)}. Choose one model or epoch: run:model")
    return chosen


def _inputs(record: Predictions | PredictedScores) -> list[Item]:
    """Returns the words of each item, and its gold label or score."""
    gold = record.gold if isinstance(record, PredictedScores) else np.asarray(record.labels)[record.gold]
    return list(zip(record.inputs.tolist(), map(str, gold.tolist()), strict=True))


def _other_inputs(one: Sequence[Item], other: Sequence[Item], item: str, gold: str) -> str:
    if len(one) != len(other):
        return f"{len(one)} and {len(other)} {item}s"
    place = _first_difference(one, other)
    described = [f'"{words}" with {gold}{label}' for words, label in (one[place], other[place])]
    return f"as {item} {place + 1} {' and '.join(described)}"


def _other_sentences(one: Sequence[Item], other: Sequence[Item]) -> str:
    place = _first_difference(one, other)
    if place is None:
        return f"{len(one)} and {len(other)} sentences"
    return " and ".join(f'"{words}" in set {number + 1}' for number, words in (one[place], other[place]))


def _first_difference(one: Sequence[Item], other: Sequence[Item]) -> int | None:
    """Returns the first place at which two lists differ; None where the longer one only has more."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (item, counterpart) in pairs if item != counterpart), None)


def _notes_on_sets(rows: Sequence[ComparedTest], first: PairedRun, second: PairedRun) -> list[str]:
    has_seeds = len(first.parts) > 1 or len(second.parts) > 1
    averaged = " Scores of a set are averaged over seeds first." if has_seeds else ""
    drawn = "items" if any(ALL_PREDICTIONS in row.rules for row in rows) else "lemmas of the critical word"
    worth = {"half": "half correct", "released": "correct"}.get(first.ties, first.ties)
    return [
        f"Scored by {', '.join(dict.fromkeys(row.rules for row in rows))}; ties count as {worth} in both.",
        f"difference: second minus first, with its 95 % CI (bootstrap over {drawn}).",
        f"first, second better: number of sets that one run gets right more often than the other.{averaged}",
        "p: McNemar's exact test, two-sided. It assumes independent sets; where sets share a lemma or a template, p is "
        "anti-conservative: see the interval over lemmas.",
    ]


PROBES = Pairing(
    kind=PROBING,
    tables=probing_tables,
    records=lambda run: [*map(Predictions.read, run.arrays(run.predictions))],
    parts=_layers,
    items=_inputs,
    unlike=lambda one, other: _other_inputs(one, other, "test item", "label "),
    absent="predictions of test items. Expected a finished run of probe.py in which probes were trained",
    example="[Case,Tense]",
    runs="[runA,runB] or [run:layer,run:layer]",
    scored="probes",
    difference=difference_of_probes,
    columns=("test", "n", "n_seeds", *_RUNS, *_SCORES, "p", "p_holm"),
    title="Difference of accuracy",
    notes=lambda *_: BY_BOOTSTRAP,
)
TASKS = replace(
    PROBES,
    kind=DOWNSTREAM_TASKS,
    tables=downstream_tables,
    records=lambda run: [
        *map(Predictions.read, run.arrays(run.predictions)),
        *map(PredictedScores.read, run.arrays(run.predicted_scores)),
    ],
    unlike=lambda one, other: _other_inputs(one, other, "item", ""),
    absent="predictions. Expected a finished run of downstream tasks",
    example="[MR,STS14]",
    scored="downstream tasks",
    tests="tasks",
    difference=difference_of_tasks,
    columns=("test", "metric", "manner", *PROBES.columns[1:]),
    title="Difference of scores",
    named={
        "metric": lambda row: row.metric if row.metric == ACCURACY else f"Pearson, {row.manner.removeprefix('score_')}"
    },
)
SETS = Pairing(
    kind=CONSTRUCTIONS,
    tables=minimal_set_tables,
    records=lambda run: [
        *map(SetScores.read, run.arrays(run.set_scores)),
        *map(RegionScores.read, run.arrays(run.region_scores)),
    ],
    parts=_models,
    items=lambda record: list(zip(record.set_of_sentence.tolist(), record.sentences.tolist(), strict=True)),
    unlike=_other_sentences,
    absent="scores of single sets, as runs of probe.py have",
    example="[simple_agrmt,vp_coord]",
    runs="[runA,runB] or [run:s1/0,run:s1/8]",
    scored="minimal sets",
    tests="sets",
    choice="construction",
    alike="of the same sentences",
    has_layers=False,
    difference=difference_of_sets,
    columns=(
        *("test", "n", "skipped", "n_lemmas", "n_seeds", "first_run", "second_run", "rules"),
        *(*_SCORES, "first_better", "second_better", "p", "p_holm"),
    ),
    title="Difference of accuracy in minimal sets",
    notes=_notes_on_sets,
    counted={"lemmas": lambda row: str(row.n_lemmas)},
    judged={
        "first better": if_tested(lambda row: str(row.first_better)),
        "second better": if_tested(lambda row: str(row.second_better)),
    },
)
