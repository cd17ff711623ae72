"""Result rows: one flat JSON object a line, the same columns for every command. Schema: docs/results.md."""

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, get_args, get_type_hints

from polyprobe.display.shown import cut
from polyprobe.errors import MalformedLine
from polyprobe.formats.files.atomic import write_text
from polyprobe.formats.files.file_names import open_file
from polyprobe.formats.reading.cells import value_of
from polyprobe.formats.reading.lines import text_of

SCHEMA = 2
TOO_LARGE = "too large for a number"
LONGEST = 60  # of a value in a message, in characters
FEW_ITEMS = 30  # a score on fewer is marked wherever it is shown
LOGISTIC_REGRESSION, NAIVE_BAYES = "logistic_regression", "naive_bayes"
COUNT_PROBES = (LOGISTIC_REGRESSION, NAIVE_BAYES)  # of count encoders: nothing in them is drawn, so one seed is enough


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One number with everything needed to interpret it. None means that a column does not apply."""

    stage: str
    """The part of the run that wrote it, one of those in docs/results.md ("probing", "test", "minimal_sets" …);
    "downstream": copied from the training that is probed."""
    lang: str
    """Code of the language."""
    suite: str
    """Task or suite ("srl", "linspector_type")."""
    metric: str
    """What `value` is, one of `polyprobe.runs.metric_units.METRICS`."""
    value: float | None
    """None for a probe that failed, and for a perplexity too large for a float; `note` says which."""
    n: int
    """How many examples (arguments for a role) the value rests on."""
    split: str
    """"train", "dev", "test", or the name of a further test set."""
    test: str = ""
    """Probing test, role, construction, group of constructions, or "" for the whole."""
    grouping: str | None = None
    """By what constructions are grouped ("phenomenon")."""
    constructions: str | None = None
    """Of which constructions a group has sets ("adjunct_island+wh_island")."""
    corpus: str | None = None
    """The corpus behind a task's score."""
    encoder: str | None = None
    layer: str | None = None
    epoch: int | None = None
    """The representation; epochs as in the checkpoints (0 is before training)."""
    probe: str | None = None
    """The probe's name."""
    predictor: str | None = None
    """The kind of language model that was scored on minimal sets ("lstm", "masked")."""
    model: str | None = None
    """Which encoder or language model: a name on the hub and its commit, a run, the last parts of a path."""
    options: str | None = None
    """Of the encoder or predictor, those that differ from its file in conf/ ("lowercase=true"); and the path of own
    tests."""
    sources: str | None = None
    """What was read: sizes of vectors, digest of their files, revision or digest of the data, digest of what made tests
    were made from; see `with_sources`."""
    seed: int | None = None
    """Of this score; None where seeds are averaged, `n_seeds` then says how many."""
    n_seeds: int | None = None
    scorer: str | None = None
    """Which program's counting the metric follows."""
    precision: float | None = None
    recall: float | None = None
    interval_low: float | None = None
    interval_high: float | None = None
    """95 % bootstrap interval over test items."""
    macro_f1: float | None = None
    dev: float | None = None
    """Accuracy on dev of the probe behind a probing score: by it a layer is chosen without a look at test."""
    majority: float | None = None
    memoriser: float | None = None
    leakage: float | None = None
    """Share of test items that also occur in train."""
    leakage_of_parts: float | None = None
    """Of pairs: share of those both of whose parts occur in train, in whatever pairs."""
    length: float | None = None
    """Accuracy of a classifier that sees the number of tokens alone; for sentences."""
    random: float | None = None
    """Accuracy with an encoder of fresh weights."""
    control: float | None = None
    """Accuracy on the control task."""
    selectivity: float | None = None
    """How far the score lies above `control`."""
    codelength: float | None = None
    """Of the labels by online coding, in bits."""
    compression: float | None = None
    """The uniform code's length over it."""
    prior_codelength: float | None = None
    """Of the labels by their shares in train alone, in bits."""
    online_prior_codelength: float | None = None
    """Of the labels in the same portions, each by the shares in those before it, in bits."""
    prior_compression: float | None = None
    """`prior_codelength` over `codelength`."""
    random_codelength: float | None = None
    control_codelength: float | None = None
    """With an encoder of fresh weights, and of the control task's labels."""
    vector_mean: float | None = None
    vector_deviation: float | None = None
    largest_column: float | None = None
    """Of the vectors of train before they are standardised, see `polyprobe.probing.bank.scaling.Scaling.in_a_row`."""
    oov: float | None = None
    """Share of the test's word occurrences that the encoder's vocabulary lacks."""
    correct: int | None = None
    wrong: int | None = None
    ties: int | None = None
    skipped: int | None = None
    """Numbers of minimal sets; `n` is the sum of the first three."""
    oov_sets: float | None = None
    """Share of the minimal sets, scored or skipped, that have an OOV critical word."""
    identical: int | None = None
    """Minimal sets with a variant spelt as the grammatical sentence: ties, whatever the model."""
    margin: float | None = None
    median_margin: float | None = None
    """Of the grammatical sentence over its best variant."""
    sd: float | None = None
    """Standard deviation over the seeds, where they are averaged."""
    cell: str | None = None
    """The cell of the probe's grid that dev chose ("hidden_size=50 weight_decay=0.001")."""
    best_epoch: int | None = None
    """Of the probe's own training, whose weights gave the score."""
    ranking: str | None = None
    """By which neurons were ordered ("weights", "probeless")."""
    neurons: int | None = None
    """How many of them are kept."""
    ablation: str | None = None
    """Which are kept: "top_zeroed", "bottom_zeroed", "random_zeroed", the same probe with all other columns zeroed, or
    "all"."""
    other_encoder: str | None = None
    other_layer: str | None = None
    other_epoch: int | None = None
    other_model: str | None = None
    """Of a similarity, the representation it is compared with."""
    permuted: float | None = None
    """The value if the items of one side are shuffled; of neurons by layer: if as many were drawn evenly."""
    note: str | None = None
    """Remarks on the row ("fewer than 30 items", "one seed")."""


