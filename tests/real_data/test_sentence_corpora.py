"""The corpora of task=sentence: read whole, counted, and compared with what released tools make of them."""

from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from polyprobe.datamodules.corpora.labelled_corpora import Corpus, read_corpus
from polyprobe.formats.reading.malformed import refuse
from polyprobe.formats.reading.tokenised import tokeniser
from polyprobe.formats.treebanks.linearised_trees import brackets, linearised_trees
from polyprobe.runs.names.conf_folders import corpora_of_language
from tests.training.five_tasks import composed

pytestmark = pytest.mark.real_data
CORPORA = corpora_of_language("en")["sentence"]["data"]["corpora"]
BY_DOWNLOAD = "snli"
SIZES = {  # train, dev, test, files
    "autoencoder": (152_707, 16_501, 17_394, 58),
    "skipthought": (151_802, 16_361, 17_309, 58),
    "nmt_de": (29_000 + 13_573 + 17_565, 1_014 + 3_000, 1_000, 24),
    "nmt_fr": (29_000 + 13_573 + 12_681, 1_014 + 3_000, 1_000, 24),
    "nmt_fi": (10_690 + 7_372, 3_000, 1_997, 12),
    "nmt_ru": (19_425 + 11_824, 2_998, 1_997, 14),
    "nmt_tr": (13_907 + 6_007, 3_000, 1_997, 10),
    "nmt_cs": (29_000, 1_014, 1_000, 6),
    "shared_english_alone": (42_573, 4_014, 1_000, 10),
    "seq2tree": (10_224, 1_575, 1_464, 4),
    "seq2tree_craft": (18_951, 2_780, 9_099, 3),
    "seq2tree_dependency": (12_543, 2_002, 2_077, 3),
    "nli": (8_857 + 4_439 + 7_500 + 2_490, 985, 9_824, 14),
}


@cache
def corpus(name: str, root: Path) -> Corpus:
    return read_corpus(name, CORPORA[name], None, root, None)


@cache
def shared_english(target: str, root: Path) -> Corpus:
    data = composed("task=sentence", "lang=en", "data.corpus=shared_english", f"data.target={target}")["data"]
    return read_corpus("shared_english", data["corpora"]["shared_english"], None, root, None)


def test_every_corpus_is_counted_here_or_has_another_in_its_place():
    by_name = {*SIZES, BY_DOWNLOAD, "shared_english"}
    assert {name for name, entry in CORPORA.items() if "otherwise" not in entry} == by_name
    assert {entry["otherwise"] for entry in CORPORA.values() if "otherwise" in entry} <= set(SIZES)


@pytest.mark.parametrize("name", SIZES)
def test_a_corpus_has_the_sentences_that_its_files_are_known_for(name, data_folder):
    read = corpus(name, data_folder)
    assert (len(read.train), len(read.dev), len(read.test), len(read.files)) == SIZES[name]
    assert read.malformed == ()


def test_no_pair_of_sentences_crosses_a_chapter_or_a_novel(data_folder):
    neighbours = set()
    for file in CORPORA["skipthought"]["train"]:
        for chapter in (data_folder / file).read_bytes().decode().split("\n\n"):
            lines = chapter.strip("\n").split("\n")
            neighbours.update(pairwise(lines))
    train = corpus("skipthought", data_folder).train
    assert {(" ".join(one.words), " ".join(one.target)) for one in train} == neighbours


def test_german_and_french_share_their_english(data_folder):
    german, french = (shared_english(target, data_folder) for target in ("de", "fr"))
    english = corpus("shared_english_alone", data_folder)
    assert (len(german.train), len(german.dev), len(german.test), len(german.files)) == (42_573, 4_014, 1_000, 22)
    for split in ("train", "dev", "test"):
        sides = [[one.words for one in getattr(read, split)] for read in (german, french, english)]
        assert sides[0] == sides[1] == sides[2]


@pytest.mark.parametrize("name", ["nmt_fi", "nmt_ru", "nmt_tr"])
def test_no_english_news_sentence_of_test_is_in_train(name, data_folder):
    read = corpus(name, data_folder)
    known = {one.words for one in read.train if len(one.words) > 6}
    assert sum(one.words in known for one in read.test) == 0


@pytest.mark.parametrize(
    ("file", "median", "percentile"),
    [("gum/train.tsv", 40, 116), ("craft/train.tsv", 62, 136), ("snli/dev.tsv", 24, 56)],
)
def test_linearised_trees_have_the_known_lengths_and_are_well_formed(file, median, percentile, data_folder):
    trees = list(linearised_trees(data_folder / "trees" / file, refuse))
    lengths = [len(one.target) for one in trees]
    assert (np.median(lengths), round(np.percentile(lengths, 95))) == (median, percentile)
    assert all(brackets(one.target) is not None for one in trees)
    assert all(sum(symbol[0] not in "()" for symbol in one.target) == len(one.words) for one in trees)


def test_linearised_dependency_trees_are_well_formed(data_folder):
    train = corpus("seq2tree_dependency", data_folder).train
    assert all(brackets(one.target) is not None for one in train)
    assert " ".join(train[0].target).startswith("(root ")


def test_no_premise_of_the_dev_part_is_learned_from(data_folder):
    read = corpus("nli", data_folder)
    learned = {pair.premise for pair in read.train[:8_857]}
    assert sum(pair.premise in learned for pair in read.dev) == 0


@pytest.mark.parametrize("language", ["en", "de", "fr", "fi"])
def test_words_are_cut_as_the_released_tokenizer_cuts_them(language, data_folder):
    raw, expected = (
        (data_folder / f"mt_cases/moses_tokenizer/{language}.{ending}").read_bytes().decode().split("\n")[:-1]
        for ending in ("raw", "tok")
    )
    cut = tokeniser("moses", language)
    assert len(raw) == {"en": 212}.get(language, 100)
    assert [" ".join(cut(line)) for line in raw] == expected
