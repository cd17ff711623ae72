"""Text as a stream: every word predicted once in an epoch, from the word before it, whoever reads it."""

import json
from collections import Counter
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from polyprobe.datamodules.language_model import StretchOrder, TextStream
from polyprobe.errors import BadValue, UnknownChoice
from polyprobe.models.batches.text_vocabulary import END_ID
from polyprobe.models.inputs.word_batch import NO_LOSS
from tests.commands.forked import run_script
from tests.models.small_texts import COIN, LENGTHS, sentence, text_data

SENTENCES = [
    np.array([*range(start, start + length), END_ID]) for start, length in [(10, 3), (20, 1), (30, 6), (40, 2)]
]


def stream(columns=3, steps=2, process=0, n_processes=1, seed=1):
    return TextStream(SENTENCES, columns, steps, seed, process, n_processes)


def stretches(one, epoch=0):
    order = StretchOrder(len(one))
    order.set_epoch(epoch)
    return [one[item] for item in order]


def read(batches):
    """Returns the columns of an epoch as one text: pairs of words and next words."""
    words, following = (torch.cat([getattr(one, name) for one in batches]).t() for name in ("word_ids", "next_ids"))
    is_real = following != NO_LOSS
    return list(zip(words[is_real].tolist(), following[is_real].tolist(), strict=True))


@pytest.mark.parametrize(("columns", "steps"), [(1, 100), (1, 3), (3, 2), (5, 1), (16, 4), (20, 2)])
def test_an_epoch_is_one_text_in_which_every_word_is_predicted_from_the_one_before(columns, steps):
    pairs = read(stretches(stream(columns, steps)))
    assert pairs[0][0] == END_ID
    assert all(before[1] == after[0] for before, after in pairwise(pairs))
    assert Counter(following for _, following in pairs) == Counter(np.concatenate(SENTENCES).tolist())


def test_sentences_stay_whole_and_their_order_depends_on_seed_and_epoch_alone():
    def order(seed, epoch):
        return [following for _, following in read(stretches(stream(seed=seed), epoch)) if following != END_ID]

    assert order(1, 0) == order(1, 0)
    assert len({tuple(order(seed, epoch)) for seed in (1, 2) for epoch in range(3)}) > 2
    starts = [word for word in order(1, 3) if word % 10 == 0]
    assert order(1, 3) == [word for start in starts for word in next(one for one in SENTENCES if one[0] == start)[:-1]]


def test_only_the_first_stretch_begins_and_shares_of_processes_add_up():
    alone = stretches(stream(columns=5, steps=3))
    shares = [stretches(stream(5, 3, process, 2)) for process in (0, 1)]
    for number, (whole, *parts) in enumerate(zip(alone, *shares, strict=True)):
        assert whole.begins == (number == 0)
        for process, part in enumerate(parts):
            assert torch.equal(part.next_ids, whole.next_ids[:, process::2])
            assert part.n_items == whole.n_items / 2
        assert whole.n_items == (whole.next_ids != NO_LOSS).sum()


def test_processes_count_every_word_of_dev_once():
    counted = []
    for process in (0, 1):
        data = text_data(dev=LENGTHS)
        data.trainer = SimpleNamespace(global_rank=process, world_size=2)
        counted += [int((batch.next_ids != NO_LOSS).sum()) for batch in data.val_dataloader()]
    assert sum(counted) == sum(len(one.words) + 1 for one in LENGTHS) == text_data(dev=LENGTHS).n_scored


def test_a_process_without_a_sentence_takes_part_and_counts_nothing():
    data = text_data(dev=COIN[:1])
    data.trainer = SimpleNamespace(global_rank=1, world_size=2)
    (batch,) = data.val_dataloader()
    assert (batch.next_ids == NO_LOSS).all()


def test_two_processes_learn_and_count_what_one_does():
    done = run_script("tests/datamodules/text_on_two_processes")
    assert done.returncode == 0, done.stderr
    outcomes = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    for one, two in ((outcomes[0], outcomes[1]), (outcomes[2], outcomes[3])):
        assert two == pytest.approx(one, rel=1e-6)
        assert two["dev/perplexity"] == pytest.approx(one["dev/perplexity"], rel=1e-7)


def test_more_processes_than_columns_are_refused_with_the_key():
    data = text_data(columns=1)
    data.trainer = SimpleNamespace(global_rank=0, world_size=2)
    with pytest.raises(BadValue, match=r"task\.datamodule\.columns"):
        data.train_dataloader()


def test_the_vocabulary_joins_the_most_frequent_words_of_each_folder():
    texts = [sentence("a a b", folder="en"), sentence("c c c a d", folder="de"), sentence("b b", folder="en")]
    assert text_data(train=texts, dev=COIN, n_words=1).vocabulary.words == ("b", "c")
    assert text_data(train=texts, dev=COIN, n_words=2).vocabulary.words == ("b", "a", "c")
    rare = text_data(train=texts, dev=COIN, least_word_count=2)
    assert rare.vocabulary.words == ("b", "a", "c")
    assert rare.counts()["train OOV words"] == 1


def test_words_of_dev_are_known_where_its_vocabulary_counts():
    dev = [sentence("z")]
    assert not text_data(dev=dev).vocabulary.knows("z")
    assert text_data(dev=dev, vocabulary_splits=["train", "dev"]).vocabulary.knows("z")
    with pytest.raises(UnknownChoice, match="vocabulary_splits"):
        text_data(vocabulary_splits=["test"])


def test_sentences_with_too_many_unknown_words_are_left_out_of_every_split_and_counted():
    train = [sentence("a b c d"), sentence("a b c d"), sentence("a b c x"), sentence("a b y z")]
    dev, test = [sentence("a x"), sentence("b")], [sentence("a b c q"), sentence("q a")]
    settings = {"train": train, "dev": dev, "test": test, "least_word_count": 2}
    data = text_data(**settings, max_unknown_share=0.25)
    assert data.vocabulary.words == ("a", "b", "c", "d")  # counted before anything is left out
    assert [len(split) for split in (data.train, data.dev, data.test)] == [3, 1, 1]
    assert data.n_scored == 2
    counts = data.counts()
    assert [counts[f"{name} sentences skipped, OOV rate above 0.25"] for name in ("train", "dev", "test")] == [1, 1, 1]
    assert counts["train OOV words"] == 1
    whole = text_data(**settings)
    assert whole.kept(dev) is dev
    assert not any("skipped" in name for name in whole.counts())


@pytest.mark.parametrize(
    ("share", "words"), [(5, "from 0 to 1"), (0.3, r"at least 0\.5, or no sentence of lm is left")]
)
def test_a_share_of_unknown_words_that_leaves_nothing_is_refused(share, words):
    with pytest.raises(BadValue, match=rf"max_unknown_share must be .*{words}"):
        text_data(test=[sentence("a x"), sentence("x y")], max_unknown_share=share)
