from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyprobe.analysis.similarity.compared_items import TEXT, item_sets, stratified
from polyprobe.analysis.similarity.measures import SimilaritySettings
from polyprobe.errors import MalformedLine
from polyprobe.items import Sentence
from polyprobe.runs.workspace import Workspace


def settings(text: Path, sample: int | None) -> SimilaritySettings:
    return SimilaritySettings(
        references=["run"],
        measures=["cka"],
        tests=None,
        items=str(text),
        section={},
        sample=sample,
        permutations=1,
        resamples=2,
        seed=1,
        workspace=Workspace(Path("data"), Path("work"), None),
    )


def sentences(text: Path, sample: int | None = None):
    (found,) = item_sets([], settings(text, sample))
    assert (found.suite, found.test, found.split) == (TEXT, text.name, TEXT)
    return found.read()


def test_labels_have_their_shares_and_the_largest_remainder_one_more():
    labels = np.array([0] * 5 + [1] * 3 + [2] * 2)
    drawn = stratified(labels, 4, np.random.default_rng(1))  # shares 2, 1.2, 0.8
    assert np.bincount(labels[drawn]).tolist() == [2, 1, 1]


@given(labels=st.lists(st.integers(0, 4), min_size=1, max_size=40), seed=st.integers(0, 9), data=st.data())
def test_a_sample_is_of_its_size_distinct_rising_and_near_the_shares(labels, seed, data):
    n = data.draw(st.integers(1, len(labels)))
    drawn = stratified(np.array(labels), n, np.random.default_rng(seed))
    assert len(drawn) == n
    assert (np.diff(drawn) > 0).all()
    for label in set(labels):
        share = n * labels.count(label) / len(labels)
        assert abs(sum(labels[place] == label for place in drawn) - share) < 1


def test_the_same_seed_draws_the_same_items_and_another_one_others():
    labels = np.arange(200) % 3
    one, again, other = (stratified(labels, 20, np.random.default_rng(seed)).tolist() for seed in (1, 1, 2))
    assert one == again != other


def test_lines_are_sentences_and_a_line_that_comes_again_counts_once(tmp_path):
    text = tmp_path / "lines.txt"
    text.write_text("Talo paloi .\nSe paloi .\nTalo paloi .\n", encoding="utf-8")
    assert sentences(text) == [Sentence(("Talo", "paloi", ".")), Sentence(("Se", "paloi", "."))]


def test_items_that_come_again_explain_a_sample_that_is_not_full(tmp_path, capsys):
    text = tmp_path / "lines.txt"
    text.write_text("".join(f"word {number}\n" for number in (*range(999), 5)), encoding="utf-8")
    assert len(sentences(text, 1000)) == 999
    assert "has 999 distinct items (1 of 1,000 occurred before): all are used" in capsys.readouterr().out


def test_a_sample_of_more_items_is_full_though_some_come_again(tmp_path):
    text = tmp_path / "lines.txt"
    text.write_text("".join(f"word {number}\n" for number in (*range(1003), *range(20))), encoding="utf-8")
    assert len(set(sentences(text, 1000))) == 1000


@pytest.mark.parametrize(
    ("content", "line", "found"), [("", 1, "the file is empty"), ("a b\n\nc\n", 2, "the sentence is empty")]
)
def test_an_empty_file_and_an_empty_line_are_named(tmp_path, content, line, found):
    text = tmp_path / "lines.txt"
    text.write_text(content, encoding="utf-8")
    with pytest.raises(MalformedLine) as error:
        item_sets([], settings(text, 1))[0].read()
    assert (error.value.line, error.value.found) == (line, found)
