"""Suites: which tests a language has, and what reading one gives."""

from pathlib import Path

import pytest
import yaml

from polyprobe.errors import MalformedLine, PolyprobeError, UnknownChoice
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.items import Form, TokenInContext
from polyprobe.named import built
from polyprobe.probing.suites.availability import available_tests, chosen_tests
from polyprobe.probing.suites.tests import load_test
from polyprobe.resources.pinned_files import available_targets
from polyprobe.runs.names.conf_folders import choice_files, choice_settings
from polyprobe.splits import SPLITS

CONF = Path(__file__).parents[3] / "conf"
TOY = {"code": "toy", "name": "Toy", "linspector": {"type": "toy", "token": "toyish"}, "generator": None}


def suite(name):
    return built(yaml.safe_load((CONF / "suite" / f"{name}.yaml").read_text()), "suite")


def write(root, folder, train, dev, test):
    folder = root / "linspector" / folder
    folder.mkdir(parents=True)
    for split, rows in (("train", train), ("dev", dev), ("test", test)):
        (folder / f"{split}.txt").write_text("".join(f"{row}\n" for row in rows))


@pytest.fixture
def root(tmp_path):
    write(tmp_path, "type/toy/Case", ["talot\tNominative", "talossa\tEssive+In"], ["talo\tNone"], ["talon\tGenitive"])
    write(tmp_path, "type/toy/OddFeat", ["talo\ttalot\tNumber"], ["talo\tauto\tlemma"], ["auto\tautot\tNumber"])
    write(tmp_path, "token/toyish/Part of Speech", ["Talo paloi .\t1\tVerb"], ["# Talo\t1\tNoun"], ["Talo\t0\tNoun"])
    return tmp_path


def load(suite_name, test, root, on_malformed=refuse):
    return load_test(suite(suite_name), TOY, test, root, None, on_malformed)


def test_a_language_has_the_tests_that_have_files_in_the_order_of_the_tables(root):
    statuses = available_tests(suite("linspector_type"), TOY, root)
    assert [(status.name, status.state) for status in statuses] == [("Case", "present"), ("OddFeat", "present")]
    assert statuses[0].sizes == {"train": 2, "dev": 1, "test": 1}


def test_a_test_of_which_a_file_is_neither_here_nor_published_is_missing(root):
    (root / "linspector/type/toy/Case/dev.txt").unlink()
    (status, _) = available_tests(suite("linspector_type"), TOY, root)
    assert (status.state, status.absent) == ("missing", ("linspector/type/toy/Case/dev.txt",))


def test_a_published_test_can_be_fetched(tmp_path):
    finnish = choice_settings("lang", "fi")
    statuses = available_tests(suite("linspector_type"), finnish, tmp_path)
    assert {status.state for status in statuses} == {"downloadable"}
    names = "Case Mood Number POS Person Tense Voice CharacterBin CharacterCount TagCount OddFeat SameFeat"
    assert " ".join(status.name for status in statuses) == names


@pytest.mark.parametrize(
    ("code", "n_type", "n_token"),
    [("fi", 12, 10), ("tr", 12, 10), ("de", 12, 11), ("es", 12, 11), ("ru", 12, 13), ("en", 1, 10), ("sr", 1, 6)],
)
def test_every_language_has_its_published_tests(code, n_type, n_token, tmp_path):
    language = choice_settings("lang", code)
    counts = [len(available_tests(suite(f"linspector_{level}"), language, tmp_path)) for level in ("type", "token")]
    assert counts == [n_type, n_token]


@pytest.mark.parametrize("level", ["type", "token"])
def test_every_published_folder_of_linspector_is_one_language(level):
    prefix = f"linspector/{level}/"
    published = sorted({target.split("/")[2] for target in available_targets(prefix)})
    languages = [choice_settings("lang", code) for code in choice_files("lang")]
    with_folders = [one["linspector"] for one in languages if one["generator"] is None and one["linspector"]]
    folders = [folder_of[level] for folder_of in with_folders]
    assert sorted(filter(None, folders)) == published


def test_a_file_of_a_language_is_named_by_its_code():
    for code in choice_files("lang"):
        assert choice_settings("lang", code)["code"] == code


def test_a_language_without_any_test_says_where_it_looked(tmp_path):
    with pytest.raises(PolyprobeError, match=r"no tests of suite=linspector_type: nothing is in .*type/toy"):
        available_tests(suite("linspector_type"), TOY, tmp_path)


