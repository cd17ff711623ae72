import io

import pytest
from rich.console import Console

from polyprobe.analysis.output.tables import show
from polyprobe.analysis.tables.score_tables import coverage_tables, probing_table, probing_tables
from tests.analysis.handmade import as_read, probing, probing_run


def printed(table, capsys) -> list[list[str]]:
    """Returns the words of every line that is not empty or a rule."""
    show([table])
    lines = capsys.readouterr().out.splitlines()
    return [line.split() for line in lines if line.strip(" ─")]


def test_a_test_has_a_line_with_baselines_and_the_accuracy_of_each_epoch(tmp_path, capsys):
    title, layers, header, case, character_bin, meaning, note = printed(
        probing_table(as_read(probing_run(), tmp_path)), capsys
    )
    assert " ".join(title) == "Probing accuracy (%): fi, linspector_type, checkpoint, mlp"
    assert layers == ["encoding", "encoding"]
    assert header == ["test", "n", "majority", "memoriser", "epoch", "0", "epoch", "8"]
    assert case == ["Case", "200", "30.0", "35.0", "50.0", "±3.0", "80.0", "±3.0"]
    assert character_bin == ["CharacterBin", "200", "30.0", "35.0", "45.0", "±3.0", "44.0", "±3.0"]
    assert " ".join(meaning) == "memoriser: majority training label of the identical item."
    assert " ".join(note) == "±: half-width of the 95 % bootstrap CI over test items."


def test_a_failed_probe_is_named(tmp_path, capsys):
    rows = [probing("Case", None, seed=2, note="failed: the loss is not finite")]
    lines = printed(probing_table(as_read(rows, tmp_path)), capsys)
    assert lines[2] == ["Case", "200", "30.0", "35.0", "-"]
    assert lines[-1] == ["Case,", "encoding,", "seed", "2", "failed:", "the", "loss", "is", "not", "finite."]


def test_layers_keep_their_order_and_epochs_ascend(tmp_path, capsys):
    places = [("encoding", 8), ("encoding", 0), ("bilstm", 8), ("bilstm", 0)]
    rows = [probing("Case", 0.5, layer=layer, epoch=epoch) for layer, epoch in places]
    lines = printed(probing_table(as_read(rows, tmp_path)), capsys)
    assert lines[1] == ["encoding", "encoding", "bilstm", "bilstm"]
    assert lines[2][4:] == ["epoch", "0", "epoch", "8", "epoch", "0", "epoch", "8"]


@pytest.mark.parametrize("n_layers", [1, 30])
def test_a_pipe_gets_whole_lines_without_colour_codes(tmp_path, capsys, monkeypatch, n_layers):
    monkeypatch.setenv("COLUMNS", "40")
    rows = as_read([probing("Case", 0.5, layer=f"layer_{number}") for number in range(n_layers)], tmp_path)
    show([probing_table(rows)])
    output = capsys.readouterr().out
    assert "\x1b" not in output
    lines = [line.replace("•", "").split() for line in output.splitlines()]
    assert [line[-n_layers:] for line in lines].count(["50.0"] * n_layers) == 1


def test_the_best_layer_is_marked_by_its_score_on_dev(tmp_path, capsys):
    scores = {"0": (0.5, 0.8), "1": (0.6, 0.7)}
    rows = [probing("Case", test, dev=dev, layer=layer) for layer, (test, dev) in scores.items()]
    lines = printed(probing_table(as_read(rows, tmp_path)), capsys)
    assert lines[2][-2:] == ["•50.0", "60.0"]
    assert " ".join(lines[3]) == "• best layer, selected on dev."


def layered(*layers: str, **columns) -> list:
    return [probing("Case", min(1.0, 0.5 + number / 10), layer=layer, **columns) for number, layer in enumerate(layers)]


