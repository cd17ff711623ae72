"""Units of metrics: which are written in percent, which should be small."""

import re
from pathlib import Path

from polyprobe.runs.metric_units import METRICS, is_in_percent, is_lower_better, metric_in_words


def test_perplexities_and_ill_formed_trees_should_be_few():
    assert all(map(is_lower_better, ["dev/perplexity_per_word", "ill_formed", "dev/ill_formed"]))
    assert not any(map(is_lower_better, ["bleu", "dev/tree_accuracy"]))
    assert is_in_percent("dev/ill_formed")
    assert not is_in_percent("perplexity")


def test_a_metric_is_called_by_its_name_or_as_its_tables_call_it():
    assert list(map(metric_in_words, ["role_f1", "mse", "dev_f1"])) == ["role F1", "squared error", "dev F1"]


def test_every_metric_is_explained_in_the_document_and_no_other_one():
    text = (Path(__file__).parents[2] / "docs/results.md").read_text(encoding="utf-8").split("| metric | rows |")[1]
    cells = [line.split(" | ")[0] for line in text.split("\n\n")[0].splitlines()[2:]]
    explained = {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}
    assert explained - {"spearman_"} == {*METRICS} - {"spearman_weighted_mean", "spearman_of_joined_rows"}
