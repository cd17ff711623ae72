"""The parser as a network: it learns, padding does not exist for it, company changes nothing."""

from functools import partial

import numpy as np
import pytest
import torch

from polyprobe.models.structures.spanning_trees import best_tree
from tests.models.in_memory import batch_of, trained
from tests.models.treebank import EIGHT, datamodule, parser, tree


@pytest.mark.parametrize("settings", [{"upos": "gold"}, {"upos": "none"}])
def test_eight_trees_are_learnt_by_heart(settings):
    data = datamodule(**settings, word_size=20)
    sizes = {"hidden_size": 20, "projection_size": 20}
    model = parser(data, **sizes, optimizer=partial(torch.optim.Adam, lr=0.01, betas=(0.9, 0.9)))
    trainer = trained(model, data, max_epochs=60, check_val_every_n_epoch=60)
    assert trainer.callback_metrics["dev/las"] == 1.0
    assert [tuple(map(tuple, found)) for found in model.answers(EIGHT)] == [(one.heads, one.relations) for one in EIGHT]
    assert {score.value for score in model.scores(EIGHT)} == {1.0}


def test_the_loss_is_a_sum_over_words_whatever_the_lengths_of_sentences():
    model = parser(datamodule()).eval()
    together = model.loss(batch_of(model, EIGHT[2], EIGHT[4], EIGHT[5])) * 9
    apart = sum(model.loss(batch_of(model, one)) * len(one.words) for one in (EIGHT[2], EIGHT[4], EIGHT[5]))
    assert together.item() == pytest.approx(apart.item(), rel=1e-5)


def test_the_loss_of_a_parser_that_knows_nothing_counts_nodes_and_relations():
    model = parser(datamodule())
    with torch.no_grad():
        model.arcs.weight.zero_()
        model.labels.weight.zero_()
    expected = torch.tensor(4.0).log() + torch.tensor(float(len(model.relations))).log()  # 3 words and the root
    assert model.loss(batch_of(model, EIGHT[5])).item() == pytest.approx(expected.item(), rel=1e-6)


def test_a_relation_unseen_in_train_is_left_out_of_the_loss_and_counts_as_wrong():
    model = parser(datamodule()).eval()
    with torch.no_grad():
        model.labels.weight.zero_()
    strange = tree(9, "Liisa/PROPN/2/vocative luki/VERB/0/root")
    model.count(model.dev_metric, batch_of(model, strange))
    assert model.dev_metric.compute()["las"] < 1
    known = tree(9, "Liisa/PROPN/2/nsubj luki/VERB/0/root")
    lost = model.loss(batch_of(model, known)) - model.loss(batch_of(model, strange))
    assert lost.item() == pytest.approx(np.log(len(model.relations)) / 2, rel=1e-5)


def test_arc_scores_are_biaffine_in_dependent_and_head():
    model = parser(datamodule(), projection_size=2)
    dependents, heads = torch.randn(2, 3, 2), torch.randn(2, 4, 2)
    weight = model.arcs.weight[0]
    scores = model.arcs.all_pairs(dependents, heads)
    one = torch.tensor([*dependents[1, 2], 1.0]) @ weight @ torch.tensor([*heads[1, 3], 1.0])
    assert scores[1, 2, 3].item() == pytest.approx(one.item(), rel=1e-5)
    flat = model.arcs.pairs(dependents[1], heads[1], torch.arange(3))
    torch.testing.assert_close(flat[:, 0], scores[1].diagonal()[:3])


def test_the_tree_is_the_best_by_the_arc_scores_of_the_sentence_alone():
    model = parser(datamodule()).eval()
    batch = batch_of(model, *EIGHT)
    scores = model(batch)[0].detach().numpy()
    for (heads, _), of_sentence, n_words in zip(model.decode(batch), scores, batch.words.lengths, strict=True):
        assert heads == best_tree(of_sentence[: n_words + 1, : n_words + 1]).tolist()
        assert np.isneginf(of_sentence[1:, n_words + 1 :]).all()


def test_trees_are_found_without_a_look_at_the_gold_ones():
    model = parser(datamodule())
    blank = tree(1, "Liisa/PROPN/0/x luki/VERB/1/x kirjan/NOUN/1/x ./PUNCT/1/x")
    assert model.answers([blank]) == model.answers(EIGHT[:1])


@pytest.mark.parametrize(("upos", "is_read"), [("gold", True), ("none", False)])
def test_tags_are_read_where_the_configuration_says_so(upos, is_read):
    model = parser(datamodule(upos=upos)).eval()
    other = tree(1, "Liisa/VERB/2/nsubj luki/VERB/0/root kirjan/NOUN/2/obj ./PUNCT/2/punct")
    scores = [model(batch_of(model, one))[0][0, 1:, :] for one in (EIGHT[0], other)]
    assert torch.equal(*scores) != is_read


def test_one_mask_is_drawn_for_all_words_of_a_sentence():
    model = parser(datamodule(), dropout=0.5)
    sentence_of_cell = torch.tensor([0, 0, 0, 1, 1])
    dropped = model.dropout(torch.ones(5, 200), sentence_of_cell, 2)
    assert torch.equal(dropped[0], dropped[2])
    assert not torch.equal(dropped[2], dropped[3])
    assert set(dropped.flatten().tolist()) == {0.0, 2.0}


def test_gates_start_orthogonal_and_open():
    layer = parser(datamodule()).bilstm[1]
    for gate in layer.weight_hh_l0_reverse.chunk(4):
        torch.testing.assert_close(gate @ gate.T, torch.eye(7), rtol=0, atol=1e-5)
    assert (layer.bias_ih_l0 + layer.bias_hh_l0).tolist() == [0.0] * 7 + [1.0] * 7 + [0.0] * 14


def test_no_step_of_a_fit_is_longer_than_the_clipped_gradient_times_the_rate():
    data = datamodule(batch_sentences=100)  # one step an epoch
    model = parser(data, clip_norm=0.01, optimizer=partial(torch.optim.SGD, lr=0.5))
    before = torch.nn.utils.parameters_to_vector(model.parameters()).detach().clone()
    trained(model, data, max_epochs=1, num_sanity_val_steps=0)
    moved = torch.nn.utils.parameters_to_vector(model.parameters()).detach() - before
    assert moved.norm().item() == pytest.approx(0.5 * 0.01, rel=1e-2)
