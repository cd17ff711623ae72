"""Training runs of sentence encoders keep what those of all tasks do, for every objective."""

import functools
import os
from signal import SIGKILL

import numpy as np
import pytest

from polyprobe.encoders.checkpoint import CheckpointEncoder
from polyprobe.encoders.untrained import UntrainedEncoder
from polyprobe.errors import Impossible, PolyprobeError, UnknownChoice
from polyprobe.items import Form, Sentence, TokenInContext
from polyprobe.models.sentence_model import SentenceModel
from polyprobe.runs.directory import RunDirectory
from polyprobe.training.callbacks.history import History
from polyprobe.training.corpus_choice import check_corpus, check_decoder
from polyprobe.training.door import training_settings
from polyprobe.training.run import train_sentence_encoder
from tests.commands.forked import ended, run_script, signal_at
from tests.commands.scripts import only_run
from tests.training.five_tasks import composed
from tests.training.same_runs import assert_same, epochs, unfinished_copy
from tests.training.sentence_runs import NOUNS, OBJECTIVES, VERBS, configured, settings, trained

NO_DROPOUT = {
    objective: ["model.encoder.dropout=0.0", *([] if objective == "nli" else ["model.head.dropout=0.0"])]
    for objective in OBJECTIVES
}
SENTENCES = [("kedi", "adam", "sevdi"), ("çocuk",), ("köpek", "köpek", "kedi", "aldı", "."), ("fil",)]
# Where a run is, and at which call there it is killed.
KILLED_AT = [
    (SentenceModel, "validation_step", 1),
    (SentenceModel, "training_step", 2),
    (History, "add_epoch", 2),
    (os, "replace", 9),
]
each_way_of_counting = pytest.mark.parametrize("objective", ["nmt", "nli"])


def opened(run, layers=None, level="sentence", inputs=(), cache="no cache"):
    return CheckpointEncoder(run, None, layers, level, dict(inputs), cache)


def vectors(encoder, items):
    return [np.concatenate(layer) for layer in zip(*encoder.encode(items), strict=True)]


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory):
    """Returns the folder of the run of an objective as its settings are, which no test changes."""
    return functools.cache(lambda objective: trained(objective, tmp_path_factory.mktemp(objective)))


@pytest.mark.parametrize("objective", ["autoencoder", "seq2tree", "skipthought"])
def test_a_run_that_is_cut_off_goes_on_exactly(objective, whole_run, tmp_path):
    whole = whole_run(objective)
    copy = unfinished_copy(whole, tmp_path / "cut")
    (copy / "epochs/03.ckpt").unlink()
    assert trained(objective, tmp_path / "cut") == copy
    assert_same(copy, whole)


@each_way_of_counting
def test_a_run_killed_at_four_instants_ends_with_the_same_numbers(objective, whole_run, tmp_path):
    command, said = settings(objective, tmp_path / "cut"), tmp_path / "said"
    for owner, name, number in KILLED_AT:
        assert ended("train", command, said, signal_at(owner, name, number, SIGKILL)).exitcode == -SIGKILL
    done = ended("train", command, said)
    assert done.exitcode == 0, done.said
    assert_same(only_run(tmp_path / "cut", "train"), whole_run(objective))


@each_way_of_counting
def test_two_processes_with_half_of_each_batch_learn_as_one(objective, tmp_path):
    size = "task.datamodule.batch_pairs=6" if objective == "nli" else "task.datamodule.batch_sentences=6"
    same = [*NO_DROPOUT[objective], size]
    one = trained(objective, tmp_path / "one", *same)
    two = ["trainer=ddp", "trainer.devices=2", "trainer.accelerator=cpu"]
    done = run_script("train", *settings(objective, tmp_path / "two", *same, *two))
    assert done.returncode == 0, done.stderr
    other = tmp_path / "two/runs/train" / one.name
    assert epochs(other)[0] == pytest.approx(epochs(one)[0], rel=1e-6)
    for single, double in zip(epochs(one)[1:], epochs(other)[1:], strict=True):
        assert double["train/loss"] == pytest.approx(single["train/loss"], rel=1e-4)


