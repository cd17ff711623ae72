import csv
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyprobe.analysis.correlations.coefficients import correlations
from polyprobe.analysis.correlations.downstream import correlate
from polyprobe.analysis.correlations.encoder_scores import EncoderScores, read_scores
from polyprobe.analysis.output.tables import write_table
from polyprobe.errors import BadValue, PolyprobeError, UnknownChoice
from tests.analysis.handmade import as_read, probing, score
from tests.analysis.told import csv_file

SCORES = {"char_ngrams": (0.5, 0.6), "fasttext": (0.7, 0.8), "elmo": (0.9, 0.7), "random": (0.4, 0.5)}


def task_row(encoder: str, value: float, **columns):
    usual = {"split": "test", "suite": "pos", "encoder": encoder, "corpus": "tdt"}
    return score("test", "accuracy", value, **{**usual, **columns})


def run(work, kind: str, name: str, *rows, config=None, **settings) -> None:
    folder = work / "runs" / kind / name
    as_read(list(rows), folder, name)
    (folder / "config.yaml").write_text(json.dumps({**(config or {}), "encoder": settings}))


@pytest.fixture
def work(tmp_path):
    for encoder, (before, after) in SCORES.items():
        run(tmp_path, "probe", f"p-{encoder}", probing("Case", before, encoder=encoder, layer="vectors"))
        rows = [task_row(encoder, after, seed=1), task_row(encoder, after / 2, split="dev", seed=1)]
        further = score("test", "macro_f1", 0.1, split="test", suite="pos", encoder=encoder, corpus="tdt")
        run(tmp_path, "train", f"t-{encoder}", *rows, further, task_row(encoder, 0, test="NOUN"))
    return tmp_path


def correlated(work, source, layer_of=None, correction=None, left_out=()):
    return csv_file(correlate(work, source, layer_of, left_out, correction))


def written(path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table(path, text: str):
    path.write_text(text, encoding="utf-8")
    return path


def test_runs_are_paired_by_encoder_on_the_first_metric_of_the_test_set(work):
    (row,) = written(correlated(work, "runs"))
    assert (row["language"], row["test"], row["task"], row["n"]) == ("fi", "Case", "pos", "4")
    assert float(row["spearman"]) == 0.8  # orders 2 3 4 1 and 2 4 3 1


def test_the_matrix_is_drawn_and_printed(work, capsys):
    path = correlated(work, "runs")
    assert path == work / "correlations" / "runs.csv"
    assert path.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["Case", "0.80"] in lines
    assert ["1", "rows", "in", str(path)] in lines


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ({"task": {"upos": "gold"}}, {"task": {"upos": "none"}}, r"task.upos \(gold, none\)"),
        ({}, {"trainer": {"max_epochs": 2}}, r"trainer.max_epochs \(absent, 2\)"),
    ],
)
@pytest.mark.parametrize("kind", ["train", "probe"])
def test_runs_that_differ_in_more_than_their_seeds_are_refused(kind, first, second, words, work):
    for name, config in (("f1", first), ("f2", second)):
        probed = probing("Case", 0.5, encoder="fasttext", layer="vectors")
        run(work, kind, name, task_row("fasttext", 0.5) if kind == "train" else probed, config=config)
    folder = work / "runs" / kind / f"{kind[0]}-fasttext"
    folder.rename(work / folder.name)
    with pytest.raises(PolyprobeError, match=f"of fasttext in fi: f1 and f2 differ in {words}.*runs/"):
        correlated(work, "runs")


def test_runs_of_an_encoder_that_is_not_correlated_may_differ(work):
    for size in (1, 2):
        row = probing("Case", 0.5, encoder="only_probed", layer="vectors")
        run(work, "probe", f"p-{size}", row, size=size)
    (row,) = written(correlated(work, "runs"))
    assert row["n"] == "4"


