"""A training that leads to numbers that are none ends with a word about it."""

from functools import partial

import pytest
import torch

from polyprobe.models.base.task_model import Diverged
from tests.models import tagged_corpus, treebank
from tests.models.in_memory import trained

FAR_TOO_HIGH = partial(torch.optim.SGD, lr=1e38)
EXPECTED = r"not finite in epoch 1\. Set model\.optimizer\.lr lower"


def test_losses_that_are_no_numbers_end_the_training_at_the_end_of_the_epoch():
    data = tagged_corpus.tagging()
    with pytest.raises(Diverged, match=f"losses are {EXPECTED}"):
        trained(tagged_corpus.tagger(data, optimizer=FAR_TOO_HIGH), data, num_sanity_val_steps=0, max_epochs=2)


def test_scores_of_arcs_that_are_no_numbers_end_the_training_where_the_losses_were_some():
    data = treebank.datamodule(batch_sentences=8)  # one step, whose loss is that of the initial weights
    with pytest.raises(Diverged, match=f"scores of arcs are {EXPECTED}"):
        trained(treebank.parser(data, optimizer=FAR_TOO_HIGH), data, num_sanity_val_steps=0, max_epochs=2)
