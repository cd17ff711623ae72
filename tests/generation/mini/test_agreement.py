"""The text of the miniature Turkish for language models: what it teaches, what it keeps back."""

from collections import Counter

import pytest

from polyprobe.generation.mini.agreement import agreement_sentences, repeats, sentences_of_sets

TRAIN_SHARE = 0.9  # conf/task_lang/lm_mini.yaml


@pytest.fixture(scope="module")
def sentences():
    return agreement_sentences(3)


def test_a_seed_decides_the_sentences(sentences, mini_folder):
    assert agreement_sentences(3) == sentences
    written = (mini_folder / "corpora/mini_agreement.txt").read_text(encoding="utf-8").splitlines()
    assert len(written) == len(sentences) == len(set(sentences)) == 6000
    assert written != [" ".join(words) for words in sentences]


def test_every_word_of_the_grammars_stands_in_train_at_least_twice(mini_folder):
    lines = (mini_folder / "corpora/mini_agreement.txt").read_text(encoding="utf-8").splitlines()
    counts = Counter(word for line in lines[: int(TRAIN_SHARE * len(lines))] for word in line.split(" "))
    rare = {word for sentence in sentences_of_sets() for word in sentence if counts[word] < 2}
    assert rare == set()


def test_no_sentence_of_a_set_is_a_sentence_of_the_text(sentences, mini_folder):
    published = (mini_folder / "clams/eval/mini").glob("*.txt")
    of_sets = {line.split("\t")[1] for path in published for line in path.read_text(encoding="utf-8").splitlines()}
    assert of_sets == {" ".join(words) for words in sentences_of_sets()}
    text = {" ".join(words).lower() for words in sentences}
    assert not text & (of_sets | {f"{sentence} ." for sentence in of_sets})


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("ben uyudum", True),
        ("ben uyudun", True),
        ("dün ben uyudum", False),
        ("ben kediyi gördüm", True),
        ("dün ben kediyi gördüm , ama sen ağladın", True),
        ("ben kediyi hemen gördüm", False),
    ],
)
def test_long_sentences_of_sets_are_no_parts_of_others_either(sentence, expected):
    assert repeats(tuple(sentence.split(" ")), sentences_of_sets()) is expected


def test_words_at_the_beginning_are_those_inside(sentences):
    inside = Counter(word for words in sentences for word in words[1:])
    assert all(words[0] == words[0].lower() for words in sentences)
    assert sum(words[0] in inside for words in sentences) > 0.99 * len(sentences)
    assert {words[-1] for words in sentences} == {"."}
