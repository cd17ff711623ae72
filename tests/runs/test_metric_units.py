"""The metrics of rows, and the document that explains them."""

import re
from pathlib import Path

from polyprobe.runs.metric_units import METRICS


def test_every_metric_is_explained_in_the_document_and_no_other_one():
    text = (Path(__file__).parents[2] / "docs/results.md").read_text(encoding="utf-8").split("| metric | rows |")[1]
    cells = [line.split(" | ")[0] for line in text.split("\n\n")[0].splitlines()[2:]]
    explained = {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}
    assert explained - {"spearman_"} == {*METRICS} - {"spearman_weighted_mean", "spearman_of_joined_rows"}
