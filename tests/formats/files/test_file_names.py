"""Names that become files stay in their folder and apart from one another."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.file_names import LONGEST, check_names, file_name

HARMLESS = [
    "SubjNumber",
    "long_vp_coord",
    "Case",
    "linspector_type-fi-checkpoint-s1-3f2a9c1e",
    "Zahl der Köpfe",
    "падеж",
    "格",
    "می\u200cخواهم",
    "a..b",
    "v1.2",
    "x~y",
]
HOSTILE = ["", ".", "..", "../x", "a/b", "/etc/passwd", "a\0b", "a\nb", "a\\b", ".hidden", "name.", "name ", " name",
           "-rf", "seed=1", "a,b", "[a]", "{a}", "${oc.env:HOME}", "C:x", "a\x1b[2J", "\u202eslx", "\ud800", "~root",
           "a\u2028b", "x" * 300, "ä" * 215, "name~3f2a9c1e"]  # fmt: skip
NAMES = st.text(st.characters(exclude_categories=()), max_size=300) | st.sampled_from(HARMLESS + HOSTILE)


@pytest.mark.parametrize("name", HARMLESS)
def test_a_harmless_name_stays_as_it_is(name):
    assert file_name(name) == name


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_with_a_meaning_is_changed_and_ends_with_a_digest(name):
    assert file_name(name) != name
    assert len(file_name(name).rpartition("~")[2]) == 8


@given(NAMES)
def test_any_name_is_one_file_in_its_folder(tmp_path_factory, name):
    folder = tmp_path_factory.getbasetemp()
    path = folder / f"{file_name(name)}.confusion.csv"
    assert os.path.normpath(path.parent) == str(folder)
    assert Path(os.path.normpath(path)).name == path.name == f"{file_name(name)}.confusion.csv"
    path.write_bytes(b"")
    path.unlink()
    assert len(file_name(name).encode()) <= LONGEST


@given(st.lists(NAMES, unique=True, max_size=10))
def test_two_names_are_two_files(names):
    different = {*names, *map(file_name, names)}
    assert len(set(map(file_name, different))) == len(different)


def test_a_name_that_looks_changed_is_no_other_names_file():
    assert file_name(file_name("a/b")) != file_name("a/b")


def test_a_longer_bound_leaves_a_longer_name():
    assert file_name("x" * 150, longest=200) == "x" * 150


@pytest.mark.parametrize("name", ["", "a\nb", "a\x1b[2J", "\udcff", "\u202ea"])
def test_a_name_that_cannot_be_shown_is_refused(name):
    with pytest.raises(PolyprobeError, match=r"a test is named .*rename its file") as refused:
        check_names("a test", ["Case", name])
    assert str(refused.value).isprintable()


def test_names_of_all_scripts_are_taken():
    assert check_names("a test", [name for name in HARMLESS if name]) is None
