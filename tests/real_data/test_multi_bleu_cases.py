"""BLEU beside what Moses' multi-bleu.perl printed (`mt_cases/multi_bleu`)."""

import json
import re
from pathlib import Path

import pytest

from polyprobe.metrics.bleu import UnequalLineCounts, score_files

pytestmark = pytest.mark.real_data

PRINTED = re.compile(
    r"BLEU = (?P<bleu>\S+), (?P<precisions>\S+) \(BP=(?P<brevity_penalty>\S+), ratio=(?P<length_ratio>\S+), "
    r"hyp_len=(?P<words>\d+), ref_len=(?P<reference_words>\d+)\)"
)


@pytest.fixture(scope="module")
def cases(data_folder) -> dict[str, Path]:
    return {path.parent.name: path.parent for path in (data_folder / "mt_cases/multi_bleu").glob("*/expected.json")}


def printed(case: Path) -> tuple[dict, bool]:
    expected = json.loads((case / "expected.json").read_text())
    cells = PRINTED.fullmatch(expected["stdout"]).groupdict()
    precisions = [float(one) for one in cells.pop("precisions").split("/")]
    return {name: float(cell) for name, cell in cells.items()} | {"precisions": precisions}, expected["lowercase"]


def lower_cased(path: Path, folder: Path) -> Path:
    (folder / path.name).write_bytes(path.read_bytes().lower())
    return folder / path.name


def test_every_number_equals_that_of_multi_bleu(cases, tmp_path):
    assert len(cases) == 13
    for name, case in cases.items():
        expected, is_lower_cased = printed(case)
        *references, system = [*sorted(case.glob("ref*")), case / "hyp.txt"]
        if is_lower_cased:  # the scorer's -lc
            *references, system = [lower_cased(path, tmp_path) for path in (*references, system)]
        if name != "fewer_hypotheses":
            assert score_files(references, system) == expected, name


def test_missing_lines_are_refused_and_without_them_the_score_is_that_of_multi_bleu(cases, tmp_path):
    case = cases["fewer_hypotheses"]
    with pytest.raises(UnequalLineCounts, match=r"has 100 lines, but its reference .*/ref0 has 200"):
        score_files([case / "ref0"], case / "hyp.txt")
    lines = (case / "ref0").read_bytes().splitlines(keepends=True)
    (tmp_path / "ref0").write_bytes(b"".join(lines[:100]))
    assert score_files([tmp_path / "ref0"], case / "hyp.txt") == printed(case)[0]
