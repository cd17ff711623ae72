"""Result rows: one flat JSON object a line, the same columns for every command. Schema: docs/results.md."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from src.formats.atomic import write_text
from src.formats.errors import MalformedLine

SCHEMA = 1
COUNT_PROBE = "logistic_regression"  # column `probe` of count encoders: nothing in it is drawn, so one seed says all


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One number with all that is needed to read it. None means that a column does not apply.

    Attributes:
        stage: the part of the run that wrote it ("training", "test", "baseline", "probing", "downstream").
        lang: code of the language.
        suite: task or suite ("srl", "linspector_type").
        test: probing test, role, or "" for the whole.
        corpus: the corpus behind a downstream score.
        split: "train", "dev", "test", or the name of a test set beside.
        encoder, layer, epoch: the representation; epochs as in the checkpoints (0 is before training).
        probe: the probe's name.
        predictor: the kind of language model that was judged by minimal sets ("lstm", "masked").
        seed: of this score; None where seeds are averaged, `n_seeds` then says how many.
        metric, scorer: what `value` is and which program's counting it follows; fractions from 0 to 1.
        n: how many examples (arguments for a role) the value rests on.
        interval_low, interval_high: 95 % bootstrap interval over test items.
        macro_f1, majority, memoriser, leakage: what stands beside a probing score.
        length: accuracy of a classifier that sees the number of tokens alone; for sentences.
        random, control, selectivity: accuracy with an encoder of fresh weights, accuracy on the control task, and how
            far the score lies above it.
        codelength, compression: of the labels by online coding, in bits; and the uniform code's length over it.
        oov: share of the test's word occurrences that the encoder's vocabulary lacks.
        correct, wrong, ties, skipped: of minimal sets, counted apart; `n` are the first three.
        margin, median_margin: of the grammatical sentence over its best variant, in bits.
        sd: standard deviation over the seeds, where they are averaged.
        cell: the cell of the probe's grid that dev chose ("hidden_size=50 weight_decay=0.001").
        note: what a reader must know ("fewer than 30 items", "one seed").
    """

    stage: str
    lang: str
    suite: str
    metric: str
    value: float
    n: int
    split: str
    test: str = ""
    corpus: str | None = None
    encoder: str | None = None
    layer: str | None = None
    epoch: int | None = None
    probe: str | None = None
    predictor: str | None = None
    seed: int | None = None
    n_seeds: int | None = None
    scorer: str | None = None
    precision: float | None = None
    recall: float | None = None
    interval_low: float | None = None
    interval_high: float | None = None
    macro_f1: float | None = None
    majority: float | None = None
    memoriser: float | None = None
    leakage: float | None = None
    length: float | None = None
    random: float | None = None
    control: float | None = None
    selectivity: float | None = None
    codelength: float | None = None
    compression: float | None = None
    oov: float | None = None
    correct: int | None = None
    wrong: int | None = None
    ties: int | None = None
    skipped: int | None = None
    margin: float | None = None
    median_margin: float | None = None
    sd: float | None = None
    cell: str | None = None
    best_epoch: int | None = None
    note: str | None = None


def write_rows(path: Path, run: str, rows: Iterable[ResultRow]) -> None:
    """Writes the rows of a run, whole or not at all."""
    write_text(path, "".join(json.dumps(_flat(run, row), ensure_ascii=False) + "\n" for row in rows))


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Reads the rows of one results file as dictionaries.

    Raises:
        MalformedLine: a line is no JSON object, or has another schema.
    """
    rows = []
    # Only a line feed ends a row: a note may quote a label that has U+2028 or U+0085.
    lines = path.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines if lines[-1] else lines[:-1], start=1):
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise MalformedLine(path, number, f"{error.msg} at character {error.pos}", "a JSON object") from error
        if not isinstance(row, dict) or row.get("schema") != SCHEMA:
            raise MalformedLine(path, number, "no row of this version", f'a JSON object with "schema": {SCHEMA}')
        rows.append(row)
    return rows


def _flat(run: str, row: ResultRow) -> dict[str, Any]:
    return {"schema": SCHEMA, "run": run, **{key: value for key, value in asdict(row).items() if value is not None}}
