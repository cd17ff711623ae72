"""Published tagging files: sizes, the trivial baseline, shares of unseen words; all figures from independent counts."""

import pytest

from polyprobe.datamodules.base.word_inputs import LearnedInputs
from polyprobe.datamodules.tagging import TaggingDataModule
from polyprobe.formats.reading.malformed import refuse
from polyprobe.formats.treebanks import labelled_words
from polyprobe.formats.treebanks.labelled_words import universal_pos_sentences, words_of
from tests.models.in_memory import InMemory

pytestmark = pytest.mark.real_data


def read(data_folder, corpus, split):
    if corpus.startswith("pos/"):
        return list(labelled_words.linspector_pos_sentences(data_folder / corpus / f"{split}.pos", refuse))
    return list(universal_pos_sentences(data_folder / corpus / f"{split}.conllu", refuse))


@pytest.mark.parametrize(
    ("corpus", "sizes"),
    [
        ("pos/fi", ((12217, 162827), (1364, 18311), (1555, 21070))),
        ("pos/de", ((13814, 268414), (799, 12650), (977, 16772))),
        ("pos/tr", ((3685, 38871), (975, 10233), (975, 10193))),
    ],
)
def test_every_sentence_and_item_is_read(data_folder, corpus, sizes):
    for split, expected in zip(("train", "dev", "test"), sizes, strict=True):
        sentences = read(data_folder, corpus, split)
        assert (len(sentences), sum(len(one.words) for one in sentences)) == expected
        items = (zip(one.words, one.labels, strict=True) for one in sentences)
        written = "".join(" ".join(f"{word}##{tag}" for word, tag in of_sentence) + "\n" for of_sentence in items)
        assert written.encode() == (data_folder / corpus / f"{split}.pos").read_bytes()


def test_turkish_words_are_the_same_in_both_formats(data_folder):
    lines, trees = (read(data_folder, corpus, "test") for corpus in ("pos/tr", "ud/tr_imst"))
    assert list(words_of(lines)) == [word.replace(" ", "_") for word in words_of(trees)]


@pytest.mark.parametrize(
    ("corpus", "split", "expected"),
    [
        ("pos/fi", "dev", {"accuracy": "86.35", "oov": "22.97"}),
        ("pos/fi", "test", {"accuracy": "87.02", "oov": "22.29"}),
        ("pos/de", "dev", {"accuracy": "87.23", "accuracy_all_items": "87.38", "oov": "9.67"}),
        ("pos/de", "test", {"accuracy": "86.58", "accuracy_all_items": "86.79", "oov": "10.76"}),
        ("pos/tr", "dev", {"accuracy": "82.58", "accuracy_all_items": "81.34", "oov": "24.14"}),
        ("pos/tr", "test", {"accuracy": "83.06", "accuracy_all_items": "81.90", "oov": "23.04"}),
        ("ud/tr_imst", "test", {"accuracy": "83.06", "oov": "23.04"}),
        ("ud/en_ewt", "test", {"accuracy": "85.71"}),
        ("ud/ru_taiga", "test", {"accuracy": "80.85"}),
        ("ud/fi_tdt_small", "test", {"accuracy": "75.80"}),
        ("ud/de_gsd_small", "test", {"accuracy": "78.26"}),
        ("ud/es_ancora_small", "test", {"accuracy": "84.10"}),
    ],
)
def test_the_baseline_and_the_unseen_words_are_those_of_an_independent_count(data_folder, corpus, split, expected):
    train, asked = (read(data_folder, corpus, name) for name in ("train", split))
    options = {"batch_sentences": 32, "evaluation_sentences": 32, "padding_noise": 0}
    data = TaggingDataModule(InMemory.of(train, []), LearnedInputs(1, 1000, [1, 1], 1000), seed=1, **options)
    data.setup()
    scores = data.baseline_scores(asked)[1]
    found = {score.metric: f"{100 * score.value:.2f}" for score in scores if not score.part}
    assert {metric: found[metric] for metric in expected} == expected
    assert ("accuracy_all_items" in found) == (corpus in ("pos/de", "pos/tr"))