def test_an_encoder_of_two_files_counts_twice(work):
    for name, value in (("muse.vec", 0.6), ("w2v.vec", 0.3)):
        row = probing("Case", value, encoder="static_vectors", layer="vectors")
        run(work, "probe", f"p-{name}", row, path=f"/somewhere/{name}")
        run(work, "train", f"t-{name}", task_row("static_vectors", value), path=f"elsewhere/{name}")
    (row,) = written(correlated(work, "runs"))
    assert row["n"] == "6"


def test_a_layer_is_chosen_where_an_encoder_has_several(work):
    rows = [probing("Case", value, encoder="deep", layer=layer) for layer, value in (("0", 0.1), ("1", 0.95))]
    run(work, "probe", "p-deep", *rows)
    run(work, "train", "t-deep", task_row("deep", 0.9))
    with pytest.raises(PolyprobeError, match=r"deep was probed at the layers 0, 1.*layer_of={deep: 1}"):
        correlated(work, "runs")
    (row,) = written(correlated(work, "runs", {"deep": 1}))
    assert (row["n"], float(row["spearman"])) == ("5", 0.9)


def test_suites_and_corpora_are_named_where_they_tell_scores_apart(work):
    for encoder, (before, after) in SCORES.items():
        row = probing("Case", 1 - before, encoder=encoder, layer="vectors", suite="linspector_token")
        run(work, "probe", f"q-{encoder}", row)
        run(work, "train", f"u-{encoder}", score("test", "accuracy", after, split="test", suite="pos", encoder=encoder))
    rows = written(correlated(work, "runs"))
    assert {row["test"] for row in rows} == {"Case linspector_type", "Case linspector_token"}
    assert {row["task"] for row in rows} == {"pos tdt", "pos finnish_up"}


def test_too_few_encoders_are_refused_with_what_there_is(tmp_path):
    run(tmp_path, "probe", "p", probing("Case", 0.5, encoder="fasttext"))
    with pytest.raises(PolyprobeError, match=r"probing scores of fi \(fasttext\); downstream scores of nothing"):
        correlated(tmp_path, "runs")


def test_tables_are_paired_by_language_over_their_common_encoders(tmp_path):
    first = table(tmp_path / "a.csv", "language,test,baseline,x,y,z,v\nfi,Case,1,1,2,3,\nde,Case,1,3,2,1,0\n")
    second = table(tmp_path / "b.csv", "task,language,z,y,x,table\nPOS,fi,9,8,7,Table 1\nPOS,tr,1,2,3,Table 1\n")
    (row,) = written(correlated(tmp_path, [first, second]))
    assert (row["language"], row["n"], row["spearman"]) == ("fi", "3", "1.0")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("language,task,x\nfi,POS,1\n", "no column test"),
        ("language,test,x\nfi,Case\n", "line 2: the line has another number of cells"),
        ("language,test,x\nfi,Case,good\n", 'line 2: a score is "good"'),
        ("language,test,x\nfi,Case,1\nfi,Case,2\n", "line 3: fi Case occurs again"),
        ("language,test,x,y,x\nfi,Case,1,2,3\n", 'line 1: the column "x" occurs again'),
    ],
)
def test_a_damaged_table_is_refused(text, words, tmp_path):
    with pytest.raises(PolyprobeError, match=words):
        read_scores(table(tmp_path / "a.csv", text), "test")


def test_a_misspelt_source_names_the_nearest_and_an_absent_table_itself(tmp_path):
    with pytest.raises(UnknownChoice, match="Did you mean published_senteval"):
        correlated(tmp_path, "published_sentevl")
    with pytest.raises(PolyprobeError, match="there is no file published_senteval"):
        correlated(tmp_path, ["published_senteval", "b.csv"])