@each_way_of_counting
def test_two_batches_accumulated_learn_as_one_of_their_size(objective, tmp_path):
    size = "task.datamodule.batch_pairs" if objective == "nli" else "task.datamodule.batch_sentences"
    whole = trained(objective, tmp_path / "whole", *NO_DROPOUT[objective], f"{size}=8")
    halves = trained(objective, tmp_path / "halves", *NO_DROPOUT[objective], f"{size}=4", "trainer.accumulate=2")
    for one, two in zip(epochs(whole)[1:], epochs(halves)[1:], strict=True):
        assert two["train/loss"] == pytest.approx(one["train/loss"], rel=1e-4)


@each_way_of_counting
def test_losses_in_bfloat16_are_near_those_of_full_precision(objective, tmp_path):
    full = trained(objective, tmp_path / "full", *NO_DROPOUT[objective])
    mixed = trained(objective, tmp_path / "mixed", *NO_DROPOUT[objective], "trainer.precision=bf16-mixed")
    losses = [[row["train/loss"] for row in epochs(run)[1:]] for run in (full, mixed)]
    assert losses[1] == pytest.approx(losses[0], rel=0.02)
    assert losses[1][-1] < losses[1][0]


@pytest.mark.parametrize("model", ["bilstm_last", "bilstm_max", "gated_convnet"])
def test_the_vector_of_a_sentence_is_the_same_alone_in_company_and_after_a_restart(model, tmp_path):
    run = trained("nli", tmp_path, f"model={model}", "trainer.max_epochs=1")
    items = [Sentence(words) for words in SENTENCES]
    together = vectors(opened(run), items)
    assert [(layer.name, layer.epoch) for layer in opened(run).layers] == [("sentence", 0), ("sentence", 1)]
    for layer, width in zip(together, [one.width for one in opened(run).layers], strict=True):
        assert layer.shape == (4, width)
    for number, item in enumerate(items):
        for alone, layer in zip(vectors(opened(run), [item]), together, strict=True):
            np.testing.assert_allclose(alone[0], layer[number], rtol=1e-5, atol=1e-6)
    for again, layer in zip(vectors(opened(run), items[::-1]), together, strict=True):
        np.testing.assert_allclose(again[::-1], layer, rtol=1e-5, atol=1e-6)


def test_a_layer_of_sentences_has_no_vector_of_a_token(tmp_path):
    run = trained("nli", tmp_path, "trainer.max_epochs=1")
    assert opened(run).accepts == {Form, Sentence}
    assert [layer.name for layer in opened(run, level="token").layers][:2] == ["words", "states"]
    with pytest.raises(Impossible, match="it takes Form or Sentence, not TokenInContext"):
        list(opened(run).encode([TokenInContext(("kedi", "sevdi"), 0)]))
    with pytest.raises(
        PolyprobeError, match=r"one vector for a sentence, none for a word.*encoder\.layers=\[words\] or"
    ):
        opened(run, ["sentence"], level="token")


def word_vectors(folder, scale=1.0):
    words = [*NOUNS, *VERBS, "."]
    rows = (np.random.default_rng(1).standard_normal((len(words), 8)) * scale).round(4)
    lines = [f"{len(words)} 8", *(f"{word} {' '.join(map(str, row))}" for word, row in zip(words, rows, strict=True))]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "words.vec"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("objective", ["nli", "seq2tree"])
def test_an_untrained_encoder_is_epoch_0_of_every_run_with_its_seed(objective, tmp_path):
    path = word_vectors(tmp_path)
    over_vectors = ["encoder=static_vectors", f"encoder.path={path}", "trainer.max_epochs=1", "model=bilstm_max"]
    more = [one for one in settings(objective, tmp_path) if not one.startswith("encoder.word_size")]
    done = run_script("train", *more, *over_vectors)
    assert done.returncode == 0, done.stderr
    cache = tmp_path / "cache/encodings"
    network = {"hidden_size": 6, "n_layers": 1}
    untrained = UntrainedEncoder("bilstm_max", network, 4, path, False, False, cache)
    items = [Sentence(words) for words in SENTENCES]
    trained_run = opened(only_run(tmp_path, "train"), cache=cache)
    np.testing.assert_array_equal(vectors(trained_run, items)[0], vectors(untrained, items)[0])


