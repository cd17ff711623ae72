from dataclasses import replace

import pytest

from polyprobe.analysis.results.config_differences import differing_keys
from polyprobe.runs.directory import RunDirectory
from tests.analysis.handmade import as_read, probing

CONFIG = """
probe: {hidden_size: 300, max_epochs: 20}
encoder: {path: null}
seeds: 3
paths: {work: here}
"""


def run(folder, text: str | None) -> RunDirectory:
    folder.mkdir()
    if text is not None:
        (folder / "config.yaml").write_text(text, encoding="utf-8")
    return RunDirectory(folder)


def test_keys_that_can_change_numbers_are_named_with_both_values(tmp_path):
    other = CONFIG.replace("20}", "5}").replace("null", "wiki.vec").replace("here", "there")
    found = differing_keys(run(tmp_path / "a", CONFIG), run(tmp_path / "b", other))
    assert found == [("probe.max_epochs", "20", "5"), ("encoder.path", "null", "wiki.vec")]


def test_a_key_that_one_lacks_counts_as_null(tmp_path):
    found = differing_keys(run(tmp_path / "a", CONFIG), run(tmp_path / "b", CONFIG.replace("seeds: 3", "")))
    assert found == [("seeds", "3", "null")]


@pytest.mark.parametrize(
    ("options", "named"), [(None, []), ("folder=cls", ['"the folder\'s"', "mean_with_special_tokens"])]
)
def test_a_typed_pooling_is_compared_with_the_one_that_null_means(options, named, tmp_path):
    for name, pooling in (("null", "null"), ("typed", "mean_with_special_tokens")):
        as_read([replace(probing("Case", 0.5), options=options if name == "null" else None)], tmp_path / name)
        (tmp_path / name / "config.yaml").write_text(f"encoder: {{sentence_pooling: {pooling}}}", encoding="utf-8")
    found = differing_keys(*(RunDirectory(tmp_path / name) for name in ("null", "typed")))
    assert found == ([("encoder.sentence_pooling", *named)] if named else [])


def test_choices_are_named_as_they_are_typed_without_the_options_of_one_alone(tmp_path):
    one = """
encoder: {_target_: polyprobe.encoders.char_ngrams.CharNgrams, min_n: 3, width: 300}
probe: {_target_: polyprobe.probing.probes.grid.GridProbe, size: 1}
model: {optimizer: {_target_: torch.optim.Adam, lr: 0.1}}
choices: {encoder: char_ngrams, probe: senteval}
"""
    other = """
encoder: {_target_: polyprobe.encoders.random.RandomVectors, width: 200}
probe: {_target_: polyprobe.probing.probes.grid.GridProbe, size: 1}
model: {optimizer: {_target_: torch.optim.SGD, lr: 0.1}}
choices: {encoder: random, probe: rusenteval}
"""
    found = differing_keys(run(tmp_path / "a", one), run(tmp_path / "b", other))
    assert found == [
        ("encoder", "char_ngrams", "random"),
        ("encoder.width", "300", "200"),
        ("probe", "senteval", "rusenteval"),
        ("model.optimizer", "Adam", "SGD"),
    ]
