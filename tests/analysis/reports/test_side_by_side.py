import pytest

from polyprobe.analysis.output.tables import show
from polyprobe.analysis.reports.side_by_side import scores_side_by_side
from polyprobe.errors import PolyprobeError
from tests.analysis.handmade import as_read, predicted_run, predictions, probing, training_run

LAYERS = {"0": 0.8, "1": 0.6, "2": 0.7}  # accuracy on test


def run(work, name: str, *rows) -> str:
    as_read(list(rows), work / "runs" / "probe" / name, name)
    return name


def printed(capsys) -> list[str]:
    return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines() if line.strip(" ─")]


@pytest.fixture
def work(tmp_path):
    for name, value in (("word2vec", 0.5), ("fasttext", 0.7)):
        rows = [probing(test, value, encoder=name, layer="vectors") for test in ("Case", "Mood")]
        run(tmp_path, f"linspector_type-fi-{name}-s1-aa", *rows)
    return tmp_path


def test_encoders_are_columns_and_the_best_is_marked(work, capsys):
    runs = [f"linspector_type-fi-{name}-s1-aa" for name in ("word2vec", "fasttext")]
    show(scores_side_by_side(work, runs))
    lines = printed(capsys)
    assert lines[1:4] == [
        "test n majority memoriser word2vec fasttext",
        "Case 200 30.0 35.0 50.0 •70.0",
        "Mood 200 30.0 35.0 50.0 •70.0",
    ]
    assert lines[-3:-1] == [f"word2vec: {runs[0]}, layer vectors", f"fasttext: {runs[1]}, layer vectors"]
    stem = f"{runs[0]}-beside-{runs[1]}"
    assert lines[-1].endswith(f"{stem}.csv, {stem}.md, {stem}.tex")
    assert "| Mood | 200 | 30.0 | 35.0 | 50.0 | **70.0** |" in (work / "comparisons" / f"{stem}.md").read_text()


@pytest.mark.parametrize(
    ("first", "second", "header"),
    [
        ({}, {}, "fasttext a1 fasttext b2"),
        ({"model": "bert@0123456789ab"}, {"model": "gpt2@abcdef012345"}, "bert@0123456789ab gpt2@abcdef012345"),
        (
            {"model": "bert", "options": "word_pooling=first"},
            {"model": "bert", "options": "word_pooling=last"},
            "bert, word_pooling=first bert, word_pooling=last",
        ),
        (
            {"options": "suite.path=mine/odd"},
            {"options": "suite.path=mine/even"},
            "suite.path=mine/odd suite.path=mine/even",
        ),
    ],
)
def test_runs_of_one_kind_of_encoder_are_distinguished_by_what_differs(tmp_path, capsys, first, second, header):
    rows = {end: probing("Case", 0.5, encoder="fasttext", **of) for end, of in (("a1", first), ("b2", second))}
    names = [run(tmp_path, f"suite-fi-fasttext-s1-{end}", row) for end, row in rows.items()]
    show(scores_side_by_side(tmp_path, names))
    lines = printed(capsys)
    assert f"test n majority memoriser {header}" in lines
    assert any(line.endswith(f": {names[1]}, layer encoding") for line in lines)


def test_a_layer_can_be_chosen(work, capsys):
    deep = [probing("Case", 0.6 + layer / 10, encoder="transformer", layer=str(layer)) for layer in range(3)]
    show(scores_side_by_side(work, ["linspector_type-fi-word2vec-s1-aa", f"{run(work, 'deep', *deep)}:2"]))
    lines = printed(capsys)
    assert lines[2:4] == ["Case 200 30.0 35.0 50.0 •80.0", "Mood 200 30.0 35.0 50.0 -"]
    assert lines[-2] == "transformer: deep, layer 2"


def test_a_run_of_several_layers_stands_at_its_best_on_dev(work, capsys):
    deep = [
        probing("Case", value, encoder="transformer", layer=layer, dev=1 - value) for layer, value in LAYERS.items()
    ]
    show(scores_side_by_side(work, ["linspector_type-fi-word2vec-s1-aa", run(work, "deep", *deep)]))
    lines = printed(capsys)
    assert lines[1:3] == ["test n majority memoriser word2vec transformer", "Case 200 30.0 35.0 50.0 •60.0"]
    assert lines[-2] == "transformer: deep, layer 1 (the best on dev)"
    assert "No significance test: no stored predictions in linspector_type-fi-word2vec-s1-aa, deep." in lines


def test_what_differs_from_the_first_run_significantly_is_marked(tmp_path, capsys):
    right = {"a": [[1, 0] * 40] * 2, "b": [[1] * 80] * 2, "c": [[1, 0] * 40] * 2}
    for name, of_run in right.items():
        predicted_run(tmp_path, name, predictions("Case", {"0": of_run}), encoder=name)
    show(scores_side_by_side(tmp_path, ["a", "b", "c"]))
    lines = printed(capsys)
    assert lines[2] == "Case 80 30.0 35.0 50.0 •100.0+ 50.0"
    assert [line for line in lines if line.startswith("+ better and - worse than the first run")]
    assert "a_marks" not in (tmp_path / "comparisons" / "a-beside-b-beside-c.csv").read_text(encoding="utf-8")
    assert "b_marks" in (tmp_path / "comparisons" / "a-beside-b-beside-c.csv").read_text(encoding="utf-8")


def test_all_layers_of_a_run_are_columns_where_they_are_asked_for(work, capsys):
    deep = [probing("Case", 0.6, encoder="transformer", layer=layer) for layer in "01"]
    show(scores_side_by_side(work, ["linspector_type-fi-word2vec-s1-aa", f"{run(work, 'deep', *deep)}:all"]))
    lines = printed(capsys)
    assert lines[1:3] == ["transformer transformer", "test n majority memoriser word2vec 0 1"]


@pytest.mark.parametrize(
    ("rows", "error", "words"),
    [
        ([probing("Case", 0.5, suite="senteval")], PolyprobeError, "same tests.*suite=senteval"),
        ([probing("Case", 0.5, n=100)], PolyprobeError, "Case: .* and other have different test items"),
        (training_run(), PolyprobeError, r"no row of stage probing\. Its rows are of: training, test, baseline\."),
    ],
)
def test_runs_that_do_not_fit_are_refused(work, rows, error, words):
    with pytest.raises(error, match=words):
        show(scores_side_by_side(work, ["linspector_type-fi-word2vec-s1-aa", run(work, "other", *rows)]))
