"""What `multi-bleu.perl` does with bytes, and where we do not follow it."""

import pytest

from polyprobe.metrics.bleu import UnequalLineCounts, score_files


def scored(tmp_path, reference: bytes, system: bytes) -> dict:
    (tmp_path / "reference").write_bytes(reference)
    (tmp_path / "system").write_bytes(system)
    return score_files([tmp_path / "reference"], tmp_path / "system")


def test_only_ascii_white_space_divides_words(tmp_path):
    text = "a\u00a0b c\u0085d\te f g\n".encode()
    found = scored(tmp_path, text, text)
    assert (found["bleu"], found["words"]) == (100, 5)


def test_upper_case_counts(tmp_path):
    assert scored(tmp_path, b"a b c d\n", b"A B C D\n")["precisions"][0] == 0


@pytest.mark.parametrize(("reference", "system"), [(b"a\nb\n", b"a\n"), (b"a\n", b"a\nb\n")])
def test_files_of_unequal_length_are_refused(tmp_path, reference, system):
    longer = "reference" if len(reference) > len(system) else "system"
    with pytest.raises(UnequalLineCounts, match=rf"only {tmp_path}/{longer} has a line 2"):
        scored(tmp_path, reference, system)


def test_empty_lines_are_lines(tmp_path):
    assert scored(tmp_path, b"a b c d e\n\n", b"a b c d\n\n")["brevity_penalty"] == round(2.718281828 ** (1 - 5 / 4), 3)
