"""`data=<file>` and `check=true`, as users type them."""

import json

import pytest

from tests.commands.forked import run_script
from tests.commands.scripts import only_run, run_fresh_script
from tests.formats.small_files import TREE

STEMS = ["kala", "talo", "vesi", "kivi", "puu", "tie", "maa", "suo", "yö", "työ"]
WORDS = "".join(f"{stem}n\tGen\n{stem}ssa\tIne\n" for stem in STEMS)
QUICK = ["encoder=char_ngrams", "encoder.width=8", "probe.max_epochs=1", "trainer.threads=1"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "words.tsv").write_text(WORDS, encoding="utf-8")
    (tmp_path / "trees.conllu").write_text(
        "".join(TREE.replace("\ta\ta\t", f"\ta{n}\ta\t") for n in range(20)), encoding="utf-8"
    )
    return tmp_path


def test_a_run_by_data_is_the_run_of_the_keys_that_it_stands_for(folder):
    done = run_script("probe", "data=words.tsv", *QUICK, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "suite=table suite.path=words.tsv suite.level=type 'suite.columns=[word,label]'" in done.stderr
    run = only_run(folder, "probe")
    assert run.name.startswith("table-und-char_ngrams-s1-")
    typed = ["suite=table", "suite.path=words.tsv", "suite.level=type", "suite.columns=[word,label]"]
    again = run_script("probe", *typed, *QUICK, cwd=folder)
    assert "is finished" in again.stdout
    assert only_run(folder, "probe") == run
    rows = [json.loads(line) for line in (run / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    assert any("split 80:10:10 by form" in (row.get("note") or "") for row in rows)


def test_a_corpus_by_data_is_trained_on(folder):
    small = ["model.hidden_size=6", "encoder.word_size=6", "trainer.max_epochs=1", "trainer.threads=1"]
    done = run_script("train", "task=pos", "data=trees.conllu", *small, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert only_run(folder, "train").name.startswith("pos-und-learned-s1-")


@pytest.mark.parametrize(
    ("typed", "lines"),
    [
        (["probe", "data=words.tsv"], ["items are words alone", "train: 16 items; 2 labels", "kalan  ->  Gen"]),
        (["train", "task=pos", "data=trees.conllu"], ["train: 16 items; 2 labels: NOUN 16, VERB 16", "->  NOUN VERB"]),
    ],
)
def test_check_says_what_was_understood_and_does_nothing_else(typed, lines, folder):
    before = sorted(folder.rglob("*"))
    done = run_fresh_script(*typed, "check=true", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    for line in lines:
        assert line in done.stdout
    assert sorted(folder.rglob("*")) == before


def test_check_names_bad_rows_and_rows_that_two_splits_share(folder):
    rows = "a,X,train\nb,Y,train\na,X,test\nc,Y,test\nd,X,dev\ne,Y\n"
    (folder / "mine.csv").write_text(f"word,label,split\n{rows}", encoding="utf-8")
    done = run_script("probe", "data=mine.csv", "check=true", cwd=folder)
    assert "leakage: 1 of 2 items of test also in train" in done.stdout
    assert "mine.csv, line 7: the row has 2 columns" in done.stdout
    assert (done.returncode, "check=true found 1 bad place, at which a run stops" in done.stderr) == (1, True)
    skipped = run_script("probe", "data=mine.csv", "check=true", "data.on_malformed=skip", cwd=folder)
    assert skipped.returncode == 0, skipped.stderr
    stopped = run_script("probe", "data=mine.csv", *QUICK, cwd=folder)
    assert (stopped.returncode, "line 7" in stopped.stderr) == (1, True)


def test_check_ends_with_an_error_at_a_bad_sentence(folder):
    with open(folder / "trees.conllu", "a", encoding="utf-8") as file:
        file.write("1\tx\n\n")
    typed = ["train", "task=pos", "data=trees.conllu", "check=true"]
    done = run_script(*typed, cwd=folder)
    assert (done.returncode, "check=true found 1 bad place, at which a run stops" in done.stderr) == (1, True)


def test_check_counts_pairs_without_a_label(folder):
    labels = ["entailment", "neutral", "-", "neutral"] * 10
    objects = [{"sentence1": f"a{n} b", "sentence2": "b", "gold_label": label} for n, label in enumerate(labels)]
    (folder / "snli.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in objects), encoding="utf-8")
    done = run_script("train", "task=nli", "data=snli.jsonl", "check=true", cwd=folder)
    assert "  train: 9 pairs without a label, left out" in done.stdout


def test_check_says_that_labels_look_like_numbers_and_are_classes(folder):
    rows = "".join(f"w{number},{number % 40 / 2}\n" for number in range(120))
    (folder / "counted.csv").write_text(f"word,label\n{rows}", encoding="utf-8")
    done = run_script("probe", "data=counted.csv", "check=true", cwd=folder)
    said = "labels look like numbers: 40 different ones, each a class of its own"
    assert said in done.stdout
    run = run_script("probe", "data=counted.csv", *QUICK, cwd=folder)
    assert said in run.stdout
