"""A suite of a user's own files, in any of the published formats."""

import re

import pytest

from polyprobe.display.terminal import Terminal
from polyprobe.errors import BadValue, MalformedLine, PolyprobeError, UnknownChoice
from polyprobe.formats.reading.malformed import refuse
from polyprobe.items import Form
from polyprobe.probing.door import probe_settings
from polyprobe.probing.listed import probing_tests
from polyprobe.probing.suites.availability import available_tests
from polyprobe.probing.suites.minimal_set_files import read_suite
from polyprobe.probing.suites.own import own_pairs, own_suite
from polyprobe.probing.suites.tests import load_test
from polyprobe.runs.workspace import Workspace
from tests.runs.composed import composed

LANG = {"code": "xx", "name": "X", "generator": None}
ROWS = {
    "senteval": "tr\tA\ta b\nva\tA\tb c\nte\tB\tc d\n",
    "xprobe": "a b\tA\n",
    "linspector": "a\tA\n",
}
PARTS = {"xprobe": ("tr", "va", "te"), "linspector": ("train", "dev", "test")}


def own(path, format_name, level="sentence", pairs=("OddFeat",)):
    of_both = {"name": "own", "level": level, "lowercase": False}
    return own_suite(path, format_name, list(pairs), 0, end_of_sentence=None, capitalise=False, **of_both)


def write_parts(folder, format_name):
    folder.mkdir(parents=True)
    for part in PARTS[format_name]:
        (folder / f"{part}.txt").write_text(ROWS[format_name])


def names(suite, root):
    return [(status.name, status.state) for status in available_tests(suite, LANG, root)]


def load(suite, test, root):
    return load_test(suite, LANG, test, root, None, refuse)


@pytest.mark.parametrize("file", ["tense.txt", "my.tense.tsv", "tense", "{tense}.txt"])
def test_a_file_in_the_format_of_senteval_is_one_test(file, tmp_path):
    (tmp_path / file).write_text(ROWS["senteval"])
    suite = own(str(tmp_path / file), "senteval")
    assert len(load(suite, suite.tests[0], tmp_path / "elsewhere").train.items) == 1


def test_a_folder_of_such_files_has_a_test_for_each(tmp_path):
    for name in ("b", "a"):
        (tmp_path / f"{name}.txt").write_text(ROWS["senteval"])
    assert names(own(str(tmp_path), "senteval"), tmp_path / "elsewhere") == [("a", "present"), ("b", "present")]


@pytest.mark.parametrize(("format_name", "level"), [("xprobe", "sentence"), ("linspector", "type")])
def test_a_folder_is_one_test_or_holds_tests(format_name, level, tmp_path):
    for name in ("b", "a"):
        write_parts(tmp_path / "{tests}" / name, format_name)
    assert names(own(str(tmp_path / "{tests}"), format_name, level), tmp_path) == [("a", "present"), ("b", "present")]
    one = own(str(tmp_path / "{tests}/b"), format_name, level)
    assert names(one, tmp_path) == [("b", "present")]
    assert len(load(one, "b", tmp_path).test.items) == 1


def test_two_forms_are_read_where_the_test_is_named_a_pair_test(tmp_path):
    write_parts(tmp_path / "Mine", "linspector")
    for part in PARTS["linspector"]:
        (tmp_path / "Mine" / f"{part}.txt").write_text("a\tb\tNumber\n")
    suite = own(str(tmp_path), "linspector", "type", pairs=["Mine"])
    assert load(suite, "Mine", tmp_path).train.items == ((Form("a"), Form("b")),)


def test_a_path_relative_to_the_working_folder_is_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tense.txt").write_text(ROWS["senteval"])
    assert names(own("tense.txt", "senteval"), tmp_path / "data") == [("tense", "present")]


def test_a_relative_path_with_nothing_there_names_the_place_looked_at_and_the_data_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PolyprobeError) as refused:
        own("ud/tr_imst", "senteval")
    assert f"suite.path=ud/tr_imst is not there: there is no {tmp_path / 'ud/tr_imst'}. " in str(refused.value)
    assert str(refused.value).endswith("Paths below the data folder: '${paths.data}/…'.")


