"""Scores of probing tests and of SentEval's downstream tasks over encoders, both found by probe.py.

Each layer and each epoch of a model is an encoder of its own.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from src.analysis.correlations.encoder_scores import EncoderScores, grouped, is_layer
from src.analysis.results.downstream_rows import headline_rows
from src.analysis.results.rows import Row, layer_of_row, probing_rows
from src.errors import PolyprobeError
from src.runs.directory import RunDirectory
from src.runs.names.identity import differing_settings
from src.runs.names.options_in_words import NAMING, OF_THE_MACHINE

DOWNSTREAM = "senteval_downstream"  # the suite
TELLING_TASKS_APART = ("test", "probe", "scorer")  # columns, the first always
WHICH_VECTORS = ("layers", "epochs", "level")  # options of an encoder that choose among its vectors and change none
NOT_OF_VECTORS = re.compile(rf"(?:^| )(?:{'|'.join(WHICH_VECTORS)}|suite\.\w+)=\S*")
# Keys in which runs may differ that find the same score of the same vectors.
OF_OTHER_SCORES = ("tests", "baselines", *(f"encoder.{option}" for option in ("layers", "epochs")))


def suite_scores(rows: Iterable[Row], layer_of: Mapping[str, Any]) -> tuple[list[EncoderScores], list[EncoderScores]]:
    """Returns the accuracy of every probing test and the accuracy or Pearson of every downstream task, seeds averaged.

    Args:
        rows: of any runs.
        layer_of: by kind of encoder ("transformer"), the one layer that counts; of other encoders each does.
    """
    rows = [row for row in rows if row["split"] == "test" and _is_chosen(row, layer_of)]
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
        f"The {len(encoders)} encoders are layers and epochs of {len(models)} models. Those of one model are alike: "
        "p-values, which take each encoder as independent of the others, are too small."
    ]


def check_same_vectors(
    probing: Sequence[EncoderScores], downstream: Sequence[EncoderScores], folders: Mapping[str, Path]
) -> None:
    """Checks that the two runs that a pair of scores comes from encoded alike, as far as their configurations tell.

    Raises:
        PolyprobeError: options of the encoder differ.
    """
    first, second = _runs(probing), _runs(downstream)
    for encoder in [name for name in first if name in second]:
        one, other = (RunDirectory(folders[run]).configuration_if_any() for run in (first[encoder], second[encoder]))
        found = differing_settings(one, other, ["encoder"]) if one and other else {}
        left_out = {f"encoder.{option}" for option in (*WHICH_VECTORS, *NAMING, *OF_THE_MACHINE)}
        said = [f"{key} ({values[0]}, {values[1]})" for key, values in found.items() if key not in left_out]
        if said:
            raise PolyprobeError(
                f"{encoder}: {first[encoder]} and {second[encoder]} differ in {', '.join(said)}. Expected the same "
                "vectors in probing and downstream. Move the run that does not count out of the folder runs/."
            )


def _is_chosen(row: Row, layer_of: Mapping[str, Any]) -> bool:
    return is_layer(row, layer_of.get(row.get("encoder")))


def _model(row: Row) -> str:
    options = NOT_OF_VECTORS.sub("", row.get("options") or "").strip()
    return " ".join(filter(None, [row.get("encoder"), row.get("model"), options]))


def _runs(scores: Sequence[EncoderScores]) -> dict[str, str]:
    """Returns a run of each encoder."""
    return {encoder: runs[0] for one in scores for encoder, runs in one.runs.items() if runs}
