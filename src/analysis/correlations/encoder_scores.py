"""Reads the scores of each test or task over encoders: from a table, or from the runs below a work folder.

Of runs of SentEval's downstream tasks (`suite_scores`) each layer and each epoch of a model is an encoder of its own.
"""

import csv
import io
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from polyprobe.analysis.results.kinds import headline_rows
from polyprobe.analysis.results.rows import Row, distinct, layer_of_row, probing_rows
from polyprobe.display.shown import text_of_cell
from polyprobe.errors import BadValue, MalformedLine, PolyprobeError, UnknownChoice, check_choice
from polyprobe.runs.directory import RunDirectory

BYTE_ORDER_MARK = "\ufeff"  # spreadsheets begin their UTF-8 with it
NO_ENCODERS = ("language", "test", "task", "table", "baseline")  # columns of score tables
SENTEVAL = "senteval_downstream"  # the suite
TELLING_TASKS_APART = ("test", "probe", "scorer")  # columns, the first always
WHICH_VECTORS = ("layers", "epochs", "level")  # options of an encoder that choose among its vectors and change none
NOT_OF_VECTORS = re.compile(rf"(?:^| )(?:{'|'.join(WHICH_VECTORS)}|suite\.\w+)=\S*")
# Keys in which runs may differ that find the same score of the same vectors.
OF_OTHER_SCORES = ("tests", "baselines", *(f"encoder.{option}" for option in ("layers", "epochs")))


@dataclass(frozen=True, slots=True)
class EncoderScores:
    """What encoders score on one thing."""

    lang: str
    """Code or name of the language."""
    name: str
    """Of the probing test or downstream task."""
    scores: Mapping[str, float]
    """By encoder, in the unit of their source."""
    runs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By encoder, the names of those that are averaged; empty where the source is a table."""


def read_scores(path: Path, subject: str, alone: str | None = None) -> list[EncoderScores]:
    """Reads a CSV table with a line per language and test (or task), and a column per encoder.

    The columns `table` and `baseline` are none. An empty cell is an encoder without a score. The column of `subject`,
    "test" or "task", names what is scored. With `alone` no other column is read.
    """
    try:
        text = Path(path).read_bytes().decode("utf-8").removeprefix(BYTE_ORDER_MARK)
    except UnicodeDecodeError as error:
        raise PolyprobeError(f"{path}: byte {error.start + 1} is not UTF-8. Expected a CSV table in UTF-8.") from error
    table = csv.DictReader(io.StringIO(text, newline=""))
    missing = [column for column in dict.fromkeys(("language", subject)) if column not in (table.fieldnames or ())]
    if missing:
        raise PolyprobeError(f"{path} has no column {' and no column '.join(missing)}.")
    for name in (names := [text_of_cell(name) for name in table.fieldnames or ()]):
        if names.count(name) > 1:
            raise MalformedLine(path, 1, f'the column "{name}" occurs again', "one column for each encoder")
    read: dict[tuple[str, str], EncoderScores] = {}
    for row in table:
        line = table.line_num
        if None in row or None in row.values():
            raise MalformedLine(path, line, "the line has another number of cells than the header", "as many")
        key = text_of_cell(row["language"]), text_of_cell(row[subject])
        if key in read:
            raise MalformedLine(path, line, f"{' '.join(dict.fromkeys(key))} occurs again", "one line for each")
        names = [name for name in row if name not in NO_ENCODERS and alone in (None, name)]
        cells = {text_of_cell(name): row[name] for name in names if row[name]}
        read[key] = EncoderScores(*key, {name: _score(path, line, cell) for name, cell in cells.items()})
    return list(read.values())


def _score(path: Path, line: int, cell: str) -> float:
    with suppress(ValueError):
        if math.isfinite(score := float(cell)):
            return score
    raise MalformedLine(path, line, f'a score is "{cell}"', "a number, or nothing")


def without_encoders(sides: Sequence[Sequence[EncoderScores]], left_out: object) -> list[list[EncoderScores]]:
    """Returns the scores of both sides without some encoders, of which each is on one of the sides."""
    if not isinstance(left_out, list | tuple):
        raise BadValue("except_encoders", left_out, "a list of names such as [BoV-fastText]")
    known = {encoder: None for side in sides for one in side for encoder in one.scores}
    for name in left_out:
        check_choice("encoder of except_encoders", name, known)
    kept = known.keys() - set(left_out)

    def of_kept(by_encoder: Mapping[str, Any]) -> dict[str, Any]:
        return {encoder: value for encoder, value in by_encoder.items() if encoder in kept}

    return [[replace(one, scores=of_kept(one.scores), runs=of_kept(one.runs)) for one in side] for side in sides]


def probing_scores(rows: Iterable[Row], encoders: Mapping[str, str], layers: Mapping[str, Any]) -> list[EncoderScores]:
    """Returns the probing accuracies of runs, seeds averaged, as fractions; several runs of an encoder are averaged.

    Args:
        encoders: the name of the encoder of each run.
        layers: for encoders with several layers, the one that counts.
    """
    rows = [row for row in probing_rows(rows) if row["split"] == "test" and row.get("epoch") is None]
    kept = [row for row in rows if is_layer(row, layers.get(encoders[row["run"]], layers.get(row["encoder"])))]
    _check_one_layer(kept, encoders)
    return grouped(kept, lambda row: encoders[row["run"]], ("test", "suite", "probe"))


def trained_scores(rows: Iterable[Row], encoders: Mapping[str, str]) -> list[EncoderScores]:
    """Returns the test scores of training runs as fractions: the first metric of each task, seeds averaged.

    Arguments as for `probing_scores`.
    """
    rows = [row for row in rows if row["stage"] == "test" and row["split"] == "test" and not row.get("test")]
    own_metric = dict(reversed(distinct(rows, "suite", "metric")))
    kept = [row for row in rows if row["metric"] == own_metric[row["suite"]]]
    return grouped(kept, lambda row: encoders[row["run"]], ("suite", "corpus"))


def grouped(rows: Sequence[Row], encoder_of: Callable[[Row], str], named_by: tuple[str, ...]) -> list[EncoderScores]:
    """Averages rows of one encoder; rows without a value count for nothing.

    Args:
        named_by: columns; the first names a test or task, the others where they tell some of that name apart.
    """
    groups: dict[tuple[str, str], dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for lang, name in distinct(rows, "lang", named_by[0]):
        of_name = [row for row in rows if (row["lang"], row[named_by[0]]) == (lang, name)]
        telling = [named_by[0], *(column for column in named_by[1:] if len(distinct(of_name, column)) > 1)]
        for row in of_name:
            full_name = " ".join(str(row.get(column)) for column in telling)
            groups[lang, full_name][encoder_of(row)].append(row)
    return [_averaged(*key, group) for key, group in groups.items()]


def encoder_names(rows: Iterable[Row], folders: Mapping[str, Path]) -> dict[str, str]:
    """Names the encoder of each run: as it was chosen, with the file or model that it reads, if any."""
    names = {}
    for run, encoder in distinct([row for row in rows if row["stage"] in ("probing", "test")], "run", "encoder"):
        config = RunDirectory(folders[run]).configuration_if_any() if run in folders else {}  # a renamed folder
        settings = config.get("encoder") if isinstance(config.get("encoder"), dict) else {}
        source = next((settings[key] for key in ("path", "model") if isinstance(settings.get(key), str)), None)
        names[run] = f"{encoder} {Path(source).name}" if source else str(encoder)
    return names


def is_layer(row: Row, layer: object) -> bool:
    """Says whether a row is of a layer, by its name or, of a transformer's, its number; None: of any."""
    return layer is None or row.get("layer") in (str(layer), f"layer_{layer}")


