"""The tests of a treebank as they are written: what no two splits share, what is swapped, the same bytes again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from polyprobe.formats.probing_sets import senteval
from polyprobe.formats.reading.malformed import Refused, refuse
from polyprobe.generation.made_tests.row_statistics import NoTest
from polyprobe.generation.made_tests.writing import Source
from polyprobe.generation.maker import LeftOut
from polyprobe.generation.sentence_level import SentenceTests, dependency_trees
from polyprobe.generation.sentence_tests.from_dependencies.dependency_tests import swapped
from polyprobe.generation.sentence_tests.from_dependencies.treebank_sentences import read_treebank
from polyprobe.generation.sentence_tests.labelled_sentences import sentence_options
from tests.generation.sentence_tests.from_dependencies.small_treebanks import conllu_sentence, write_regular_treebank

MADE = ("SentLen", "NShift", "Tense", "Aspect", "SubjNumber", "SubjGender")


def make(treebank: Path, folder: Path, tests=None):
    analysis, options = dependency_trees("fi", "unicode"), sentence_options("treebanks", 1)
    return list(SentenceTests(options, {"treebanks": [Source(treebank)]}, Refused(), analysis).make(folder, tests))


@pytest.fixture(scope="module")
def treebank(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("treebank") / "regular.conllu"
    write_regular_treebank(path, 1500)
    return path


@pytest.fixture(scope="module")
def folder(treebank) -> Path:
    folder = treebank.parent / "sets"
    make(treebank, folder, MADE)
    return folder


def origins(folder: Path, test: str) -> list[dict]:
    return [json.loads(line) for line in (folder / "about" / test / "origin.jsonl").read_text().splitlines()]


def document(origin: dict) -> int:
    return int(origin["sentence"].removeprefix("s")) // 6


@pytest.mark.parametrize("test", MADE)
def test_no_document_sentence_or_target_stands_in_two_splits(folder, test):
    rows, found = list(senteval.read(folder / f"{test}.txt", refuse)), origins(folder, test)
    assert len(rows) == len(found) >= 300
    for of_row in (
        lambda place: {document(found[place])},
        lambda place: {found[place]["sentence"]},
        lambda place: set(found[place]["targets"]),
    ):
        shared = [
            set().union(*(of_row(n) for n, row in enumerate(rows) if row.split == s)) for s in ("train", "dev", "test")
        ]
        assert not shared[0] & shared[1] | shared[0] & shared[2] | shared[1] & shared[2]


@pytest.mark.parametrize("test", [test for test in MADE if test not in ("SentLen", "NShift")])
def test_targets_are_named_and_stand_in_their_sentence(folder, test):
    rows = senteval.read(folder / f"{test}.txt", refuse)
    assert all(
        set(one["targets"]) <= set(row.words) != set() for row, one in zip(rows, origins(folder, test), strict=True)
    )
    assert all(one["targets"] for one in origins(folder, test))


def test_swapped_sentences_differ_from_theirs_by_one_swap_and_the_others_by_nothing(folder, treebank):
    written = {one.place["sentence"]: one.words for one in read_treebank([treebank], "unicode", refuse)}
    rows = list(senteval.read(folder / "NShift.txt", refuse))
    for row, origin in zip(rows, origins(folder, "NShift"), strict=True):
        original = written[origin["sentence"]]
        assert row.words == (swapped(original, origin["at"] - 1) if row.label == "I" else original)
    assert {row.label for row in rows} == {"I", "O"}


def test_labels_are_balanced(folder):
    statistics = json.loads((folder / "about" / "SubjGender" / "statistics.json").read_text())
    counts = statistics["labels"]["train"].values()
    assert max(counts) - min(counts) <= 1


def test_the_same_files_and_seed_give_the_same_bytes_whatever_the_hash_seed(folder, treebank, tmp_path):
    code = (
        "import sys; from pathlib import Path; "
        "from tests.generation.sentence_tests.from_dependencies.test_tests_from_treebanks import MADE, make; "
        "make(Path(sys.argv[1]), Path(sys.argv[2]), MADE)"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    subprocess.run([sys.executable, "-c", code, treebank, tmp_path / "sets"], check=True, env=environment)
    files = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    assert len(files) == 3 * len(MADE)
    assert [(folder / file).read_bytes() for file in files] == [
        (tmp_path / "sets" / file).read_bytes() for file in files
    ]


def test_a_treebank_without_features_has_the_tests_that_need_none(treebank, tmp_path):
    lines = [line.split("\t") for line in treebank.read_text(encoding="utf-8").split("\n")]
    bare = tmp_path / "bare.conllu"
    bare.write_text(
        "\n".join("\t".join([*c[:5], "_", *c[6:]]) if len(c) == 10 else c[0] for c in lines), encoding="utf-8"
    )
    outcomes = make(bare, tmp_path / "sets")
    left_out = {one.name: one.reason for one in outcomes if isinstance(one, LeftOut)}
    assert {one.name for one in outcomes} - set(left_out) >= {"SentLen", "NShift"}
    for test in ("Tense", "Aspect", "SubjNumber", "SubjGender", "ObjNumber", "ObjGender"):
        assert "no sentence of the treebank matches" in left_out[test]
    assert "Voice=Pass" in left_out["Voice"]


def test_with_a_frequency_list_sentences_of_rare_lemmas_are_left_out(treebank, tmp_path):
    listed = tmp_path / "list.txt"
    listed.write_text("".join(f"n{noun} 1000\n" for noun in range(90)) + "ja 90000000\n")
    analysis, options = dependency_trees("fi", "unicode"), sentence_options("treebanks", 1, frequency="list")
    files = {"treebanks": [Source(treebank)], "frequency": [Source(listed)]}
    (written,) = SentenceTests(options, files, Refused(), analysis).make(tmp_path / "sets", ["NShift"])
    step = written.statistics["filters"][0]
    assert step["filter"] == "lemmas of less than 0.9 ipm on average"
    assert (step["taken"], step["left"]) == (sum(not frequent(number) for number in range(1500)), 1500 - step["taken"])


def frequent(number: int) -> bool:
    """Whether a sentence's noun is listed, 11.1 times in a million, and its words are few enough for 0.9 on average."""
    n_words = 4 + number % 20  # without the full stop
    return number % 97 < 90 and 1000 / 90.09 / n_words >= 0.9


def test_a_treebank_of_one_sentence_has_no_test(tmp_path):
    path = tmp_path / "one.conllu"
    path.write_text(
        conllu_sentence("\n".join(f"a{n} a NOUN _ {n} nmod" if n else "a a NOUN _ 0 root" for n in range(6)))
    )
    with pytest.raises(NoTest, match=r"no test could be made\. SentLen: "):
        make(path, tmp_path / "sets")
    assert not list(tmp_path.glob("sets/*"))
