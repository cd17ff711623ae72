"""The parser that LINSPECTOR ran, where it differs from ours; all else is tested in test_biaffine_parser.py."""

from functools import partial
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from polyprobe.formats.treebanks.dependencies import word_on_cycle
from polyprobe.models.base.task_model import Diverged
from tests.models.in_memory import batch_of, trained
from tests.models.treebank import EIGHT, allennlp_parser, datamodule, tree


def test_eight_trees_are_learnt_by_heart_with_batches_drawn_anew():
    data = datamodule(word_size=20, padding_noise=0.5)
    adam = partial(torch.optim.Adam, lr=0.01, betas=(0.9, 0.9))
    model = allennlp_parser(data, hidden_size=20, projection_size=20, optimizer=adam)
    trainer = trained(model, data, max_epochs=60, check_val_every_n_epoch=60)
    assert trainer.callback_metrics["dev/las_without_punctuation"] == 1.0
    assert [tuple(map(tuple, found)) for found in model.answers(EIGHT)] == [(one.heads, one.relations) for one in EIGHT]


def energies(model, sentence) -> np.ndarray:
    """The probability of each head times that of its best relation, pair by pair: `[dependent, head]`."""
    scores, dependents, heads = model(batch_of(model, sentence))
    n_nodes = len(sentence.words) + 1
    found = np.zeros((n_nodes, n_nodes))
    for dependent, head in product(range(n_nodes), repeat=2):
        relations = [
            (dependents[dependent] @ weight @ heads[head] + bias).item()
            for weight, bias in zip(model.labels.weight, model.labels.bias, strict=True)
        ]
        best = np.exp(max(relations)) / np.exp(relations).sum()
        found[dependent, head] = best * scores[0, dependent].softmax(0)[head].item()
    found[:, 0] = 0.0  # as released: arcs from the root count nothing
    return found


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 5), st.integers(0, 99))
def test_the_tree_is_the_best_of_all_by_arcs_and_relations_together(n_words, seed):
    model = allennlp_parser(datamodule(), seed=seed).eval()
    with torch.no_grad():
        for scorer in (model.arcs, model.labels):
            scorer.weight.normal_(generator=torch.Generator().manual_seed(seed)).mul_(3)
    one = tree(1, " ".join(["Liisa/PROPN/0/x", "luki/VERB/1/x", "eilen/ADV/1/x", "./PUNCT/1/x", "ja/X/1/x"][:n_words]))
    arcs = energies(model, one)
    places = np.arange(1, n_words + 1)
    trees = [heads for heads in product(range(n_words + 1), repeat=n_words) if word_on_cycle(heads) is None]
    (heads, relations), *_ = model.decode(batch_of(model, one))
    assert arcs[places, heads].sum() == pytest.approx(max(arcs[places, list(one)].sum() for one in trees), rel=1e-4)
    _, dependents, of_heads = model(batch_of(model, one))
    for place, (head, relation) in enumerate(zip(heads, relations, strict=True), start=1):
        scored = model.labels.pairs(dependents[place : place + 1], of_heads, torch.tensor([head]))
        assert relation == model.relations[scored.argmax()]


def test_one_word_hangs_on_the_root_as_only_its_arcs_count_nothing():
    model = allennlp_parser(datamodule()).eval()
    assert [heads.count(0) for heads, _ in model.answers(EIGHT)] == [1] * len(EIGHT)


def test_several_roots_come_out_where_all_other_heads_are_impossible_and_are_scored_word_by_word():
    model = allennlp_parser(datamodule(), hidden_size=2, projection_size=2).eval()
    with torch.no_grad():
        for part in (model.projections.weight, model.projections.bias, model.arcs.weight, model.labels.weight):
            part.zero_()
        model.projections.weight[2:4] = torch.eye(2, 4)  # heads of arcs: what the states are
        model.root.copy_(torch.tensor([500.0, 0, 0, 0]))
        model.arcs.weight[0, -1, 0] = 1.0  # every dependent scores the root 500, all else below 1
    sentence = EIGHT[5]
    (heads, _), *_ = model.decode(batch_of(model, sentence))
    assert heads == [0, 0, 0]
    uas = next(score for score in model.scores([sentence]) if score.metric == "uas")
    assert (uas.value, uas.n) == (pytest.approx(1 / 3), 3)


def test_a_number_of_the_input_is_dropped_at_a_word_and_one_of_a_state_at_all_words():
    model = allennlp_parser(datamodule(word_size=40), hidden_size=30, input_dropout=0.5, recurrent_dropout=0.5)
    batch = batch_of(model, tree(1, "Liisa/PROPN/2/x luki/VERB/0/x luki/VERB/2/x Liisa/PROPN/2/x"))
    vectors = model.reader(batch.words)
    for layer in model.train().states(batch, vectors):
        is_dropped = layer == 0
        assert torch.equal(is_dropped, is_dropped[:1].expand(4, -1))
        assert 0 < is_dropped[0].sum() < 60
    assert not any((layer == 0).any() for layer in model.eval().states(batch, vectors))


def test_what_the_lowest_layer_reads_is_dropped_number_by_number(monkeypatch):
    model = allennlp_parser(datamodule(word_size=40), input_dropout=0.5, n_layers=1).train()
    batch = batch_of(model, tree(1, "luki/VERB/0/x luki/VERB/1/x"))
    read = []
    monkeypatch.setattr(model.bilstm[0], "forward", lambda cells, *_: read.append(cells) or cells.new_ones(2, 14))
    model.states(batch, model.reader(batch.words))
    is_dropped = read[0] == 0
    assert not torch.equal(is_dropped[0], is_dropped[1])


def test_arcs_and_tags_start_by_xavier_and_the_bias_of_arcs_too():
    model = allennlp_parser(datamodule(), projection_size=30, tag_size=10)
    bound = (6 / 62) ** 0.5
    assert bound * 0.98 < model.arcs.weight.abs().max() <= bound
    assert (model.arcs.weight[0, -1] != 0).all()
    n_tags = len(model.tags.weight) - 1
    assert model.tags.weight.abs().max() <= (6 / (n_tags + 10)) ** 0.5
    assert model.tags.weight[0].abs().sum() == 0


def test_scores_that_are_no_numbers_are_told_as_divergence():
    model = allennlp_parser(datamodule()).eval()
    with torch.no_grad():
        model.root.fill_(torch.nan)
    with pytest.raises(Diverged, match="scores of arcs"):
        model.decode(batch_of(model, EIGHT[0]))
