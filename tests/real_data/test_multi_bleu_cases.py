"""BLEU beside what Moses' multi-bleu.perl printed (`mt_cases/multi_bleu`)."""

import json
import re

import pytest

from polyprobe.metrics.bleu import bleu, bleu_counts

pytestmark = pytest.mark.real_data


def test_the_bleu_that_training_counts_is_that_of_multi_bleu(data_folder):
    cases = sorted((data_folder / "mt_cases/multi_bleu").glob("*/expected.json"))
    assert len(cases) == 13
    for case in cases:
        expected = json.loads(case.read_text())
        files = [case.with_name("hyp.txt"), *sorted(case.parent.glob("ref*"))]
        # As the scorer reads them: bytes, cut at ASCII white space; where the translation ends early, so does the text.
        contents = [file.read_bytes().lower() if expected["lowercase"] else file.read_bytes() for file in files]
        generated, *references = ([line.split() for line in content.splitlines()] for content in contents)
        sums = bleu_counts(generated, *(lines[: len(generated)] for lines in references)).sum(0)
        assert f"{100 * bleu(sums):.2f}" == re.match(r"BLEU = (\S+),", expected["stdout"])[1], case.parent.name