def note_of(notes: Iterable[str | None], n_items: int, n_seeds: int | None) -> str | None:
    """Joins the notes of a row, and says where it rests on few items, or on one seed; None where nothing is drawn."""
    few = f"fewer than {FEW_ITEMS} items" if n_items < FEW_ITEMS else None
    return ", ".join(filter(None, [*notes, few, "one seed" if n_seeds == 1 else None])) or None


def known_number(value: float) -> float | None:
    """Returns a number as rows have it: None for NaN."""
    return None if math.isnan(value) else float(value)


_LONGEST_LINE = 1 << 24  # bytes; a row has about a thousand
_KINDS = {"run": (str,), **{name: get_args(kind) or (kind,) for name, kind in get_type_hints(ResultRow).items()}}
_NEEDED = ("run", "stage", "lang", "suite", "metric", "value", "n", "split")
_WORDS = {str: "text", int: "an integer", float: "a number", type(None): "null"}


def write_rows(path: Path, run: str, rows: Iterable[ResultRow]) -> None:
    """Writes the rows of a run as strict JSON, whole or not at all."""
    lines = [json.dumps(_flat(run, row), ensure_ascii=False, allow_nan=False) + "\n" for row in rows]
    write_text(path, "".join(lines))


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Reads the rows of one results file as dictionaries: without the columns that do not apply, `value` aside.

    Raises:
        MalformedLine: a line is not UTF-8 or not a JSON object, has another schema, lacks a column, or has a value of
            another kind.
    """
    # Only a line feed ends a row: a note may quote a label that has U+2028 or U+0085.
    with open_file(path) as file:
        lines = iter(partial(file.readline, _LONGEST_LINE), b"")
        return [_read(path, number, text_of(path, number, line)) for number, line in enumerate(lines, start=1)]


def _read(path: Path, number: int, line: str) -> dict[str, Any]:
    row = value_of(path, number, line, "a JSON object")
    schema = row.get("schema") if isinstance(row, dict) else None
    if type(schema) is not int or schema != SCHEMA:
        raise MalformedLine(path, number, "no row of this version", f'a JSON object with "schema": {SCHEMA}')
    for name in _NEEDED:
        if name not in row:
            raise MalformedLine(path, number, f"{name} is missing", f"the columns {', '.join(_NEEDED)}")
    for name, value in row.items():
        kinds = _KINDS.get(name, ())
        is_of_kind = isinstance(value, kinds) or (isinstance(value, int) and float in kinds)
        if name in _KINDS and (not is_of_kind or isinstance(value, bool) or not _is_finite(value)):
            expected = " or ".join(dict.fromkeys(_WORDS[kind] for kind in kinds))
            raise MalformedLine(path, number, f"{name} is {cut(json.dumps(value), LONGEST)}", expected)
    return row


def _flat(run: str, row: ResultRow) -> dict[str, Any]:
    """Returns the columns that apply; of numbers that are not finite none, with a note if the value is infinite."""
    if row.value in (math.inf, -math.inf):
        row = replace(row, note="; ".join(filter(None, [row.note, f"{row.metric} {TOO_LARGE}"])))
    columns = {name: value if _is_finite(value) else None for name, value in asdict(row).items()}
    kept = {name: value for name, value in columns.items() if value is not None or name == "value"}
    return {"schema": SCHEMA, "run": run, **kept}


def _is_finite(value: Any) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


COPIED = "downstream"  # the stage of rows that a probing run copies from the training that it probed
_NAMED_ELSEWHERE = ("model", "files")  # of vectors: the model has a column, files are said by their digest
_DIGITS = 12  # of digests and commits


def with_sources(row: ResultRow, sources: Mapping[str, Any], digests: Mapping[str, str]) -> ResultRow:
    """Returns a row that says what it rests on: "vocabulary=200000 width=300 files=1a2b3c4d5e6f data=UKPLab/… ".

    A digest is that of the one file, or the SHA-256 of all sorted digests, joined; both by their first 12 digits.

    Args:
        row: kept as it is if it was copied from another run or says so itself.
        sources: see `polyprobe.resources.revisions.sources`.
        digests: of the data, by the names that run.json has under `data`.
    """
    if row.stage == COPIED or row.sources is not None:
        return row
    vectors = sources.get("vectors", {})
    sizes = {name: value for name, value in vectors.items() if name not in _NAMED_ELSEWHERE and value is not None}
    made = [digest for of_run in sources.get("made", {}).values() for digest in of_run.values()]
    parts = {
        **sizes,
        "files": _joined(_of_epoch(vectors.get("files", {}), row.epoch)),
        "data": _data(sources.get("data", {}), digests, row.test),
        "made_from": _joined(made),
    }
    return replace(row, sources=" ".join(f"{name}={value}" for name, value in parts.items() if value) or None)


def _of_epoch(files: Mapping[str, str], epoch: int | None) -> Iterable[str]:
    """Returns the digests of the checkpoint of an epoch, which begins their names; of all files where none has one."""
    return [digest for name, digest in files.items() if name.startswith(f"{epoch}/")] or files.values()


def _data(revisions: Mapping[str, str], digests: Mapping[str, str], test: str) -> str:
    own = {test: revisions[test]} if test in revisions else revisions
    published = dict.fromkeys(one for found in own.values() for one in found.split("; ") if found)
    unpublished = [name for name, found in own.items() if not found]
    names = ([test] if test in digests else [name for name in unpublished if name in digests]) if unpublished else []
    named = [re.sub(rf" (\S{{1,{_DIGITS}}})\S*$", r"@\1", one) for one in published]
    return "+".join(filter(None, [*named, _joined(digests[name] for name in names)]))


def _joined(digests: Iterable[str]) -> str:
    found = sorted(digests)
    if len(found) < 2:
        return "".join(found)[:_DIGITS]
    return hashlib.sha256("".join(found).encode()).hexdigest()[:_DIGITS]
