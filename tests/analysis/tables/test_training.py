from polyprobe.analysis.output.tables import show
from polyprobe.analysis.reports.result_kinds import summary_table
from polyprobe.analysis.tables.training import training_table
from polyprobe.runs.results import ResultRow
from tests.analysis.handmade import as_read, probing, probing_run, training_run


def printed(table, capsys) -> list[list[str]]:
    """Returns the words of every line that is not empty or a rule."""
    show([table])
    lines = capsys.readouterr().out.splitlines()
    return [line.split() for line in lines if line.strip(" ─")]


def test_scores_of_a_trained_model_stand_beside_the_baseline(tmp_path, capsys):
    lines = printed(training_table(as_read(training_run(), tmp_path)), capsys)
    assert lines[2] == ["dev", "role", "F1", "64.0", "66.0", "62.0", "-", "500"]
    assert lines[3] == ["test", "role", "F1", "61.0", "63.0", "59.0", "19.0", "700"]
    assert [" ".join(line) for line in lines[4:6]] == [
        "Test scores: best epoch on dev by role F1 (1/2).",
        "baseline: frequent_role (most frequent role by part of speech, side and distance).",
    ]


def test_a_perplexity_above_that_of_its_named_baseline_is_marked_and_said_to_be_better_where_lower(tmp_path, capsys):
    about = {"lang": "fr", "suite": "lm", "metric": "perplexity", "n": 900}
    rows = [
        ResultRow("test", value=138.9, split="dev", **about),
        ResultRow("baseline", value=69.3, split="dev", encoder="unigrams", **about),
        ResultRow("test", value=50.0, split="test", **about),
        ResultRow("baseline", value=74.2, split="test", encoder="unigrams", **about),
    ]
    lines = [" ".join(line) for line in printed(training_table(as_read(rows, tmp_path)), capsys)]
    assert lines[2:] == [
        "dev perplexity 138.9↓ - - 69.3 900",
        "test perplexity 50.0 - - 74.2 900",
        "baseline: unigrams (each word by how often it occurs in train).",
        "↓ worse than its baseline.",
        "perplexity: lower is better.",
    ]


def test_a_score_of_all_items_has_the_ends_of_its_interval(tmp_path, capsys):
    columns = {"lang": "fr", "suite": "ner", "metric": "span_f1", "n": 30, "split": "test"}
    rows = [ResultRow("test", value=1.0, interval_low=0.8865, interval_high=1.0, **columns)]
    earlier = [ResultRow("test", value=1.0, interval_low=1.0, interval_high=1.0, **columns)]
    lines = [" ".join(line) for line in printed(training_table(as_read(rows, tmp_path)), capsys)]
    assert lines[2] == "test span F1 100.0 (88.6 to 100.0) - - - 30"
    assert lines[-1] == "At 0 and 100 % the interval is Wilson's, (low to high)."
    lines = [" ".join(line) for line in printed(training_table(as_read(earlier, tmp_path)), capsys)]
    assert lines[2] == "test span F1 100.0 ±0.0 - - - 30"


def test_the_summary_has_a_line_for_each_run(tmp_path, capsys):
    rows = as_read(training_run(), tmp_path, "srl-1") + as_read(probing_run(), tmp_path, "probe-1")
    lines = [" ".join(line) for line in printed(summary_table(rows), capsys)]
    assert lines[2:] == [
        "probe-1 fi srl linspector_type checkpoint, 2 tests, 1 layer, 2 epochs 14",
        "srl-1 fi srl role F1: dev 64.0, test 61.0 10",
    ]


def test_the_summary_says_which_models_the_runs_are_of_where_any_does(tmp_path, capsys):
    named = [probing("Case", 0.5, encoder="transformer", model="bert@0123456789ab", options="layers=[0]")]
    rows = as_read(named, tmp_path, "probe-2") + as_read(probing_run(), tmp_path, "probe-1")
    header, older, newer = [" ".join(line) for line in printed(summary_table(rows), capsys)][1:]
    assert header == "run lang suite model options summary rows"
    assert older.startswith("probe-1 fi srl linspector_type checkpoint")
    assert newer == "probe-2 fi linspector_type bert@0123456789ab layers=[0] transformer, 1 test, 1 layer 1"


def test_neurons_are_summed_up_by_their_rankings_tests_and_number(capsys):
    usual = {"stage": "neurons", "run": "neurons-1", "lang": "fi", "suite": "linspector_type", "split": "test"}
    usual |= {"n": 100, "value": 0.5, "metric": "accuracy", "encoder": "transformer"}
    rows = [{**usual, "test": test, "neurons": 600, "ablation": "all"} for test in ("Case", "Mood")]
    rows += [
        {**usual, "test": "Case", "ranking": name, "neurons": 6, "ablation": "top_zeroed"}
        for name in ("weights", "iou")
    ]
    (line,) = [" ".join(line) for line in printed(summary_table(rows), capsys) if "neurons-1" in line]
    assert line == "neurons-1 fi linspector_type weights, iou: 2 tests, 600 neurons 4"


def test_similarities_are_summed_up_by_their_measures_and_layers(capsys):
    usual = {
        "stage": "similarity",
        "run": "similarity-Case-1",
        "lang": "fi",
        "suite": "linspector_type",
        "test": "Case",
    }
    usual |= {"split": "test", "n": 100, "value": 0.5, "encoder": "transformer", "other_encoder": "transformer"}
    pairs = [("0", "1"), ("0", "2"), ("1", "2")]
    rows = [
        {**usual, "metric": metric, "layer": one, "other_layer": other}
        for metric in ("cka", "rsa")
        for one, other in pairs
    ]
    (line,) = [" ".join(line) for line in printed(summary_table(rows), capsys) if "similarity-Case-1" in line]
    assert line == "similarity-Case-1 fi linspector_type cka, rsa: 3 layers 6"
