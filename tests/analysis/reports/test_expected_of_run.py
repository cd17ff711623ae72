"""Which expected values are about a run."""

import yaml

from polyprobe.analysis.reports.expectations import expected_of_run
from polyprobe.runs.directory import RunDirectory
from tests.analysis.handmade import as_read, probing, score

ROWS = [
    {"test": "WC", "value": 0.5, "tolerance": 0.02},
    {"where": {"model": "bilstm_max", "data.target": "fr"}, "test": "WC", "value": 0.6, "tolerance": 0.02},
    {"where": {"model": "bilstm_max", "data.target": "de"}, "test": "WC", "value": 0.7, "tolerance": 0.02},
]
EXPECTED = {"source": "a paper", "rows": ROWS}


def finished(folder, configuration, rows):
    as_read(rows, folder, folder.name)
    (folder / "config.yaml").write_text(yaml.safe_dump(configuration), encoding="utf-8")
    return RunDirectory(folder)


def trained(folder, best):
    configuration = {"choices": {"model": "bilstm_max"}, "data": {"target": "fr"}}
    rows = [score("test", "bleu", 0.2, split="test", epoch=best)]
    return finished(folder, configuration, rows)


def values(expected):
    return [(one["value"], one.get("epoch")) for one in expected["rows"]]


def test_a_run_meets_what_its_choices_and_settings_say(tmp_path):
    assert values(expected_of_run(EXPECTED, trained(tmp_path / "run", 2))) == [(0.5, None), (0.6, None)]


def test_a_run_that_probed_a_checkpoint_meets_what_trained_it_at_the_best_epoch(tmp_path):
    run = trained(tmp_path / "run", 2)
    configuration = {"choices": {"encoder": "checkpoint"}, "encoder": {"run": str(run.path)}}
    of_one = finished(tmp_path / "one", configuration, [probing("WC", 0.5, epoch=3)])
    assert values(expected_of_run(EXPECTED, of_one)) == [(0.5, None), (0.6, None)]
    of_two = finished(tmp_path / "two", configuration, [probing("WC", 0.5, epoch=epoch) for epoch in (0, 2)])
    assert values(expected_of_run(EXPECTED, of_two)) == [(0.5, 2), (0.6, 2)]


def test_an_entry_is_named_by_what_it_is_about(tmp_path):
    entries = expected_of_run(EXPECTED, trained(tmp_path / "run", 2))["rows"]
    assert [entry.get("row") for entry in entries] == [None, "bilstm_max fr"]
    assert all("where" not in entry for entry in entries)


def test_nothing_is_left_out_or_read_where_no_entry_says_where():
    expected = {"source": "a paper", "rows": ROWS[:1]}
    assert expected_of_run(expected, None) == expected
