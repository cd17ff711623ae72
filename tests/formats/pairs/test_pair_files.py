import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.pairs.labelled_pairs import LabelledPair, file_pairs
from polyprobe.formats.reading.malformed import Skipped, refuse

LABELS = {"entailment": "entailment", "neutral": "neutral", "contradiction": "contradiction", "-": None}
CONTENTS = {"s1.dev": "It 's late . \nA b\n", "s2.dev": "Early . \nC\n", "labels.dev": "contradiction\n-\n"}


@pytest.fixture
def files(tmp_path):
    def written(**changed):
        for name, content in {**CONTENTS, **{f"{stem}.dev": text for stem, text in changed.items()}}.items():
            (tmp_path / name).write_text(content, encoding="utf-8", newline="")
        return [tmp_path / name for name in CONTENTS]

    return written


def read(files, on_malformed=refuse):
    return list(file_pairs(files[0], on_malformed, *files[1:], LABELS, "blanks", "en"))


def test_lines_of_the_three_files_belong_together(files):
    assert read(files()) == [
        LabelledPair(("It", "'s", "late", "."), ("Early", "."), "contradiction", 1),
        LabelledPair(("A", "b"), ("C",), None, 2),
    ]


@pytest.mark.parametrize(
    ("changed", "place"),
    [
        ({"labels": "contradiction\nneutrl\n"}, r'labels\.dev, line 2: the label is "neutrl"\. .*\(perhaps neutral\)'),
        (
            {"labels": "contradiction\nx\n"},
            r'labels\.dev, line 2: the label is "x"\. Expected .* neutral: neutral, .*x: …}',
        ),
        ({"s1": "a\n \n"}, r"s1\.dev, line 2: the line has no word"),
        ({"s2": "a\n\n"}, r"s2\.dev, line 2: the line is empty"),
    ],
)
def test_a_bad_line_of_any_file_leaves_out_the_pair(files, changed, place):
    with pytest.raises(MalformedLine, match=place):
        read(files(**changed))
    skipped = Skipped()
    assert [one.line for one in read(files(**changed), skipped)] == [1]
    assert [one.line for one in skipped.places] == [2]


@pytest.mark.parametrize("stem", ["s1", "s2", "labels"])
def test_files_of_unequal_length_are_refused(files, stem):
    more = {"s1": "x\n", "s2": "x\n", "labels": "neutral\n"}[stem]
    paths = files(**{stem: CONTENTS[f"{stem}.dev"] + more})
    with pytest.raises(MalformedLine, match=rf"{stem}\.dev, line 3: the line has no counterpart: the file has 3 lines"):
        read(paths)
