"""What every model promises, as one table over every kind; what it learns is tested in a file of its own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
import torch

from polyprobe.datamodules.base.task_datamodule import TaskDataModule
from polyprobe.datamodules.base.word_inputs import LearnedInputs
from polyprobe.errors import BadValue
from polyprobe.models.base.task_model import TaskModel
from tests.models import corpus, treebank
from tests.models.entity_corpus import EIGHT_WITH_ENTITIES, entities, entity_tagger
from tests.models.in_memory import batch_of
from tests.models.paired_corpus import EIGHT_PAIRS, esim, pairing
from tests.models.sentence_corpus import pair_classifier, pair_data, target_data, targeted, writer
from tests.models.small_texts import LENGTHS, language_model, text_data
from tests.models.tagged_corpus import EIGHT_TAGGED, tagger, tagging


@dataclass(frozen=True)
class Kind:
    """One kind of model, small."""

    name: str
    data: Callable[[], TaskDataModule]
    build: Callable[..., TaskModel]
    """Takes the data, and changes of options."""
    examples: Sequence[Any]
    options: dict[str, Any] = field(default_factory=dict)
    refused: str = "hidden_size"
    """An option that makes no sense as 0."""
    clips: bool = True
    """Whether the norm of its gradients can be bounded."""
    answer_tolerance: float = 0.0
    """Of answers that are numbers, how far they may be apart; all others are equal."""

    def model(self, data: TaskDataModule | None = None, **changes: Any) -> TaskModel:
        return self.build(data or self.data(), **self.options, **changes)


def reading_words(word_size: int | None) -> Kind:
    inputs = LearnedInputs(word_size=5, least_word_count=1, ngram_lengths=[2, 3], least_ngram_words=1)
    name = "role_labeller_of_words" if word_size is None else "role_labeller_of_projected_words"
    return Kind(name, lambda: corpus.datamodule(inputs=inputs), corpus.labeller, corpus.EIGHT, {"word_size": word_size})


KINDS = [
    Kind("tagger", tagging, tagger, EIGHT_TAGGED, clips=False),
    Kind("entity_tagger", entities, entity_tagger, EIGHT_WITH_ENTITIES),
    Kind("esim", pairing, esim, EIGHT_PAIRS),
    Kind("role_labeller", corpus.datamodule, corpus.labeller, corpus.EIGHT),
    reading_words(None),
    reading_words(4),
    Kind("biaffine_parser", treebank.datamodule, treebank.parser, treebank.EIGHT),
    Kind(
        "language_model",
        lambda: text_data(train=LENGTHS, dev=LENGTHS),
        language_model,
        LENGTHS,
        {"first_range": 3.0},  # probabilities are far from uniform
        answer_tolerance=1e-5,
    ),
    Kind("sentence_model_nmt", lambda: target_data("nmt"), writer, targeted("nmt"), refused="clip_norm"),
    Kind("sentence_model_nli", pair_data, pair_classifier, EIGHT_PAIRS, refused="clip_norm"),
]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


@every_kind
def test_layer_vectors_are_the_same_alone_and_in_company(kind):
    model = kind.model(dropout=0.5)
    sentences = [text for one in kind.examples for text in model.coder.texts(one)]
    company = model.layer_vectors(sentences)
    assert list(company) == [name for name, _ in model.exposed_layers]
    for name, width in model.exposed_layers:
        alone = torch.cat([model.layer_vectors([words])[name] for words in sentences])
        n_vectors = len(sentences) if name in model.sentence_layers else sum(map(len, sentences))
        assert company[name].shape == (n_vectors, width)
        torch.testing.assert_close(company[name], alone, rtol=0, atol=1e-5)
    assert model.training


@every_kind
def test_answers_are_the_same_alone_and_in_company(kind):
    model = kind.model(dropout=0.5)
    company = model.answers(kind.examples)
    alone = [model.answers([one])[0] for one in kind.examples]
    if kind.answer_tolerance:
        close = (pytest.approx(other, abs=kind.answer_tolerance) for other in alone)
        assert all(one == other for one, other in zip(company, close, strict=True))
    else:
        assert company == alone


@every_kind
def test_the_seed_alone_decides_the_parameters(kind):
    data = kind.data()
    first, second, third = kind.model(data), kind.model(data), kind.model(data, seed=2)
    assert all(map(torch.equal, first.parameters(), second.parameters()))
    for name, parameter in first.named_parameters():
        is_drawn = parameter.ndim > 1  # biases may start at 0 or 1
        assert not (is_drawn and torch.equal(parameter, third.get_parameter(name))), name


@every_kind
def test_a_size_that_makes_no_sense_is_refused_with_its_key(kind):
    with pytest.raises(BadValue, match=rf"model\.{kind.refused}"):
        kind.model(**{kind.refused: 0})


@every_kind
def test_a_batch_in_which_nothing_counts_gives_no_loss_and_no_gradient(kind):
    model = kind.model()
    coded = [model.coder.uncounted(model.coder.coded(one)) for one in kind.examples[:2]]
    batch = model.coder.batch(coded, 1.0)
    loss = model.loss(batch)
    loss.backward()
    model.count(model.dev_metric, batch)
    assert loss == 0
    gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    assert gradients
    assert all(gradient.abs().sum() == 0 for gradient in gradients)


@pytest.mark.parametrize("kind", [one for one in KINDS if one.clips], ids=lambda kind: kind.name)
def test_gradients_are_cut_to_the_norm_of_the_model(kind):
    model = kind.model(clip_norm=0.01)
    model.loss(batch_of(model, *kind.examples)).backward()
    model.configure_gradient_clipping(model.configure_optimizers())
    gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    norm = torch.stack([gradient.norm() for gradient in gradients]).norm()
    assert norm.item() == pytest.approx(0.01, rel=1e-2)
