import json
from pathlib import Path

import pytest

from polyprobe.metrics.official.conll2018 import score_files
from polyprobe.metrics.official.scorers import RefusedByScorer

pytestmark = pytest.mark.real_data


@pytest.fixture
def ud_cases(data_folder: Path) -> list[tuple[Path, dict]]:
    files = sorted((data_folder / "scorer_cases" / "ud").glob("*/expected.json"))
    return [(path.parent, json.loads(path.read_text(encoding="utf-8"))) for path in files]


def test_every_score_equals_that_of_the_official_evaluation(ud_cases):
    scored = [(case, expected) for case, expected in ud_cases if "metrics" in expected]
    assert len(scored) == 14
    for case, expected in scored:
        assert score_files(case / "gold.conllu", case / "system.conllu") == expected["metrics"], case.name


def test_what_the_official_evaluation_refuses_is_refused(ud_cases):
    refused = [case for case, expected in ud_cases if expected.get("refused")]
    assert len(refused) == 7
    for case in refused:
        with pytest.raises(RefusedByScorer):
            score_files(case / "gold.conllu", case / "system.conllu")
