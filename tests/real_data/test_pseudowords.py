"""Pseudowords of published lexica beside those of the released programs."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from polyprobe.formats.lexica import wuggy_lexicon
from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.pseudo_tests.pseudoword_list import deviation, neighbours
from polyprobe.generation.pseudowords import PseudowordLexicon
from tests.generation.pseudoword_windows import candidates

pytestmark = pytest.mark.real_data

LANGUAGES = ("turkish", "basque", "spanish", "english")
N_CASES = {"turkish": 8, "basque": 5, "spanish": 4, "english": 5}
N_LISTED = 40  # candidates of a window, the first in alphabetical order


@pytest.fixture(scope="module")
def folder(data_folder) -> Path:
    return data_folder / "wuggy"


@pytest.fixture(scope="module", params=LANGUAGES)
def language(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def lexicon(folder, language) -> PseudowordLexicon:
    return PseudowordLexicon(wuggy_lexicon.read(folder / f"{language}.txt", refuse), language)


@pytest.fixture(scope="module")
def cases(folder, language) -> list[dict[str, Any]]:
    return json.loads((folder / f"cases/{language}.json").read_text(encoding="utf-8"))["cases"]


def test_the_candidates_of_every_window_are_the_reference_ones(folder, language, cases):
    assert len(cases) == N_CASES[language]
    for case in cases:
        found = candidates(folder / f"{language}.txt", language, case["word"], len(case["windows"]))
        assert list(found) == [window["width"] for window in case["windows"]]
        for window in case["windows"]:
            listed = [candidate["pseudoword"] for candidate in window["candidates"]]
            assert len(found[window["width"]]) == window["newly_accepted"]
            assert sorted(found[window["width"]])[:N_LISTED] == listed


def test_as_many_paths_change_a_third_as_in_the_reference(lexicon, cases):
    for case in cases:
        counted = [(width, paths.n_paths) for width, paths in lexicon.paths(case["word"], len(case["windows"]))]
        assert counted == [(window["width"], window["with_overlap_two_thirds"]) for window in case["windows"]]


def test_segments_counts_and_deviations_are_the_reference_ones(lexicon, cases):
    for case in cases:
        seed = lexicon.segments(case["word"])
        assert list(seed) == case["segments"]
        assert lexicon.chain.counts(seed) == case["transition_frequencies"]
        found = {one.letters: one for _, some in lexicon.windows(case["word"], len(case["windows"])) for one in some}
        for listed in _listed(case):
            segments = found[listed["pseudoword"]].segments
            largest, summed, _ = deviation(lexicon.chain, segments, seed)
            assert list(segments[1:-1]) == listed["segments"]
            own_counts, of_seed = map(lexicon.chain.counts, (segments, seed))
            differences = [own - other for own, other in zip(own_counts, of_seed, strict=True)]
            assert differences == listed["transition_frequency_differences"]
            assert (abs(largest), summed) == (
                listed["max_abs_deviation"],
                listed["summed_abs_deviation"],
            )


def test_neighbours_are_the_reference_ones(lexicon, cases):
    listed = [(case, candidate) for case in cases for candidate in _listed(case)]
    found = neighbours([*(case["word"] for case in cases), *(one["pseudoword"] for _, one in listed)], lexicon.entries)
    for case in cases:
        statistics = case["reference_statistics"]
        assert found[case["word"]] == (statistics["old20"], statistics["ned1"])
    for case, one in listed:
        own, seed = found[one["pseudoword"]], found[case["word"]]
        assert own == (one["old20"], one["ned1"])
        assert (own[0] - seed[0], own[1] - seed[1]) == (one["old20_diff"], one["ned1_diff"])


def _listed(case: dict[str, Any]) -> list[dict[str, Any]]:
    return [candidate for window in case["windows"] for candidate in window["candidates"]]


def test_the_five_pseudowords_of_the_are_those_of_the_released_file(folder):
    found = candidates(folder / "english.txt", "en", "the", 3)
    assert found == {2: {"tha"}, 4: set(), 8: {"que", "thi", "tho", "whe"}}
    lexicon = PseudowordLexicon(wuggy_lexicon.read(folder / "english.txt", refuse), "en")
    released = [row["Match"] for row in _released(folder, "english", 1000)[:5]]
    assert {one.letters for one in lexicon.chosen("the", 5, 40, seed=1)} == set(released)


@pytest.mark.parametrize("language", ["basque", "spanish", "english"], indirect=True)
def test_the_released_statistics_of_all_rows_are_ours(folder, language, lexicon):
    rows = _released(folder, language, 1000)
    found = neighbours([word for row in rows for word in (row["Word"], row["Match"])], lexicon.entries)
    for row in rows:
        own, seed = found[row["Match"]], found[row["Word"]]
        assert own == (float(row["Old20"]), int(row["Ned1"]))
        assert own[1] - seed[1] == int(row["Ned1_Diff"])
        assert own[0] - seed[0] == pytest.approx(float(row["Old20_Diff"]), abs=1e-9)


def test_the_released_turkish_pseudowords_are_among_ours(folder):
    """The seed words have five each; of the last one the file at hand has only the first few."""
    lexicon = PseudowordLexicon(wuggy_lexicon.read(folder / "turkish.txt", refuse), "tr")
    rows = _released(folder, "turkish", 2000)
    absent = []
    for seed_word in dict.fromkeys(row["Word"] for row in rows):
        released = {row["Match"] for row in rows if row["Word"] == seed_word}
        absent += [(seed_word, one) for one in released - _narrowest(lexicon, seed_word)]
    assert absent == [("al", "ac")]


def _narrowest(lexicon: PseudowordLexicon, seed_word: str) -> set[str]:
    """Finds the pseudowords of the windows up to the one that has five."""
    found: set[str] = set()
    for _, some in lexicon.windows(seed_word, 40):
        found |= {one.letters for one in some}
        if len(found) >= 5:
            return found
    return found


def _released(folder: Path, language: str, n_rows: int) -> list[dict[str, str]]:
    with open(folder / f"cases/released_ort_{language}.head{n_rows}.tsv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert len(rows) == n_rows
    return rows