@pytest.mark.parametrize("format_name", ["senteval", "xprobe"])
def test_a_folder_without_tests_is_refused_with_the_layout_due(format_name, tmp_path):
    with pytest.raises(PolyprobeError, match=f"has no test of suite.format={format_name}. Expected a f"):
        own(str(tmp_path), format_name)


def test_a_folder_above_minimal_sets_is_answered_with_theirs(tmp_path):
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets/simple_agrmt.txt").touch()
    with pytest.raises(PolyprobeError, match=re.escape(f"Did you mean suite.path={tmp_path}/sets?")):
        own(str(tmp_path), "clams")


def test_a_format_or_level_that_there_is_not_is_refused(tmp_path):
    with pytest.raises(UnknownChoice, match=r'suite\.format "sentevl" is unknown\. Did you mean senteval'):
        own(str(tmp_path), "sentevl")
    with pytest.raises(
        BadValue, match=r"suite\.level must be type or token with suite\.format=linspector, got 'sentence'"
    ):
        own(str(tmp_path), "linspector")


def test_the_list_of_tests_says_where_ones_own_files_are(tmp_path, capsys):
    (tmp_path / "tense.txt").write_text(ROWS["senteval"])
    suite = ("suite=own", f"suite.path={tmp_path}", "suite.format=senteval", "suite.level=sentence")
    paths = (f"paths.data={tmp_path / 'data'}", f"paths.work={tmp_path / 'work'}")
    for one in probing_tests(probe_settings(composed("probe", "lang=fi", *suite, *paths))):
        Terminal().print(one)
    said = " ".join(capsys.readouterr().out.split())
    assert f"Files: {tmp_path}" in said.replace(" ", "").replace("Files:", "Files: ")
    assert "?" not in said


def own_table(path, **changed):
    settings = {"name": "pairs", "level": "sentence", "lowercase": False, "end_of_sentence": None, "capitalise": False}
    columns = {"good": "right", "bad": "wrong", "test": None, "focus": None, "separator": None, "quotes": "csv"}
    said = {"format": "pairs_table", "words": "blanks", "group": None, **columns, **settings, **changed}
    return own_pairs(str(path), **said)


def constructions(files, root):
    suite = read_suite(files, {"code": "und"}, None, Workspace(root, root, None), refuse)
    return {one.name: len(one.sets) for one in suite.constructions}


def test_pairs_of_ones_own_are_a_file_or_a_folder_of_files(tmp_path):
    for name, n_rows in (("hens.tsv", 1), ("cows.tsv", 2)):
        (tmp_path / name).write_text("right\twrong\tkind\n" + "hen eats\then eat\ta\n" * n_rows)
    assert constructions(own_table(tmp_path / "hens.tsv"), tmp_path) == {"hens": 1}
    assert constructions(own_table(tmp_path), tmp_path) == {"cows": 2, "hens": 1}
    assert constructions(own_table(tmp_path / "cows.tsv", test="kind"), tmp_path) == {"a": 2}


def test_pairs_of_ones_own_may_be_json_lines_with_any_keys(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"right": "x y", "wrong": "x z"}\n')
    assert constructions(own_table(tmp_path / "a.jsonl", format="blimp"), tmp_path) == {"a": 1}
    with pytest.raises(UnknownChoice, match=r"suite\.format"):
        own_table(tmp_path / "a.jsonl", format="clams")


def test_where_every_row_is_bad_the_first_is_named_with_a_column_of_constructions_too(tmp_path):
    (tmp_path / "a.csv").write_text("right,wrong,kind\nhen eats,hen eat\n")
    with pytest.raises(MalformedLine, match=r"a\.csv, line 2: "):
        constructions(own_table(tmp_path / "a.csv", test="kind"), tmp_path)


def test_columns_of_ones_own_pairs_are_refused_by_the_key_that_the_user_types(tmp_path):
    (tmp_path / "a.csv").write_text('right,wrong\n"hen eats,hen eat\n')
    with pytest.raises(BadValue, match=r"^suite\.good must be the name of a column, got null"):
        own_table(tmp_path / "a.csv", good=None)
    with pytest.raises(BadValue, match=r"^suite\.bad must be another column than that of suite\.good, got 'right'\."):
        own_table(tmp_path / "a.csv", bad="right")
    with pytest.raises(MalformedLine, match=r", or suite\.quotes=none"):
        constructions(own_table(tmp_path / "a.csv"), tmp_path)
