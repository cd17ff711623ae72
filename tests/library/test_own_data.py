"""Data of the user's own in calls: `pp.probe(…, data="words.csv")`, a data frame, rows, columns."""

import re
import shlex

import numpy as np
import pandas as pd
import pytest

import polyprobe as pp
from tests.commands.forked import run_script

FAST = ["probe.max_epochs=1"]
WORDS, LABELS = [f"w{'a' * (n % 4)}{n}" for n in range(40)], ["a", "b"] * 20
ODD = ['say "hi"', "a\ttab", "two\nlines", " at edges ", "it's, a; b", "{x} y", "[a] b", "${oc.env:HOME} x", "a\\b c"]


def lengths(words):
    return np.array([[len(word), word.count("a")] for word in words], dtype=np.float32)


def probed(work, data, **options):
    return pp.probe("char_ngrams", data=data, work=work, threads=1, quiet=True, overrides=FAST, **options)


def test_a_function_is_probed_with_words_of_ones_own(tmp_path):
    words = tmp_path / "my words.csv"
    rows = "".join(f"w{'a' * (n % 4)}{n},{'ab'[n % 2]}\n" for n in range(20))
    words.write_text(f"word,case\n{rows}", encoding="utf-8")
    fast = {"work": tmp_path, "quiet": True, "overrides": FAST}
    run = pp.probe(lengths, name="lengths", data=words, columns={"label": "case"}, **fast)
    typed = [f'suite.path="{words}"', "suite.level=type", "suite.label=case", *FAST]
    again = pp.probe(lengths, name="lengths", suite="table", **{**fast, "overrides": typed})
    assert run.name.startswith("table-und-")
    assert again.name == run.name


@pytest.mark.parametrize(
    ("data", "columns"),
    [
        (list(zip(WORDS, LABELS, strict=True)), None),
        ({"word": WORDS, "label": np.array(LABELS)}, None),
        ([{"word": word, "label": label} for word, label in zip(WORDS, LABELS, strict=True)], None),
        (pd.DataFrame({"word": WORDS, "case": LABELS}, index=range(100, 140)), {"label": "case"}),
        (pd.DataFrame({"word": WORDS, "label": pd.Categorical(LABELS), "note": np.nan}), None),
    ],
    ids=["rows", "columns", "records", "frame", "frame with gaps elsewhere"],
)
def test_data_in_memory_are_those_of_a_file(data, columns, tmp_path):
    named = "case" if columns else "label"
    rows = [("word", named), *zip(WORDS, LABELS, strict=True)]
    (tmp_path / "words.tsv").write_text("".join(f"{word}\t{label}\n" for word, label in rows))
    run, of_file = (probed(tmp_path, one, columns=columns) for one in (data, tmp_path / "words.tsv"))
    assert run.score() == run.score(named) == of_file.score(named)
    assert run.predictions(named).inputs.tolist() == of_file.predictions(named).inputs.tolist()


@pytest.mark.parametrize(
    ("labels", "read"), [([1, 2], ["1", "2"]), ([True, False], ["False", "True"]), ([0.5, 1.0], ["0.5", "1.0"])]
)
def test_any_text_and_labels_of_any_type_are_read(labels, read, tmp_path):
    texts = [f"{text} {number}" for number in range(4) for text in ODD]
    run = probed(tmp_path, [(text, labels[place % 2]) for place, text in enumerate(texts)])
    predictions = run.predictions("label")
    assert predictions.labels.tolist() == read
    assert {*predictions.inputs.tolist()} <= {" ".join(text.split()) for text in texts}


def test_the_command_of_a_run_reads_the_same_splits_again(tmp_path):
    parts = {
        split: pd.DataFrame({"form": [f"{split}{n}" for n in range(12)], "class": ["x", "y"] * 6})
        for split in ("train", "dev", "test")
    }
    run = probed(tmp_path / "work", parts)
    assert run.predictions("class").inputs.tolist() == parts["test"]["form"].tolist()
    _, script, *arguments = shlex.split(run.command)
    repeated = run_script(script.removesuffix(".py"), *arguments, f"paths.work={tmp_path / 'command'}")
    assert repeated.returncode == 0, repeated.stderr
    again = tmp_path / "command" / run.path.relative_to(tmp_path / "work") / "results.jsonl"
    assert again.read_bytes() == (run.path / "results.jsonl").read_bytes()


def test_pairs_of_sentences_are_scored(tmp_path):
    pairs = [("the dog barks", "the dog barkss"), ("a cat", "a catss")]
    run = pp.score_minimal_sets(lambda texts: [-len(one) for one in texts], data=pairs, work=tmp_path, quiet=True)
    assert run.score("data") == 1.0


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"train": [("a", "b")], "test": [("a", "b")]}, "data has train and test alone. Expected train, dev and test"),
        (pd.DataFrame([["a", "b"]], columns=["word", "word"]), "two columns of one name: word, word"),
        ([("a", "b"), ("c", "d", "e")], "data: row 2 is"),
        ([("a", "b", "c", "d")], "Expected (item) or (item, label) or (word, sentence, label), or named columns"),
        ({"word": ["a"], "label": ["b", "c"]}, "word has 1, label has 2"),
        ({"word": "a"}, "data['word'] must be a list of values, got 'a'"),
        ({1, 2}, "data must be a file, a folder, a data frame"),
        ([], "data must be a file"),
        (pd.DataFrame({"word": WORDS, "label": [None, "a"] * 20}), "line 1: the line has no label"),
        (pd.DataFrame({"word": [*WORDS[1:], np.nan], "label": LABELS}), "line 40: the line has no word"),
    ],
)
def test_what_is_no_table_is_refused(data, words, tmp_path):
    with pytest.raises(pp.PolyprobeError, match=re.escape(words)):
        probed(tmp_path, data)


def test_a_kept_probe_is_that_of_its_layer_and_seed(tmp_path):
    options = {"seeds": 2, "work": tmp_path, "quiet": True, "overrides": [*FAST, "probe.keep=true"]}
    run = pp.probe("char_ngrams", data=list(zip(WORDS, LABELS, strict=True)), **options)
    assert [run.probe("label", layer="char_ngrams", seed=seed).seed for seed in (1, 2)] == [1, 2]
    on_dev = [row["dev"] for row in run.rows if row["stage"] == "probing" and "seed" in row]
    assert run.probe("label").dev_accuracy == max(on_dev)
    with pytest.raises(pp.PolyprobeError, match=r'"5" is unknown\. Known: 1, 2'):
        run.probe("label", seed=5)