def check_layers(rows: Iterable[Row], encoders: Mapping[str, str], layers: Mapping[str, Any]) -> None:
    """Checks that every layer that is chosen was probed. Arguments as for `probing_scores`."""
    rows = [row for row in rows if row["stage"] == "probing"]
    known = {name for row in rows for name in (encoders[row["run"]], row["encoder"])}
    for encoder, layer in layers.items():
        check_choice("encoder of layer_of", encoder, known)
        of_encoder = [row for row in rows if encoder in (encoders[row["run"]], row["encoder"])]
        if not any(is_layer(row, layer) for row in of_encoder):
            raise UnknownChoice(f"layer of {encoder}", str(layer), {str(row.get("layer")) for row in of_encoder})


def suite_scores(rows: Iterable[Row], layer_of: Mapping[str, Any]) -> tuple[list[EncoderScores], list[EncoderScores]]:
    """Returns the accuracy of every probing test and the accuracy or Pearson of every downstream task, seeds averaged.

    Args:
        layer_of: by kind of encoder ("transformer"), the one layer that counts; of other encoders each does.
    """
    rows = [row for row in rows if row["split"] == "test" and is_layer(row, layer_of.get(row.get("encoder")))]
    tests, tasks = probing_rows(rows), headline_rows(rows)
    return grouped(tests, vectors_of, ("test", "suite", "probe")), grouped(tasks, vectors_of, TELLING_TASKS_APART)


def vectors_of(row: Row) -> str:
    """Names the vectors that a row is about: encoder, model, options, layer and epoch."""
    return f"{_model(row)} {layer_of_row(row)}"


def models_in_words(
    rows: Iterable[Row], probing: Sequence[EncoderScores], downstream: Sequence[EncoderScores]
) -> list[str]:
    """Says how many models the encoders come from, if they are fewer: layers of one model are no independent data."""
    first, second = ({encoder for one in side for encoder in one.scores} for side in (probing, downstream))
    encoders = first & second
    models = {_model(row) for row in rows if row.get("encoder") and vectors_of(row) in encoders}
    if len(models) == len(encoders):
        return []
    return [
        f"The {len(encoders)} encoders are layers and epochs of {len(models)} models. They are not "
        "independent, so p-values are too small."
    ]


def _check_one_layer(rows: Sequence[Row], encoders: Mapping[str, str]) -> None:
    seen: dict[str, list[str]] = defaultdict(list)
    for run, layer in distinct(rows, "run", "layer"):
        if layer not in seen[encoders[run]]:
            seen[encoders[run]].append(layer)
    for encoder, names in seen.items():
        if len(names) > 1:
            raise PolyprobeError(
                f"{encoder} was probed at the layers {', '.join(map(str, names))}. One of them can be correlated: "
                f"layer_of={{{encoder.split(' ')[0]}: {names[-1]}}}"
            )


def _averaged(lang: str, name: str, rows: Mapping[str, Sequence[Row]]) -> EncoderScores:
    rows = {encoder: [row for row in them if row["value"] is not None] for encoder, them in rows.items()}
    rows = {encoder: them for encoder, them in rows.items() if them}  # an encoder whose probes failed has no score
    scores = {encoder: fmean(row["value"] for row in them) for encoder, them in rows.items()}
    runs = {encoder: [run for (run,) in distinct(them, "run")] for encoder, them in rows.items()}
    return EncoderScores(lang, name, scores, runs)


def _model(row: Row) -> str:
    options = NOT_OF_VECTORS.sub("", row.get("options") or "").strip()
    return " ".join(filter(None, [row.get("encoder"), row.get("model"), options]))
