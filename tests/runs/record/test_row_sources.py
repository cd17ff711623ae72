"""What result rows say of the data and vectors that they rest on."""

import hashlib
from dataclasses import replace

import pytest

from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.results import ResultRow, with_sources

ROW = ResultRow(stage="probing", lang="fi", suite="own", metric="accuracy", value=0.5, n=10, split="test", test="Case")
VECTORS = {"model": "vectors/fi.bin", "vocabulary": 10, "width": None, "files": {"fi.bin": "ab" * 32}}
PUBLISHED = {"Case": "UKPLab/linspector 46a7cca69d0099e5", "Mood": ""}
DIGESTS = {"Case": "c0ffee", "Mood": "decade"}


def said(sources, row=ROW, digests=DIGESTS):
    return with_sources(row, sources, digests).sources


def joined(*digests):
    return hashlib.sha256("".join(sorted(digests)).encode()).hexdigest()[:12]


def test_a_row_names_its_vectors_and_the_published_data_of_its_test():
    of_case = "vocabulary=10 files=abababababab data=UKPLab/linspector@46a7cca69d00"
    assert said({"vectors": VECTORS, "data": PUBLISHED}) == of_case


def test_data_that_are_not_published_are_known_by_their_digest():
    assert said({"vectors": {}, "data": PUBLISHED}, replace(ROW, test="Mood")) == "data=decade"


def test_a_row_about_all_files_names_each_repository_once_and_the_others_together():
    files = {"a": "one/sets 12", "b": "one/sets 12", "c": "", "d": ""}
    digests = {"a": "1", "b": "2", "c": "3", "d": "4"}
    found = said({"vectors": {}, "data": files}, replace(ROW, test=""), digests)
    assert found == f"data=one/sets@12+{joined('3', '4')}"


def test_a_construction_whose_file_is_not_published_is_known_by_the_digest_of_its_sets():
    assert said({"vectors": {}, "data": {"sets/Case.txt": ""}}) == "data=c0ffee"


def test_made_tests_name_what_they_were_made_from():
    made = {"linspector_type-tr-s1-1a2b3c4d": {"tur.txt": "12" * 32}}
    found = said({"vectors": {}, "data": PUBLISHED, "made": made}, replace(ROW, test="Mood"))
    assert found == "data=decade made_from=121212121212"


def test_of_checkpoints_a_row_names_the_weights_of_its_epoch():
    vectors = {"files": {"0/weights": "00" * 32, "8/weights": "88" * 32}}
    assert said({"vectors": vectors, "data": {}}, replace(ROW, epoch=8)) == "files=888888888888"
    assert said({"vectors": vectors, "data": {}}) == f"files={joined('00' * 32, '88' * 32)}"


@pytest.mark.parametrize("row", [replace(ROW, stage="downstream"), replace(ROW, sources="data=other")])
def test_a_row_of_another_run_keeps_what_it_says(row):
    assert with_sources(row, {"vectors": VECTORS, "data": PUBLISHED}, DIGESTS) == row


def test_finished_rows_have_the_sources_and_those_of_earlier_versions_are_read_without(tmp_path):
    for name, notes in (("new", {"sources": {"vectors": VECTORS, "data": PUBLISHED}}), ("old", {})):
        run = RunDirectory(tmp_path / name)
        run.path.mkdir()
        run.open("seed: 1\n")
        run.begin(DIGESTS)
        run.finish([ROW], notes)
        run.close()
    (new,), (old,) = (RunDirectory(tmp_path / name).rows() for name in ("new", "old"))
    assert new["sources"].endswith("data=UKPLab/linspector@46a7cca69d00")
    assert "sources" not in old