def test_a_constant_side_has_no_coefficient_and_takes_no_part_in_the_correction():
    scores = {"a": 1.0, "b": 2.0, "c": 4.0, "d": 3.0}
    tests = [EncoderScores("fi", "Case", scores), EncoderScores("fi", "Mood", dict.fromkeys(scores, 1.0))]
    case, mood = correlations(tests, [EncoderScores("fi", "POS", {"a": 1, "b": 2, "c": 3, "d": 4})])
    assert case.spearman == 0.8
    assert case.p_holm == case.p
    assert mood.spearman != mood.spearman
    assert mood.p_holm != mood.p_holm


def test_an_encoder_that_is_left_out_takes_no_part_and_is_named_by_the_files(tmp_path):
    first = table(tmp_path / "a.csv", "language,test,x,y,z,v\nfi,Case,1,2,3,0\n")
    second = table(tmp_path / "b.csv", "language,task,x,y,z,v\nfi,POS,7,8,9,10\n")
    path = correlated(tmp_path, [first, second], left_out=["v"])
    (row,) = written(path)
    assert (path.name, row["n"], row["spearman"]) == ("a-with-b-without-v.csv", "3", "1.0")
    with pytest.raises(UnknownChoice, match=r'encoder of except_encoders "w" is unknown.*Known: v, x, y, z'):
        correlated(tmp_path, [first, second], left_out=["w"])
    with pytest.raises(BadValue, match="except_encoders must be a list"):
        correlated(tmp_path, [first, second], left_out="v")


def test_with_a_correction_tables_mark_what_survives_it(tmp_path, capsys):
    # Over nine encoders squared differences of ranks sum to 0, 36 and 128: rho is 1, 0.7 (its p 0.036) and -0.07.
    header = "language,{},a,b,c,d,e,f,g,h,i\n"
    lines = "en,X,1,2,3,4,5,6,7,8,9\nen,Y,4,2,6,1,5,3,7,8,9\nen,Z,5,6,7,8,1,2,3,4,9\n"
    first = table(tmp_path / "a.csv", header.format("test") + lines)
    second = table(tmp_path / "b.csv", header.format("task") + "en,MR,1,2,3,4,5,6,7,8,9\n")
    path = correlated(tmp_path, [first, second], correction="bonferroni")
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["X", "1.00*"] in lines
    assert ["Y", "0.70"] in lines
    assert ["Z", "-0.07"] in lines
    assert path.with_suffix(".md").read_text(encoding="utf-8").count("0.70") == 1
    assert path.with_suffix(".tex").is_file()


def test_few_encoders_are_judged_by_all_their_orders(tmp_path, capsys):
    # Of the 720 orders of six encoders two are perfect, and ten more have a rho of 0.943 or -0.943.
    first = table(tmp_path / "a.csv", "language,test,a,b,c,d,e,f\nen,X,1,2,3,4,5,6\nen,Y,2,1,3,4,5,6\n")
    second = table(tmp_path / "b.csv", "language,task,a,b,c,d,e,f\nen,MR,1,2,3,4,5,6\n")
    rows = written(correlated(tmp_path, [first, second], correction="holm"))
    assert [float(row["p_exact"]) for row in rows] == pytest.approx([2 / 720, 12 / 720])
    assert [float(row["p_exact_holm"]) for row in rows] == pytest.approx([4 / 720, 12 / 720])
    assert [float(row["p_exact_bonferroni"]) for row in rows] == pytest.approx([4 / 720, 24 / 720])
    printed = capsys.readouterr().out
    assert ["Y", "0.94*"] in [line.split() for line in printed.splitlines()]


@given(st.lists(st.text(st.sampled_from("=+-@'\"ab ,\r\n\u2028"), min_size=1), min_size=3, max_size=3, unique=True))
def test_a_table_of_scores_is_read_back_with_the_names_that_were_written(tmp_path_factory, names):
    lang, test, encoder = names
    path = write_table(
        tmp_path_factory.getbasetemp() / "scores.csv", ["language", "test", encoder], [[lang, test, -0.5]]
    )
    (found,) = read_scores(path, "test")
    assert (found.lang, found.name, found.scores) == (lang, test, {encoder: -0.5})