def over_vectors(work, scale, *more):
    """Trains a ConvNet on vectors of some scale; returns its folder."""
    path = word_vectors(work, scale)
    said = [one for one in settings("nli", work, *more) if not one.startswith("encoder.word_size")]
    chosen = ["model=gated_convnet", "encoder=static_vectors", f"encoder.path={path}", "trainer.max_epochs=1"]
    return train_sentence_encoder(composed(*said, *chosen)).path


def test_a_convnet_learns_the_same_from_vectors_of_any_scale_and_its_checkpoints_keep_it(tmp_path):
    one, other = (over_vectors(tmp_path / f"{scale}", scale) for scale in (1, 1000))
    assert epochs(other)[1]["train/loss"] == pytest.approx(epochs(one)[1]["train/loss"], rel=1e-3)
    items = [Sentence(words) for words in SENTENCES]
    found = [vectors(opened(run, cache=tmp_path / "cache"), items) for run in (one, other)]
    for layer, of_other in zip(*found, strict=True):
        np.testing.assert_allclose(of_other, layer, rtol=1e-2, atol=1e-3)
    words = [vectors(opened(run, ["words"], cache=tmp_path / "cache"), items)[0] for run in (one, other)]
    np.testing.assert_allclose(words[1], 1000 * words[0], rtol=1e-2, atol=0.1)  # as they are


def test_a_scale_that_has_no_effect_on_learned_words_changes_no_name(tmp_path):
    learned = ["model=gated_convnet"]
    names = [
        one.identity.name(encoder=one.inputs.learned_identity)
        for more in ((), ("model.encoder.input_rms=null",))
        for one in [training_settings(configured("nli", tmp_path, *learned, *more))]
    ]
    assert names[0] == names[1]


LSTM_6 = 2 * (
    4 * 6 * (8 + 6) + 2 * 4 * 6
)  # two directions of 6 numbers over words of 8; two biases for each of four gates
CLASSIFIER = (4 * 12 * 8 + 8) + (8 * 3 + 3)
DECODER = 10 * 6 + (4 * 8 * (6 + 12 + 8) + 2 * 4 * 8) + (8 * 10 + 10)  # 10 units of 6 numbers, a state of 8


@pytest.mark.parametrize(
    ("objective", "head", "number"), [("nli", "classifier", CLASSIFIER), ("seq2tree", "decoder", DECODER)]
)
def test_the_parameters_of_every_part_are_printed_and_kept(objective, head, number, tmp_path, capsys):
    counts = RunDirectory(trained(objective, tmp_path)).record()["counts"]
    said = capsys.readouterr().out
    for part, n in {"inputs": 8 * 8, "encoder": LSTM_6, head: number}.items():
        assert counts[f"parameters of the {part}"] == n
        assert f"parameters of the {part}: {n}\n" in said


def test_an_objective_with_a_classifier_takes_no_decoder():
    with pytest.raises(Impossible, match=r"^objective=nli has a classifier, no decoder: leave out decoder=attention"):
        check_decoder("nli", "attention")
    check_decoder("nli", None)
    check_decoder("nmt", "attention")


def test_a_corpus_with_another_target_language_is_refused():
    data = {"corpora": {"europarl_fr": {"objective": "nmt", "target": "fr"}}, "corpus": "europarl_fr", "target": "de"}
    with pytest.raises(UnknownChoice, match=r'data\.target "de" is unknown\..*fr'):
        check_corpus("nmt", data, "en")


def test_a_corpus_for_several_target_languages_takes_these_alone():
    entry = {"objective": "nmt", "target": "fi", "targets": ["de", "fr"]}
    data = {"corpora": {"shared": entry}, "corpus": "shared", "target": "fi"}
    with pytest.raises(UnknownChoice, match=r'data\.target "fi" is unknown\..*de, fr'):
        check_corpus("nmt", data, "en")
    check_corpus("nmt", {**data, "target": "de"}, "en")
