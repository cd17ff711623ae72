"""`pp.probe` does what probe.py does."""

import polyprobe as pp
from tests.commands.forked import run_script
from tests.commands.scripts import on_small_data, only_run


def test_it_has_the_rows_of_the_command(small_data, tmp_path):
    options = ["probe.max_epochs=1", *on_small_data(small_data, tmp_path)[:2]]
    run_script("probe", "tests=[Case,Tense]", "seeds=2", *options, f"paths.work={tmp_path / 'command'}")
    run = pp.probe(tests=["Case", "Tense"], seeds=2, work=tmp_path / "library", overrides=options, quiet=True)
    by_command = only_run(tmp_path / "command", "probe")
    assert run.name == by_command.name
    assert (run.path / "results.jsonl").read_bytes() == (by_command / "results.jsonl").read_bytes()
