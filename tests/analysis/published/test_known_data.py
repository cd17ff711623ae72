"""What is known of the data behind the published numbers: published/data.csv."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from polyprobe.analysis.published import published_cells as module
from polyprobe.analysis.published.published_cells import (
    DATA_COLUMNS,
    PAPERS,
    baselines,
    differences_from,
    known_data,
    published_cells,
)
from polyprobe.errors import MalformedLine
from polyprobe.resources.pinned_files import FIRST_FETCHED, TABLE
from polyprobe.runs.names.conf_folders import choice_files

CELLS = [
    one
    for paper in PAPERS
    for one in published_cells(paper)
    if one.study.experiment and not (one.cannot or one.printed_by)
]
WIKI_FI = {"vocabulary": 730484, "width": 300, "ngrams": "3-6"}
REVISION = "UKPLab/linspector 46a7cca"


def test_all_data_and_vectors_of_published_numbers_are_named():
    """Also where nothing is known of them: the line then says why."""
    for one in CELLS:
        suite, lang = one.keys.get("suite", ""), one.keys.get("lang", "")
        kind, name = ("corpus", f"{suite}/{one.corpus}") if one.corpus else ("tests", suite)
        if one.keys.get("stage") is None:
            kind = "source"
        lines = known_data().get((one.paper, kind, name), ())
        assert [code for code, _ in lines if code in ("", lang)], (one.paper, one.place, kind, name)
        vectors = ("model", one.model) if one.model else ("encoder", one.study.choices.get("encoder"))
        if one.hangs_on_vectors and vectors[1]:
            assert (one.paper, *vectors) in known_data(), (one.paper, one.place, vectors)


def test_names_are_those_of_choices_and_of_pinned_repositories():
    repositories = {line.split("\t")[1] for file in (TABLE, FIRST_FETCHED) for line in file.read_text().splitlines()}
    for paper, what, name in known_data():
        assert paper in PAPERS
        assert what not in ("tests", "source") or name in choice_files("suite")
        assert what != "encoder" or name in choice_files("encoder")
        assert what != "corpus" or name.partition("/")[0] in choice_files("task")
    for _, one in (line for lines in known_data().values() for line in lines):
        assert {*one.revisions} <= repositories
        assert one.note or one.revisions, one.name


def test_a_line_of_the_file_stands_once():
    with (Path(module.FOLDER) / "data.csv").open(encoding="utf-8", newline="") as file:
        lines = Counter(tuple(one[key] for key in ("paper", "what", "name", "lang")) for one in csv.DictReader(file))
    assert [line for line, times in lines.items() if times > 1] == []


def test_all_repositories_of_a_test_are_the_papers():
    assert differences_from("linspector", "tests", "linspector_type", "fi", {}, {"Case": REVISION}) == []
    for other in (f"{REVISION}; other/repository 1", "UKPLab/linspector-x 1"):
        assert differences_from("linspector", "tests", "linspector_type", "fi", {}, {"Case": other}) != []


def test_of_several_vectors_that_a_paper_may_have_used_one_is_enough():
    assert differences_from("linspector", "encoder", "fasttext", "fi", WIKI_FI, {}) == []
    common_crawl = {"vocabulary": 2000000, "width": 300, "ngrams": "5-5"}
    assert differences_from("linspector", "encoder", "fasttext", "fr", common_crawl, {}) == []
    assert differences_from("linspector", "encoder", "fasttext", "tr", {**common_crawl, "vocabulary": 61234}, {}) == [
        "fasttext: 61,234 words or pieces, the paper's 2,000,000"
    ]


def test_sources_are_known_by_their_printed_size():
    assert differences_from("linspector", "source", "linspector_type", "tr", {"triples": 275460}, {}) == []
    assert differences_from("linspector", "source", "linspector_type", "tr", {"triples": 51557}, {}) == [
        "linspector_type: 51,557 triples, the paper's 274,500..275,500"
    ]


def test_files_are_known_by_their_revision():
    def of(one):
        return differences_from(
            "linspector", "corpus", "pos/tdt", "fi", {}, {"pos/fi/train.pos": one, "pos/fi/dev.pos": REVISION}
        )

    assert of(REVISION) == []
    assert of("") == ["pos/fi/train.pos: not the published file, the paper's of UKPLab/linspector"]
    assert of(None) == ["pos/fi/train.pos: which file was read is not recorded"]


def test_what_cannot_be_told_and_what_no_line_names_is_never_the_papers():
    assert "never released" in differences_from("linspector", "encoder", "word2vec", "fi", {}, {})[0]
    assert differences_from("clams", "encoder", "elmo", "fi", {}, {}) == ["elmo: which the paper used is not known"]
    assert differences_from("senteval", "encoder", "length", "en", {}, {}) == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("linspector,vectors,muse,,size,,1,,,,,,", 'what is "vectors"'),
        ("linspector,encoder,muse,,guess,,1,,,,,,", 'known is "guess"'),
        ("linspector,encoder,muse,,size,,,,,,,,", 'known is "size"'),
        ("linspector,encoder,muse", "the line has 3 columns"),
    ],
)
def test_a_line_that_says_nothing_is_refused(line, found, tmp_path, monkeypatch):
    (tmp_path / "data.csv").write_text(f"{','.join(DATA_COLUMNS)}\n{line}\n", encoding="utf-8")
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    with pytest.raises(MalformedLine, match=found):
        known_data.__wrapped__()


def test_a_constant_answer_lies_within_the_tolerance_of_as_many_numbers():
    """Counted by hand from the tables, the ends of a tolerance included."""
    reached = Counter(
        one.paper
        for paper in PAPERS
        for one in published_cells(paper)
        if one.place in baselines(paper) and one.column != "baseline" and one.row not in ("Majority vote", "Chance")
        if not one.cannot and one.tolerance is not None and one.is_near(baselines(paper)[one.place])
    )
    assert reached == {"linspector": 36, "senteval": 55, "clams": 5}
