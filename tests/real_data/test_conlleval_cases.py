import json
from pathlib import Path

import pytest

from polyprobe.metrics.official.conlleval import score_files
from polyprobe.metrics.official.scorers import RefusedByScorer

pytestmark = pytest.mark.real_data

OPTIONS = {
    "raw_tags": {"raw_outside": "O"},
    "other_outside_tag": {"raw_outside": "NONE"},
    "tabs": {"separator": "\t"},
}


def cases(folder: Path, refused: bool) -> list[tuple[Path, dict]]:
    files = sorted((folder / "scorer_cases" / "conlleval").glob("*/expected.json"))
    expected = [(path.parent, json.loads(path.read_text())) for path in files]
    return [(case, content) for case, content in expected if content.get("refused", False) == refused]


def test_every_score_equals_that_of_the_official_scorer(data_folder):
    scored = cases(data_folder, refused=False)
    assert len(scored) == 26
    for case, expected in scored:
        assert bool(expected["arguments"]) == (case.name in OPTIONS), case.name
        found = score_files(case / "input.txt", **OPTIONS.get(case.name, {}))
        assert found == {name: expected[name] for name in found}, case.name
        assert expected.keys() - found.keys() == {"case", "note", "arguments", "exit_code"}


def test_what_the_official_scorer_refuses_is_refused(data_folder):
    refused = cases(data_folder, refused=True)
    assert len(refused) == 2
    for case, _ in refused:
        with pytest.raises(RefusedByScorer, match="line 2: the row has 4 fields"):
            score_files(case / "input.txt")


def test_the_separator_is_found_in_the_first_line(data_folder):
    case = data_folder / "scorer_cases" / "conlleval" / "tabs"
    assert score_files(case / "input.txt") == score_files(case / "input.txt", separator="\t")
