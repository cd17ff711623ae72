import json
from pathlib import Path

import pytest

from polyprobe.formats.reading.malformed import refuse
from polyprobe.formats.roles.conll2009 import conll2009_row_sentences
from polyprobe.metrics.official.conll2009 import score_files
from polyprobe.metrics.official.scorers import RefusedByScorer
from polyprobe.metrics.roles import count_roles, role_scores
from polyprobe.metrics.tallies import summed

pytestmark = pytest.mark.real_data


def cases(folder: Path, refused: bool) -> list[tuple[Path, dict]]:
    expected = [(path.parent, json.loads(path.read_text())) for path in sorted(folder.glob("conll09/*/expected.json"))]
    return [(case, content) for case, content in expected if content.get("refused", False) == refused]


@pytest.fixture
def scorer_cases(data_folder: Path) -> Path:
    return data_folder / "scorer_cases"


def test_every_score_equals_that_of_the_official_scorer(scorer_cases):
    scored = cases(scorer_cases, refused=False)
    assert len(scored) == 22
    for case, expected in scored:
        found = score_files(case / "gold.conll", case / "system.conll")
        assert found == {name: expected[name] for name in found}, case.name
        assert found.keys() == {"syntactic", "semantic", "arguments_only"}


def test_what_the_official_scorer_refuses_is_refused_at_the_same_line(scorer_cases):
    refused = cases(scorer_cases, refused=True)
    assert len(refused) == 3
    for case, expected in refused:
        with pytest.raises(RefusedByScorer) as refusal:
            score_files(case / "gold.conll", case / "system.conll")
        if "mismatch" in expected["error"]:
            assert expected["error"].endswith(f"line {refusal.value.line}"), case.name


def test_role_f1_of_propositions_equals_the_official_scorer_on_a_published_output(scorer_cases):
    case = scorer_cases / "conll09" / "real_turkish_test"
    gold, system = (conll2009_row_sentences(case / f"{side}.conll", refuse) for side in ("gold", "system"))
    counts = (count_roles(ours.propositions, theirs.propositions) for ours, theirs in zip(gold, system, strict=True))
    whole, semantic, *_ = role_scores(summed(counts))
    found = whole.precision, whole.recall, whole.value, semantic.value
    assert [f"{100 * score:.2f}" for score in found] == ["46.66", "21.76", "29.68", "59.90"]