def test_a_language_that_does_not_name_its_folder_says_so(tmp_path):
    with pytest.raises(PolyprobeError, match=r"lang=toy .* the name of their folder as lang\.linspector\.token"):
        available_tests(suite("linspector_token"), {**TOY, "linspector": {"type": "toy"}}, tmp_path)


def test_tests_are_chosen_in_the_order_asked_for(root):
    statuses = available_tests(suite("linspector_type"), TOY, root)
    assert chosen_tests(statuses, None) == ["Case", "OddFeat"]
    assert chosen_tests(statuses, ["OddFeat", "Case", "OddFeat"]) == ["OddFeat", "Case"]


def test_a_misspelt_test_names_the_near_and_the_known_ones(root):
    statuses = available_tests(suite("linspector_type"), TOY, root)
    with pytest.raises(UnknownChoice, match=r'test "Cas" is unknown\. Did you mean Case\? Known: Case, OddFeat'):
        chosen_tests(statuses, ["Cas"])


def test_labels_come_from_all_splits(root):
    case = load("linspector_type", "Case", root)
    assert case.labels == ("Essive+In", "Genitive", "Nominative", "None")
    assert case.train.label_ids == (2, 0)
    assert case.test.label_ids == (1,)


def test_forms_are_items_of_one_in_their_own_spelling(root):
    case = load("linspector_type", "Case", root)
    assert case.train.items == ((Form("talot"),), (Form("talossa"),))
    assert case.train.lines == (1, 2)


def test_a_pair_test_has_two_forms_an_example(root):
    assert load("linspector_type", "OddFeat", root).train.items == ((Form("talo"), Form("talot")),)


def test_tokens_keep_their_sentence_and_a_row_that_starts_with_a_hash_is_a_row(root):
    part_of_speech = load("linspector_token", "POS", root)
    assert part_of_speech.train.items == ((TokenInContext(("Talo", "paloi", "."), 1),),)
    assert part_of_speech.dev.items == ((TokenInContext(("#", "Talo"), 1),),)


def test_the_version_follows_the_content_alone(root, tmp_path_factory):
    before = load("linspector_type", "Case", root).version
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    write(elsewhere, "type/toy/Case", ["talot\tNominative", "talossa\tEssive+In"], ["talo\tNone"], ["talon\tGenitive"])
    assert load("linspector_type", "Case", elsewhere).version == before
    (root / "linspector/type/toy/Case/dev.txt").write_text("talo\tNominative\n")
    assert load("linspector_type", "Case", root).version != before


def test_three_columns_where_two_are_due_are_refused_with_file_and_line(root):
    (root / "linspector/type/toy/Case/dev.txt").write_text("talo\tNone\na\tb\tc\n")
    with pytest.raises(MalformedLine, match=r"Case/dev\.txt, line 2: the row has 3 columns"):
        load("linspector_type", "Case", root)


def test_a_skipped_line_is_counted_and_left_out(root):
    (root / "linspector/type/toy/Case/dev.txt").write_text("talo\tNone\na\tb\tc\nauto\tNone\n")
    skipped = Skipped()
    assert load("linspector_type", "Case", root, skipped).dev.lines == (1, 3)
    assert [place.line for place in skipped.places] == [2]


def test_a_split_without_a_readable_row_is_refused(root):
    (root / "linspector/type/toy/Case/dev.txt").write_text("a\tb\tc\n")
    with pytest.raises(PolyprobeError, match=r"Case/dev\.txt has no row that can be read"):
        load("linspector_type", "Case", root, Skipped())


@pytest.mark.parametrize(
    ("name", "code", "n_tests"),
    [
        *[("senteval", "en", 10), ("rusenteval", "ru", 14), ("eger2020", "en", 13), ("eger2020", "ru", 7)],
        *[("eger2020", "tr", 7), ("eger2020", "ka", 5), ("xprobe", "en", 9), ("xprobe", "tr", 9)],
    ],
)
def test_published_sentence_tests_can_be_fetched(name, code, n_tests, tmp_path):
    language = choice_settings("lang", code)
    statuses = available_tests(suite(name), language, tmp_path)
    assert [status.state for status in statuses] == ["downloadable"] * n_tests


def test_pair_tests_and_renamed_folders_are_tests_of_the_suite():
    for name in ("linspector_type", "linspector_token"):
        one = suite(name)
        assert {*one.pairs, *one.folders} <= set(one.tests)
        assert tuple(one.targets(TOY, one.tests[0])) == SPLITS
