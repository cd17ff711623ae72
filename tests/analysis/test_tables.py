import pytest

from src.analysis.tables import probing_table, show, summary_table, training_table
from tests.analysis.handmade import as_read, probing, probing_run, training_run


def printed(table, capsys) -> list[list[str]]:
    """Gives the words of every line that is not empty or a rule."""
    show(table)
    lines = capsys.readouterr().out.splitlines()
    return [line.split() for line in lines if line.strip(" ─")]


def test_a_test_has_a_line_with_baselines_and_the_accuracy_of_each_epoch(tmp_path, capsys):
    title, layers, header, case, character_bin, note = printed(probing_table(as_read(probing_run(), tmp_path)), capsys)
    assert " ".join(title) == "Probing accuracy (%): fi, linspector_type, checkpoint, mlp"
    assert layers == ["encoding", "encoding"]
    assert header == ["test", "n", "majority", "memoriser", "epoch", "0", "epoch", "8"]
    assert case == ["Case", "200", "30.0", "35.0", "50.0", "±3.0", "80.0", "±3.0"]
    assert character_bin == ["CharacterBin", "200", "30.0", "35.0", "45.0", "±3.0", "44.0", "±3.0"]
    assert " ".join(note) == "±: half the 95 % bootstrap interval over test items."


def test_a_value_on_few_items_or_on_one_seed_is_marked(tmp_path, capsys):
    rows = [probing("Case", 0.5), probing("Voice", 0.6, n=29), probing("Mood", 0.7, n_seeds=1)]
    lines = printed(probing_table(as_read(rows, tmp_path)), capsys)
    assert [line[-1] for line in lines[2:5]] == ["50.0", "60.0*", "70.0†"]
    assert [" ".join(line) for line in lines[5:]] == ["* rests on fewer than 30 test items.", "† rests on one seed."]


def test_where_all_values_rest_on_one_seed_the_caption_alone_says_so(tmp_path, capsys):
    rows = [probing("Case", 0.51, seed=1), probing("Case", 0.51, n_seeds=1)]
    lines = printed(probing_table(as_read(rows, tmp_path)), capsys)
    assert lines[-2][-1] == "51.0"
    assert lines[-1] == ["Every", "value", "rests", "on", "one", "seed."]


def test_a_failed_probe_is_named(tmp_path, capsys):
    rows = [probing("Case", float("nan"), seed=2, note="failed: the loss is not finite")]
    lines = printed(probing_table(as_read(rows, tmp_path)), capsys)
    assert lines[2] == ["Case", "200", "30.0", "35.0", "-"]
    assert lines[-1] == ["Case,", "encoding,", "seed", "2", "failed:", "the", "loss", "is", "not", "finite."]


def test_layers_keep_their_order_and_epochs_ascend(tmp_path, capsys):
    places = [("encoding", 8), ("encoding", 0), ("bilstm", 8), ("bilstm", 0)]
    rows = [probing("Case", 0.5, layer=layer, epoch=epoch) for layer, epoch in places]
    lines = printed(probing_table(as_read(rows, tmp_path)), capsys)
    assert lines[1] == ["encoding", "encoding", "bilstm", "bilstm"]
    assert lines[2][4:] == ["epoch", "0", "epoch", "8", "epoch", "0", "epoch", "8"]


def test_scores_of_a_trained_model_stand_beside_the_baseline(tmp_path, capsys):
    lines = printed(training_table(as_read(training_run(), tmp_path)), capsys)
    assert lines[2] == ["dev", "role", "F1", "64.0", "66.0", "62.0", "-", "500"]
    assert lines[3] == ["test", "role", "F1", "61.0", "63.0", "59.0", "19.0", "700"]
    assert lines[4] == ["Epoch", "1", "of", "2,", "the", "best", "by", "dev", "role", "F1."]


def test_the_summary_has_a_line_for_each_run(tmp_path, capsys):
    rows = as_read(training_run(), tmp_path, "srl-1") + as_read(probing_run(), tmp_path, "probe-1")
    lines = [" ".join(line) for line in printed(summary_table(rows), capsys)]
    assert lines[2:] == [
        "probe-1 fi srl linspector_type checkpoint, 2 tests, 1 layer, 2 epochs 14",
        "srl-1 fi srl role F1: dev 64.0, test 61.0 10",
    ]


@pytest.mark.parametrize("n_layers", [1, 30])
def test_a_pipe_gets_whole_lines_without_colour_codes(tmp_path, capsys, monkeypatch, n_layers):
    monkeypatch.setenv("COLUMNS", "40")
    rows = as_read([probing("Case", 0.5, layer=f"layer_{number}") for number in range(n_layers)], tmp_path)
    show(probing_table(rows))
    output = capsys.readouterr().out
    assert "\x1b" not in output
    assert len([line for line in output.splitlines() if line.split()[-n_layers:] == ["50.0"] * n_layers]) == 1
