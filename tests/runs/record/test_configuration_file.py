"""The configuration of a run is read as plain values, however it is written."""

import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.runs.record.configuration_file import MOST_CHARACTERS, read_configuration

LEVELS = 10


def written(folder, text: str):
    path = folder / "config.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def of_aliases(first: str, level: str) -> str:
    """Writes levels of ten aliases each to the level below."""
    lines = [f"k0: &a0 {first}"]
    for number in range(1, LEVELS):
        lines.append(f"k{number}: &a{number} {level.format(', '.join([f'*a{number - 1}'] * 10))}")
    return "\n".join(lines)


@pytest.mark.parametrize(
    "text",
    [
        of_aliases("[x, x]", "[{}]"),
        of_aliases("{x: y}", "{{<<: [{}]}}"),
        "k: &a [*a]",
        "k: &a {b: {c: *a}}",
        f"k: {'x' * MOST_CHARACTERS}",
    ],
)
def test_what_stands_for_more_than_a_configuration_is_refused(text, tmp_path):
    with pytest.raises(PolyprobeError, match=r"config\.yaml is damaged \(with its aliases it has over 1,000,000"):
        read_configuration(written(tmp_path, text))


def test_aliases_as_a_writer_of_yaml_makes_them_are_read(tmp_path):
    text = "train: &id001 [a, b]\ndev: *id001\nlang: {<<: &fi {code: fi}, name: Finnish}\nbeside: *fi\n"
    assert read_configuration(written(tmp_path, text)) == {
        "train": ["a", "b"], "dev": ["a", "b"], "lang": {"code": "fi", "name": "Finnish"}, "beside": {"code": "fi"},
    }  # fmt: skip
