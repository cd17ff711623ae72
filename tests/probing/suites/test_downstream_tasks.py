"""Downstream tasks read from small files: words, parts, what is done with rows, what the released toolkit does."""

import logging

import pytest

from polyprobe.errors import Impossible, MalformedLine, PolyprobeError, UnknownChoice
from polyprobe.formats.reading.malformed import Skipped, raised
from polyprobe.probing.suites.downstream_tasks import WORDS, available_tasks, chosen_tasks, load_task
from tests.probing.downstream import small_tasks

ENGLISH = {"code": "en"}
PUBLISHED = (
    *("MR", "CR", "SUBJ", "MPQA", "SST2", "SST5", "TREC", "MRPC", "SICK-E", "SICK-R", "STSB"),
    *("STS12", "STS13", "STS14", "STS15", "STS16"),
)


def load(root, name, protocol="corrected", on_malformed=raised, **changes):
    return load_task(small_tasks.suite(**changes), name, root, None, protocol, on_malformed)


def words(task, part):
    return [" ".join(item.sentences[0]) for item in task.parts[part]]


@pytest.fixture
def root(tmp_path):
    small_tasks.write_reviews(tmp_path, 12)
    small_tasks.write_similarities(tmp_path)
    small_tasks.write_questions(tmp_path)
    small_tasks.write_benchmark(tmp_path)
    return tmp_path


def test_the_suite_has_the_tasks_of_the_article():
    assert tuple(small_tasks.suite().tasks) == PUBLISHED


def test_blank_lines_are_left_out_and_counted(root):
    task = load(root, "CR")
    assert len(task.items) == 24
    assert task.note == "2 blank lines left out"
    assert [item.line for item in task.items if item.label == "negative"] == list(range(2, 14))


def test_blank_lines_are_items_in_the_released_toolkit(root):
    task = load(root, "CR", "released")
    assert len(task.items) == 26
    assert words(task, "all")[12] == "."
    assert task.note == "2 blank lines are items with the word ."


def test_characters_beyond_ascii_are_kept_and_in_the_released_toolkit_what_cat_makes_of_them(root):
    assert words(load(root, "MR"), "all")[11] == "a good café …"
    assert words(load(root, "MR", "released"), "all")[11] == "a good cafM-i M-^E"


def test_pairs_without_a_score_are_left_out_and_counted(root):
    task = load(root, "STS14")
    assert {name: len(items) for name, items in task.parts.items()} == dict.fromkeys(
        ["deft-forum", "deft-news", "headlines", "OnWN", "images", "tweet-news"], 24
    )
    assert task.note == "6 pairs without a score left out"


def test_questions_lose_their_quotation_marks(root):
    assert words(load(root, "TREC"), "test")[0] == "many is it TREC_100"
    assert words(load(root, "TREC", cut_by="blanks"), "test")[0] == "`` many '' is it TREC_100"


def test_the_grades_of_the_benchmark_begin_at_0_and_in_the_released_toolkit_at_1(root):
    assert load(root, "STSB").settings.scores == [0, 5]
    assert load(root, "STSB", "released").settings.scores == (1, 5)


def test_words_are_cut_as_the_toolkit_prepares_each_task():
    assert WORDS["moses"]('The "dog\'s" U.S. bowl.') == ("The", '"', "dog", "'s", '"', "U.S.", "bowl", ".")
    assert WORDS["moses_lower"]("The Dog.") == ("the", "dog", ".")
    assert WORDS["penn"]("I don't.") == ("I", "do", "n't", ".")


def test_a_bad_line_is_refused_with_its_place_or_left_out(root, caplog):
    path = root / "senteval/downstream/TREC/TREC_10.label"
    path.write_text("NUM:x How many ?\nNOM:x Who ?\n", encoding="utf-8")
    with pytest.raises(MalformedLine, match=r"TREC_10\.label, line 2: the label is"):
        load(root, "TREC")
    with caplog.at_level(logging.ERROR):
        skipped = Skipped()
        assert len(load(root, "TREC", on_malformed=skipped).parts["test"]) == 1
    assert len(skipped.places) == 1


def test_a_part_without_an_item_is_refused(root):
    path = root / "senteval/downstream/STS/2014/images.test.tsv"
    path.write_text("\tnever\tscored\n", encoding="utf-8")
    with pytest.raises(PolyprobeError, match=r"images\.test\.tsv: no item of images of STS14"):
        load(root, "STS14")


def test_tasks_are_chosen_by_name_or_all_that_have_their_files(root, monkeypatch):
    monkeypatch.setattr("polyprobe.probing.suites.availability.available_targets", lambda folder: [])
    statuses = available_tasks(small_tasks.suite(), ENGLISH, root)
    assert chosen_tasks(statuses, None) == ["MR", "CR", "TREC", "STSB", "STS14"]
    assert chosen_tasks(statuses, ["TREC", "MR", "TREC"]) == ["TREC", "MR"]
    with pytest.raises(UnknownChoice, match=r"Did you mean .*STS14"):
        chosen_tasks(statuses, ["STS41"])
    with pytest.raises(PolyprobeError, match=r"STS13 lacks .*FNWN\.test\.tsv"):
        chosen_tasks(statuses, ["STS13"])


def test_another_language_has_no_tasks(root):
    with pytest.raises(Impossible, match="Expected lang=en"):
        available_tasks(small_tasks.suite(), {"code": "fi"}, root)


def test_a_folder_without_files_says_what_was_expected(tmp_path, monkeypatch):
    monkeypatch.setattr("polyprobe.probing.suites.availability.available_targets", lambda folder: [])
    with pytest.raises(Impossible, match=r"rt-polarity\.pos"):
        available_tasks(small_tasks.suite(), ENGLISH, tmp_path)
