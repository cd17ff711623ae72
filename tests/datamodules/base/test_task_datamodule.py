"""What the datamodules of all tasks do in one way: the steps that Lightning knows, and what is counted."""

from dataclasses import dataclass, field

import pytest

from polyprobe.datamodules.base.task_datamodule import Count
from polyprobe.datamodules.base.word_inputs import LearnedInputs
from polyprobe.datamodules.corpora.labelled_corpora import Corpus
from polyprobe.datamodules.tagging import TaggingDataModule
from tests.models.entity_corpus import entities
from tests.models.in_memory import InMemory
from tests.models.small_texts import text_data
from tests.models.tagged_corpus import EIGHT_TAGGED, sentence, tagging


@dataclass
class Watched:
    """A corpus in memory that remembers what was asked of it."""

    asked: list[str] = field(default_factory=list)

    def prepare(self) -> None:
        self.asked.append("prepare")

    def read(self) -> Corpus:
        self.asked.append("read")
        return InMemory.of(EIGHT_TAGGED, EIGHT_TAGGED[:2], EIGHT_TAGGED[:1]).read()


def test_preparing_reads_nothing_and_setting_up_reads_once_whatever_the_stage():
    source = Watched()
    sizes = {"batch_sentences": 3, "evaluation_sentences": 4, "padding_noise": 0}
    data = TaggingDataModule(source, LearnedInputs(6, 2, [2, 4], 1), 1, **sizes)
    assert source.asked == []
    data.prepare_data()
    assert source.asked == ["prepare"]
    for stage in ("fit", "validate", "test"):
        data.setup(stage)
    assert source.asked == ["prepare", "read"]
    loaders = (data.train_dataloader(), data.val_dataloader(), data.test_dataloader())
    assert [len(list(loader)) for loader in loaders] == [3, 1, 1]


def test_dev_is_coded_before_train():
    """A word that both have, first met in dev, stands first in every batch."""
    data = tagging(train=EIGHT_TAGGED, dev=[sentence(1, "gut/ADJ")])
    assert data.coder.coded(sentence(1, "gut/ADJ zum/_"))[0].tolist() == [0, 1]


def test_counts_are_named_by_split_and_subject():
    assert Count("words", 3, "train").name == "train words"
    assert Count("tags", 3).name == "tags"
    counts = tagging().counts()
    assert list(counts)[:3] == ["train sentences", "dev sentences", "test sentences"]
    assert list(counts)[-2:] == ["words of the vocabulary", "n-grams of the vocabulary"]


BASELINES = [(tagging, "frequent_tag"), (entities, "gazetteer"), (text_data, "unigrams")]


@pytest.mark.parametrize(("make", "name"), BASELINES)
def test_a_baseline_is_counted_once_and_reported_with_the_unknown_words(make, name):
    made = make()
    assert made.baseline is made.baseline
    found, scores = made.baseline_scores(made.dev)
    assert (found, scores[-1].metric) == (name, "oov")


def test_scored_splits_are_dev_test_and_those_beside():
    data = tagging(test=EIGHT_TAGGED[:1])
    assert {name: len(examples) for name, examples in data.scored_splits().items()} == {"dev": 8, "test": 1}
