"""The ten tests of constituency trees, made as the command makes them, from trees of a small grammar."""

import gc
import json
import os
import subprocess
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.probing_sets import senteval
from polyprobe.formats.reading.malformed import Refused, Skipped, refuse
from polyprobe.generation.made_tests.row_statistics import NoTest
from polyprobe.generation.made_tests.writing import Source
from polyprobe.generation.maker import LeftOut, Written
from polyprobe.generation.sentence_level import CONSTITUENCY_TREES, SentenceTests
from polyprobe.generation.sentence_tests.labelled_sentences import sentence_options
from tests.generation.sentence_tests.from_trees.small_trees import write_trees

OPTIONS = {
    **{"windows": "published", "target_frequency": [1, 100_000], "odd_frequency": [1, 100_000], "odd_bigram_ratio": 9},
    **{"depths": [4, 12], "depth_correlation": 0.3, "length_bins": [14, 20], "top_constituents": 3},
    "content_words": {"words": 20, "passed_over": 4, "letters": 4, "least": 5},
}
NAMES = [test.name for test in CONSTITUENCY_TREES.tests]


def made(trees: Path, folder: Path, tests=None, on_malformed=None, **changes):
    options = sentence_options("trees", 1, **{**OPTIONS, **changes})
    handler = on_malformed or Refused()
    return list(SentenceTests(options, {"trees": [Source(trees)]}, handler, CONSTITUENCY_TREES).make(folder, tests))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder of the tests made from 5,000 trees, and what was yielded."""
    folder = tmp_path_factory.mktemp("made")
    return folder / "sets", made(write_trees(folder / "trees.tsv", 5000, 150), folder / "sets")


def rows_of(folder, name):
    """The rows of a test with what is said on where they come from."""
    rows = list(senteval.read(folder / f"{name}.txt", refuse))
    origins = [json.loads(line) for line in (folder / f"about/{name}/origin.jsonl").read_text().splitlines()]
    assert [(row.line, row.split, row.label) for row in rows] == [(o["row"], o["split"], o["label"]) for o in origins]
    return list(zip(rows, origins, strict=True))


def test_all_ten_tests_are_made(run):
    assert [one.name for one in run[1] if isinstance(one, Written)] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_no_document_target_or_sentence_stands_in_two_splits(run, name):
    splits = defaultdict(set)
    for row, origin in rows_of(run[0], name):
        splits["document", origin["document"]].add(row.split)
        splits["sentence", origin.get("original", row.sentence).lower()].add(row.split)
        splits["place", origin["file"], origin["line"]].add(row.split)
        for target in origin["targets"]:
            splits["target", target].add(row.split)
    assert {len(of_one) for of_one in splits.values()} == {1}


@pytest.mark.parametrize("name", NAMES)
def test_a_sentence_stands_in_a_test_once(run, name):
    places = [origin["line"] for _, origin in rows_of(run[0], name)]
    assert len(places) == len(set(places))


def test_the_search_for_garbage_goes_on_whenever_a_test_is_written(tmp_path):
    files = {"trees": [Source(write_trees(tmp_path / "trees.tsv", 900, 90))]}
    maker = SentenceTests(sentence_options("trees", 1, **OPTIONS), files, Refused(), CONSTITUENCY_TREES)
    outcomes = maker.make(tmp_path / "sets", ["SentLen", "TopConst"])
    assert [gc.isenabled() for _ in outcomes] == [True, True]


def test_statistics_say_where_every_sentence_went(run):
    for one in run[1]:
        filters = one.statistics["filters"]
        assert filters[0]["taken"] + filters[0]["left"] == 5000
        for before, after in pairwise(filters):
            assert before["left"] == after["taken"] + after["left"]
        assert filters[-1]["left"] == sum(one.statistics["items"].values())
        assert set(one.statistics["shared_with_train"]["document"].values()) == {0.0}
        assert one.statistics["corpus"]["documents"] == 150


def test_a_test_is_the_same_bytes_whatever_else_is_made(run, tmp_path):
    script = (
        "import sys; from pathlib import Path; from tests.generation.test_sentence_level import made; "
        "made(Path(sys.argv[1]), Path(sys.argv[2]), ['WC', 'SOMO', 'SubjNum'])"
    )
    trees = run[0].parent / "trees.tsv"
    subprocess.run(
        [sys.executable, "-c", script, trees, tmp_path], check=True, env={**os.environ, "PYTHONHASHSEED": "1"}
    )
    for name in ("WC", "SOMO", "SubjNum"):
        assert (tmp_path / f"{name}.txt").read_bytes() == (run[0] / f"{name}.txt").read_bytes()
        about = [folder / "about" / name / "origin.jsonl" for folder in (tmp_path, run[0])]
        assert about[0].read_bytes() == about[1].read_bytes()


def test_of_two_hundred_sentences_no_test_is_made(tmp_path):
    with pytest.raises(NoTest, match=r"no test could be made. SentLen: .* \(minimum 300\)"):
        made(write_trees(tmp_path / "trees.tsv", 200), tmp_path / "sets")
    assert not (tmp_path / "sets").exists()


def test_of_one_label_no_test_is_made_and_the_others_are(tmp_path):
    lines = [
        f"d{n}\t(ROOT (S (NP (NNS cats)) (VP (VBD saw{n} ) (NP (NN x) (CD {n})) (RB so)) (. .)))\n" for n in range(900)
    ]
    (tmp_path / "trees.tsv").write_text("".join(lines))
    found = made(tmp_path / "trees.tsv", tmp_path / "sets", ["Tense", "BShift"])
    assert isinstance(found[0], LeftOut)
    assert "1 label left (PAST). A test needs 2" in found[0].reason
    assert isinstance(found[1], Written)


def test_a_malformed_tree_is_refused_or_left_out_and_counted(tmp_path):
    trees = write_trees(tmp_path / "trees.tsv", 900)
    trees.write_text(trees.read_text() + "d\t(ROOT (S (NN rain))\n")
    with pytest.raises(MalformedLine, match="line 901: 1 of its brackets are not closed"):
        made(trees, tmp_path / "sets", ["SentLen"])
    (one,) = made(trees, tmp_path / "sets", ["SentLen"], Skipped())
    assert one.statistics["corpus"]["malformed_rows_left_out"] == 1
