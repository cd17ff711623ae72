"""The role labeller over frozen vectors: of words, and of words in their sentences."""

import numpy as np
import pytest

from polyprobe.encoders.base.encoder import Layer
from polyprobe.encoders.checkpoint import CheckpointEncoder
from polyprobe.encoders.static_vectors import StaticVectors
from polyprobe.items import Form, TokenInContext
from tests.commands.forked import run_script
from tests.commands.scripts import on_small_data, only_run
from tests.encoders.tiny_transformers import write_transformer
from tests.training.in_process import small_run
from tests.training.small_vectors import WIDTH, given, write_vectors


@pytest.fixture(scope="module")
def vectors(small_data, tmp_path_factory):
    return write_vectors(tmp_path_factory.mktemp("vectors") / "words.vec", small_data, left_out=12)


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def labelled(small_data, work, vectors):
    """A finished run of two epochs, probed after each."""
    more = ["probe_each_epoch=[Case]", "probe.max_epochs=1", "model.optimizer.lr=0.2"]
    return small_run("srl", small_data, work, *given(vectors), *more)


def opened(run, work, level: str) -> CheckpointEncoder:
    return CheckpointEncoder(run.path, [0, 2], None, level, {}, work / "cache/encodings")


def vectors_of(encoder, items) -> list[np.ndarray]:
    return [np.concatenate(layer) for layer in zip(*encoder.encode(items), strict=True)]


def metrics(path) -> np.ndarray:
    return np.genfromtxt(path / "metrics.csv", delimiter=",", names=True)


def test_the_word_model_learns_and_its_rows_name_the_encoder(labelled):
    assert "-static_vectors-s1-" in labelled.name
    losses = metrics(labelled.path)["trainloss"]
    assert losses[2] < losses[1]
    rows = list(labelled.rows())
    assert {row["encoder"] for row in rows if row["stage"] == "test"} == {"static_vectors"}
    assert {row["metric"] for row in rows if row["stage"] == "baseline"} == {
        *("role_f1", "semantic_f1"),
        *("oov", "encoder_oov"),
    }


def test_its_lowest_layer_is_the_vector_as_it_is_given(labelled, work, vectors):
    encoder = opened(labelled, work, "type")
    assert encoder.layers == (Layer("encoding", WIDTH, 0), Layer("encoding", WIDTH, 2))
    items = [Form("Adam"), Form("neverseen")]
    (expected,) = vectors_of(StaticVectors(vectors, None, "shared", 1, True, True), items)
    for found in vectors_of(encoder, items):
        np.testing.assert_array_equal(found, expected)


def test_the_layers_above_are_probed_in_context_and_while_it_trains(labelled, work):
    encoder = opened(labelled, work, "token")
    assert [one.name for one in encoder.layers] == ["encoding", "bilstm_1", "bilstm_2"] * 2
    here, there = TokenInContext(("Adam", "geldi"), 0), TokenInContext(("Adam", "."), 0)
    encoding, *layers = vectors_of(encoder, [here, there])[3:]
    np.testing.assert_array_equal(encoding[0], encoding[1])
    assert all(np.abs(states[0] - states[1]).max() > 1e-4 for states in layers)
    assert np.isfinite(metrics(labelled.path)["probeencodingCase"]).all()


def test_a_word_in_its_sentence_has_a_vector_of_its_own(small_data, tmp_path):
    options = ["encoder=transformer", f"encoder.model={write_transformer(tmp_path / 'bert', 'bert')}"]
    run = small_run("srl", small_data, tmp_path, *options, "trainer.max_epochs=1", "model.word_size=6")
    encoder = CheckpointEncoder(run.path, [1], None, "token", {}, tmp_path / "cache/encodings")
    assert encoder.layers == (Layer("encoding", 6, 1), Layer("bilstm_1", 24, 1), Layer("bilstm_2", 24, 1))
    encoding, *_ = vectors_of(encoder, [TokenInContext(("adam", "geldi"), 0), TokenInContext(("ev", "adam"), 1)])
    assert np.abs(encoding[0] - encoding[1]).max() > 1e-4


def test_two_processes_learn_and_count_what_one_does(small_data, vectors, tmp_path):
    options = [*given(vectors), "model.dropout=0.0", "model.optimizer.lr=0.2"]
    one = small_run("srl", small_data, tmp_path / "one", *options)
    small = ["task=srl", "model.hidden_size=12", "trainer.threads=1", "trainer.max_epochs=2"]
    ddp = ["trainer=ddp", "trainer.devices=2", "trainer.accelerator=cpu"]
    done = run_script("train", *on_small_data(small_data, tmp_path / "two"), *small, *options, *ddp)
    assert done.returncode == 0, done.stderr
    assert only_run(tmp_path / "two", "train").name == one.name
    single, double = metrics(one.path), metrics(only_run(tmp_path / "two", "train"))
    assert single["devrole_f1"][0] == double["devrole_f1"][0]
    np.testing.assert_allclose(double["trainloss"][1:], single["trainloss"][1:], rtol=1e-4)
