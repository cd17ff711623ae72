"""Suites of sentences: one file or one for each split, dev in train's place, what a reader is told."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from polyprobe.errors import BadValue, MalformedLine, PolyprobeError
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.items import Sentence
from polyprobe.named import built
from polyprobe.probing.suites.availability import available_tests
from polyprobe.probing.suites.test_files import TrainFromDev
from polyprobe.probing.suites.tests import load_test

CONF = Path(__file__).parents[3] / "conf"
TOY = {"code": "toy", "name": "Toy", "senteval": "senteval/toy", "xprobe": "xprobe/toy", "generator": None}
TENSE = 'tr\tPAST\tHe ran .\ntr\tPRES\t" He runs .\nva\tPRES\tIt  is .\nte\tPAST\tIt was\u00a0so .\nte\tPRES\tSo ?\n'
SHIFTED = [f"w{n} .\t{'I' if n % 5 == 0 else 'O'}" for n in range(20)]


def suite(name, **changes):
    settings = yaml.safe_load((CONF / "suite" / f"{name}.yaml").read_text())
    return replace(built(settings, "suite"), **changes)


def write(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def write_part(root, part, rows):
    write(root / f"xprobe/toy/bigram_shift/{part}.txt", "".join(f"{row}\n" for row in rows))


@pytest.fixture
def root(tmp_path):
    write(tmp_path / "senteval/toy/past_present.txt", TENSE)
    write_part(tmp_path, "va", SHIFTED)
    write_part(tmp_path, "te", ["a b .\tI", "c d .\tO"])
    return tmp_path


def load(name, test, root, on_malformed=refuse, **changes):
    return load_test(suite(name, **changes), TOY, test, root, None, on_malformed)


def test_one_file_has_all_splits_and_rows_are_counted_by_split(root):
    (status,) = available_tests(suite("senteval"), TOY, root)
    assert (status.name, status.state, status.absent) == ("Tense", "present", ())
    assert status.sizes == {"train": 2, "dev": 1, "test": 2}


def test_items_are_sentences_of_words_between_blanks(root):
    tense = load("senteval", "Tense", root)
    assert tense.labels == ("PAST", "PRES")
    assert tense.train.items == ((Sentence(("He", "ran", ".")),), (Sentence(('"', "He", "runs", ".")),))
    assert tense.dev.items == ((Sentence(("It", "is", ".")),),)
    assert tense.test.items[0] == (Sentence(("It", "was\u00a0so", ".")),)
    assert tense.test.lines == (4, 5)


def test_surplus_blanks_are_counted_in_the_note(root):
    assert load("senteval", "Tense", root).note == "surplus blanks removed in 1 sentences"


def test_labels_have_no_blanks_at_their_edges_and_those_that_may_say_nothing_are_named(root):
    rows = "tr\tPAST \tHe ran .\ntr\tNaN\tHe runs .\nva\tPAST\tIt is .\nte\t\u00a0PAST\tI was .\nte\tN/A\tYes .\n"
    write(root / "senteval/toy/past_present.txt", rows)
    of_a_user = load("senteval", "Tense", root, source=None, files="senteval/toy/past_present.txt")
    assert of_a_user.labels == ("N/A", "NaN", "PAST")
    assert of_a_user.note.startswith("blanks at the edges of 2 labels left out; ")
    assert "read as labels like any other, perhaps no values: NaN (1 rows), N/A (1 rows)" in of_a_user.note
    assert "perhaps no values" not in load("senteval", "Tense", root).note  # of a published suite


def test_an_unknown_partition_is_refused_or_counted(root):
    write(root / "senteval/toy/past_present.txt", TENSE + "dev\tPRES\tIt is .\n")
    with pytest.raises(MalformedLine, match=r'past_present\.txt, line 6: the partition is "dev"\. Expected tr'):
        load("senteval", "Tense", root)
    skipped = Skipped()
    assert len(load("senteval", "Tense", root, skipped).dev.items) == 1
    assert [place.line for place in skipped.places] == [6]


def test_a_file_without_rows_of_a_split_is_refused(root):
    write(root / "senteval/toy/past_present.txt", "tr\tPAST\tHe ran .\nte\tPAST\tHe ran .\n")
    with pytest.raises(PolyprobeError, match=r"past_present\.txt has no row of dev that can be read"):
        load("senteval", "Tense", root)


def test_without_a_train_file_train_and_dev_are_drawn_from_dev_label_by_label(root):
    (status,) = available_tests(suite("xprobe"), TOY, root)
    assert (status.state, status.sizes) == ("present", {"train": 16, "dev": 4, "test": 2})
    shift = load("xprobe", "BShift", root)
    assert [shift.train.label_ids.count(n) for n in (0, 1)] == [3, 13]
    assert [shift.dev.label_ids.count(n) for n in (0, 1)] == [1, 3]
    assert sorted((*shift.train.lines, *shift.dev.lines)) == list(range(1, 21))
    assert shift.note == "train and dev are 80 and 20 % of va"


def test_the_draw_depends_on_its_seed_alone_and_changes_the_version(root):
    first, again = load("xprobe", "BShift", root), load("xprobe", "BShift", root)
    assert (again.version, again.train.lines) == (first.version, first.train.lines)
    other = load("xprobe", "BShift", root, train_from_dev=TrainFromDev(0.8, 2))
    assert other.version != first.version
    assert other.train.lines != first.train.lines


def test_a_train_file_is_used_where_there_is_one(root):
    write_part(root, "tr", ["e f .\tI", "g h .\tO"])
    shift = load("xprobe", "BShift", root)
    assert (len(shift.train.items), len(shift.dev.items), shift.note) == (2, 20, None)


def test_the_train_file_can_be_asked_for(root):
    (status,) = available_tests(suite("xprobe", train_from_dev=None), TOY, root)
    assert (status.state, status.absent) == ("missing", ("xprobe/toy/bigram_shift/tr.txt",))


def test_a_dev_file_that_is_the_test_file_is_noted_and_warned_of(root, caplog):
    write_part(root, "te", SHIFTED)
    note = load("xprobe", "BShift", root).note
    assert note == "train and dev are 80 and 20 % of va; train, dev and test are all read from the same rows"
    assert "BShift of lang=toy: train, dev and test are all read from the same rows" in caplog.text
    write_part(root, "tr", ["e f .\tI", "g h .\tO"])
    assert load("xprobe", "BShift", root).note == "dev and test are read from the same rows"


def test_one_label_is_noted(root):
    write(root / "senteval/toy/past_present.txt", "tr\tPAST\ta\nva\tPAST\tb\nte\tPAST\tc\n")
    assert load("senteval", "Tense", root).note == 'one label only ("PAST")'


def test_labels_that_train_lacks_are_noted(root):
    write(root / "senteval/toy/past_present.txt", "tr\tA\ta\ntr\tB\ta\nva\tC\tb\nte\tA\tc\nte\tD\td\nte\tC\te\n")
    assert load("senteval", "Tense", root).note == "rows with a label that train lacks: 1 of dev, 2 of test"


@pytest.mark.parametrize("share", [0, 1])
def test_a_share_that_leaves_nothing_is_refused(share):
    with pytest.raises(BadValue, match=r"suite\.train_from_dev\.share must be above 0 and below 1"):
        TrainFromDev(share, 1)