def test_baselines_have_columns_only_where_there_are_some(tmp_path, capsys):
    beside = {"length": 0.41, "leakage": 0.02, "oov": 0.25, "random": 0.42, "control": 0.1, "selectivity": 0.4}
    rows = layered("0", **beside, macro_f1=0.44, codelength=1234.6, compression=1.5)
    _, header, case, *_ = printed(probing_table(as_read(rows, tmp_path)), capsys)
    assert " ".join(header) == (
        "test n majority memoriser length random encoder control task accuracy "
        "selectivity macro-F1 codelength (bits) compression leakage OOV"
    )
    assert case[:8] == ["Case", "200", "30.0", "35.0", "41.0", "42.0", "10.0", "50.0"]
    assert case[8:] == ["40.0", "44.0", "1235", "1.50", "2.0", "25.0"]


def test_what_depends_on_the_layer_has_tables_of_its_own_beside_several_layers(tmp_path, capsys):
    values = {"0": (0.4, 0.1, 9), "1": (0.45, 0, 7)}
    names = ("macro_f1", "selectivity", "codelength")
    rows = [probing("Case", 0.5, layer=layer, **dict(zip(names, values[layer], strict=True))) for layer in values]
    tables = probing_tables(as_read(rows, tmp_path))
    assert [table.title.split()[0] for table in tables] == ["Probing", "Macro-F1", "Selectivity:", "Codelength"]
    assert printed(tables[1], capsys)[2] == ["Case", "40.0", "45.0"]
    assert printed(tables[2], capsys)[2] == ["Case", "10.0", "0.0"]
    assert printed(tables[3], capsys)[2] == ["Case", "9", "7"]


def test_rows_of_control_tasks_and_random_encoders_are_not_taken_for_scores(tmp_path, capsys):
    rows = layered("0")
    rows += [probing("Case", 0.9, stage=stage, layer="0", seed=1) for stage in ("control", "random_encoder")]
    lines = printed(probing_table(as_read(rows, tmp_path)), capsys)
    assert lines[2] == ["Case", "200", "30.0", "35.0", "50.0"]


def test_coverage_has_a_line_per_test_and_columns_per_split(tmp_path, capsys):
    shares = {"train": 0.1, "dev": 0.2, "test": 0.25}
    coverage = {"stage": "coverage", "metric": "oov", "layer": None, "probe": None, "n": 400}
    rows = [probing("SameFeat", share, split=split, **coverage) for split, share in shares.items()]
    (table,) = coverage_tables(as_read(rows, tmp_path))
    title, header, line, note = printed(table, capsys)
    assert " ".join(title) == "OOV rate of the encoder (%): fi, checkpoint"
    assert " ".join(header) == "test train of words dev of words test of words"
    assert line == ["SameFeat", "10.0", "400", "20.0", "400", "25.0", "400"]
    assert note[-1] == "count."


def test_an_encoder_without_vocabulary_has_no_coverage(tmp_path):
    assert coverage_tables(as_read(probing_run(), tmp_path)) == []


def test_what_a_reader_must_know_of_a_test_stands_below(tmp_path, capsys):
    notes = {"Case": "paper reads it otherwise, one seed", "Mood": "paper reads it otherwise", "Voice": "one seed"}
    rows = [probing(test, 0.5, n_seeds=2, note=note) for test, note in notes.items()]
    lines = [" ".join(line) for line in printed(probing_table(as_read(rows, tmp_path)), capsys)]
    assert lines[-1] == "Case, Mood: paper reads it otherwise."
    assert len(lines) == 7


def test_on_a_narrow_terminal_the_layers_stand_in_several_tables(tmp_path):
    rows = as_read(layered(*map(str, range(13)), interval_low=0.4, interval_high=0.6), tmp_path)
    text = io.StringIO()
    console = Console(file=text, width=60)
    console.print(probing_table(rows))
    lines = text.getvalue().splitlines()
    assert max(map(len, lines)) <= 60
    headers = [line.split() for line in lines if line.startswith(" test")]
    assert len(headers) > 2
    assert [layer for header in headers for layer in header[1:]] == ["n", "majority", "memoriser", *map(str, range(13))]
    assert sum(line.startswith(" Case") for line in lines) == len(headers)
