"""The role labeller as a network: it learns, padding does not exist for it, company changes nothing."""

from functools import partial

import pytest
import torch

from polyprobe.datamodules.base.word_inputs import LearnedInputs, TrigramInputs
from polyprobe.models.inputs.word_batch import NO_LOSS
from polyprobe.models.layers.packing import Packing
from tests.models.corpus import EIGHT, datamodule, labeller, sentence
from tests.models.in_memory import batch_of, trained


@pytest.mark.parametrize(
    ("inputs", "word_size"), [(TrigramInputs(20, 20, "normal"), 20), (LearnedInputs(20, 1, [2, 3], 1), None)]
)
def test_eight_sentences_are_learnt_by_heart(inputs, word_size):
    data = datamodule(inputs=inputs)
    model = labeller(data, word_size=word_size, hidden_size=20, optimizer=partial(torch.optim.Adam, lr=0.02))
    trainer = trained(model, data, max_epochs=40, check_val_every_n_epoch=40)
    assert trainer.callback_metrics["dev/role_f1"] == 1.0
    assert model.answers(EIGHT) == [one.propositions for one in EIGHT]


WORDS = LearnedInputs(word_size=5, least_word_count=1, ngram_lengths=[2, 3], least_ngram_words=1)
of_every_reader = pytest.mark.parametrize(
    ("inputs", "word_size"), [(None, 5), (WORDS, None), (WORDS, 4)], ids=["trigrams", "words", "words, projected"]
)


@pytest.mark.parametrize("n_layers", [1, 2])
def test_the_loss_is_a_sum_over_propositions_whatever_their_lengths(n_layers):
    model = labeller(datamodule(), n_layers=n_layers).eval()
    short, long = EIGHT[3], EIGHT[6]
    together = model.loss(batch_of(model, short, long)) * 3
    apart = model.loss(batch_of(model, short)) + model.loss(batch_of(model, long)) * 2
    assert together.item() == pytest.approx(apart.item(), rel=1e-6)


def test_the_loss_of_an_untrained_model_counts_words_without_a_role():
    model = labeller(datamodule())
    with torch.no_grad():
        model.output.weight.zero_()
    expected = 3 * torch.tensor(4.0).log()  # three words, each with one of _, A0, A1, AM-TMP
    assert model.loss(batch_of(model, EIGHT[0])).item() == pytest.approx(expected.item(), rel=1e-6)


def test_a_role_unseen_in_train_is_left_out_of_the_loss_and_counts_as_missed():
    model = labeller(datamodule()).eval()
    strange = sentence(9, "Liisa luki kirjan", (1, {0: "AM-NEW"}))
    batch = batch_of(model, strange)
    assert batch.role_ids.tolist() == [NO_LOSS, 0, 0]
    model.count(model.dev_metric, batch)
    assert model.dev_metric.tallies.sum(0)[2] == 2  # the predicate and the role


def test_the_predicate_flag_makes_two_propositions_of_a_sentence_differ():
    model = labeller(datamodule()).eval()
    first, second = model(batch_of(model, EIGHT[2])).chunk(2)
    assert (first - second).abs().max() > 1e-3


def test_the_encoding_of_a_word_does_not_depend_on_its_sentence():
    model = labeller(datamodule())
    vectors = model.layer_vectors([("Liisa", "nukkui"), ("eilen", "nukkui")])
    torch.testing.assert_close(vectors["encoding"][1], vectors["encoding"][3])
    assert (vectors["bilstm"][1] - vectors["bilstm"][3]).abs().max() > 1e-4


def test_every_layer_is_exposed():
    model = labeller(datamodule(), n_layers=2, dropout=0.5)
    vectors = model.layer_vectors([("Liisa", "nukkui")])
    assert model.exposed_layers == (("encoding", 5), ("bilstm_1", 14), ("bilstm_2", 14))
    assert list(vectors) == ["encoding", "bilstm_1", "bilstm_2"]
    torch.testing.assert_close(
        model.labeller[1](vectors["bilstm_1"], torch.arange(2), Packing.of([2])), vectors["bilstm_2"]
    )


def test_arguments_are_found_without_a_look_at_the_gold_ones():
    model = labeller(datamodule())
    blank = [sentence(1, "Liisa luki kirjan", (1, {}))]
    assert model.answers(blank) == model.answers(EIGHT[:1])
    assert model.answers([EIGHT[4]]) == [()]


def test_scores_rest_on_all_gold_arguments():
    role, semantic = labeller(datamodule()).scores(EIGHT)[:2]
    assert (role.metric, role.n) == ("role_f1", 14)
    assert semantic.metric == "semantic_f1"


def test_parameters_start_as_the_released_code_draws_them():
    model = labeller(
        datamodule(inputs=TrigramInputs(trigram_size=7, hidden_size=7, trigram_start="normal")), word_size=7
    )
    assert model.reader.trigrams.weight[0].abs().sum() == 0
    for half in model.encoding.weight.chunk(2, dim=1):
        torch.testing.assert_close(half @ half.T, torch.eye(7), rtol=0, atol=1e-5)
    recurrent = model.labeller[0].weight_hh_l0
    torch.testing.assert_close(recurrent.T @ recurrent, torch.eye(7), rtol=0, atol=1e-5)
    assert model.labeller[0].bias_ih_l0_reverse[7:14].abs().sum() == 0
    assert model.reader.composition.bias_ih_l0_reverse[7:14].abs().sum() > 0


def test_no_step_is_longer_than_the_clipped_gradient_times_the_rate():
    data = datamodule(batch_propositions=100)  # one step an epoch
    model = labeller(data, clip_norm=0.01, optimizer=partial(torch.optim.SGD, lr=0.5))
    before = torch.nn.utils.parameters_to_vector(model.parameters()).detach().clone()
    trained(model, data, max_epochs=1, num_sanity_val_steps=0)
    moved = torch.nn.utils.parameters_to_vector(model.parameters()).detach() - before
    assert moved.norm().item() == pytest.approx(0.5 * 0.01, rel=1e-2)


def test_the_rate_falls_by_the_rule_and_not_when_a_model_is_only_validated():
    data = datamodule()
    model = labeller(data, optimizer=partial(torch.optim.SGD, lr=0.0))
    trainer = trained(model, data, max_epochs=6, num_sanity_val_steps=1)
    trainer.validate(model, datamodule=data, verbose=False)
    assert model.rate_decay.state_dict()["epoch"] == 6
    assert model.rate_decay.patience == 3  # three small gains at epochs 4, 5, 6: fallen once, full again
