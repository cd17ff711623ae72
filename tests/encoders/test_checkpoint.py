"""What the checkpoint encoder alone promises; the promises of every encoder stand in test_contract.py."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch

from polyprobe.encoders import checkpoint
from polyprobe.encoders.base.encoder import Layer
from polyprobe.encoders.checkpoint import CheckpointEncoder, chosen_epochs
from polyprobe.errors import PolyprobeError, UnknownChoice
from polyprobe.formats.files.digest import file_digest
from polyprobe.items import Form, Sentence, TokenInContext
from polyprobe.models.base.checkpoint_file import DamagedCheckpoint, load_model, write_digest
from tests.encoders.saved_run import opened, write_run
from tests.predictors import saved_run as saved_language_model

WORDS = ("Talo", "paloi", ".")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return write_run(tmp_path_factory.mktemp("work"))


def vectors(encoder, items):
    return [np.concatenate(layer) for layer in zip(*encoder.encode(items), strict=True)]


def test_every_epoch_and_layer_is_a_layer(run):
    assert opened(run, None, None, "token").layers == (
        *(Layer("encoding", 5, 0), Layer("bilstm", 12, 0)),
        *(Layer("encoding", 5, 2), Layer("bilstm", 12, 2)),
        *(Layer("encoding", 5, 10), Layer("bilstm", 12, 10)),
    )


def test_epochs_and_layers_can_be_chosen_in_any_order(run):
    layers = opened(str(run), [10, 0, 10], ["encoding"], "token").layers
    assert layers == (Layer("encoding", 5, 0), Layer("encoding", 5, 10))
    both = opened(run, [0], ["bilstm", "encoding"], "token")
    assert both.fingerprint == opened(run, [0], None, "token").fingerprint


def test_vectors_are_those_of_the_models_words(run):
    """A token has the vector at its index, a sentence the mean, a form that of a sentence of one word."""
    items = [TokenInContext(WORDS, 1), Sentence(WORDS), Form("paloi")]
    encoding, bilstm = vectors(opened(run, [2], None, "token"), items)
    model = load_model(run / "epochs" / "02.ckpt")
    of_words = {name: tensor.numpy() for name, tensor in model.layer_vectors([WORDS, ("paloi",)]).items()}
    for found, name in ((encoding, "encoding"), (bilstm, "bilstm")):
        expected = [of_words[name][1], of_words[name][:3].mean(axis=0), of_words[name][3]]
        np.testing.assert_allclose(found, expected, atol=1e-6)


def test_the_word_encoding_knows_no_context_and_the_next_layer_does(run):
    items = [TokenInContext(WORDS, 1), Form("paloi")]
    encoding, bilstm = vectors(opened(run, [2], None, "token"), items)
    np.testing.assert_allclose(encoding[0], encoding[1], atol=1e-6)
    assert not np.allclose(bilstm[0], bilstm[1], atol=1e-3)


def test_small_blocks_give_the_same_vectors(run, monkeypatch):
    items = [Sentence(tuple(f"w{word}" for word in range(1 + number % 7))) for number in range(30)]
    expected = vectors(opened(run, [0], None, "token"), items)
    monkeypatch.setattr(checkpoint, "BLOCK_ITEMS", 4)
    for found, layer in zip(vectors(opened(run, [0], None, "token"), items), expected, strict=True):
        np.testing.assert_allclose(found, layer, atol=1e-5)


def test_an_epoch_that_is_not_there_names_those_that_are(run):
    with pytest.raises(PolyprobeError, match=r"encoder\.epochs: .* no checkpoint of epoch 99\. There: 0, 2, 10\."):
        opened(run, [0, 99], None, "token")


def test_a_misspelt_layer_names_the_near_and_the_known_ones(run):
    with pytest.raises(UnknownChoice, match=r'encoder\.layers "encodings" is unknown\. Did you mean encoding\?'):
        opened(run, None, ["encodings"], "token")


def test_a_folder_without_checkpoints_is_refused(tmp_path):
    with pytest.raises(PolyprobeError, match=r"has no checkpoints\. Expected the directory of a run"):
        opened(tmp_path, None, None, "token")


def test_a_damaged_checkpoint_is_refused(tmp_path):
    run = write_run(tmp_path, epochs=(0, 1))
    path = run / "epochs" / "01.ckpt"
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(DamagedCheckpoint, match=r"01\.ckpt"):
        opened(run, None, None, "token")


def test_only_what_a_vector_depends_on_enters_the_fingerprint(tmp_path):
    run = write_run(tmp_path, epochs=(1,))
    before = opened(run, None, None, "token").fingerprint
    path = run / "epochs" / "01.ckpt"
    content = torch.load(path, weights_only=True)

    def fingerprint_with(changed):
        torch.save(changed, path)
        write_digest(path, file_digest(path))
        return opened(run, None, None, "token").fingerprint

    assert fingerprint_with({**content, "callbacks": {"History": 1}}) == before
    content["state_dict"]["encoding.bias"] += 1
    assert fingerprint_with(content) != before


def test_a_type_level_suite_takes_the_layers_that_read_a_word_alone(run):
    assert [layer.name for layer in opened(run, [0], None, "type").layers] == ["encoding"]


def test_words_are_unknown_to_a_vocabulary_and_none_to_trigrams(run, tmp_path):
    assert opened(run, [0], None, "token").known(["Talo", "zzz"]) is None
    model = CheckpointEncoder(saved_language_model.write_run(tmp_path), [0], None, "type", {}, tmp_path)
    assert model.known([saved_language_model.WORDS[0], "zzz"]).tolist() == [True, False]


def test_the_random_counterpart_has_fresh_weights_and_each_layer_once(run):
    trained = opened(run, None, None, "token")
    fresh = trained.randomised(2)
    assert fresh.layers == (Layer("encoding", 5), Layer("bilstm", 12))
    items = [TokenInContext(WORDS, 1), Form("paloi")]
    for epoch in range(3):  # epoch 2 was initialised with seed 2
        for before, after in zip(vectors(trained, items)[2 * epoch :], vectors(fresh, items), strict=False):
            assert not np.allclose(before, after, atol=1e-3)


def test_a_random_counterpart_depends_on_its_seed_alone(run, tmp_path):
    other = write_run(tmp_path, epochs=(7,))
    first, same = (opened(folder, None, ["encoding"], "token").randomised(1) for folder in (run, other))
    assert first.fingerprint == same.fingerprint
    np.testing.assert_array_equal(*(vectors(one, [Form("talo")])[0] for one in (first, same)))
    assert first.fingerprint != opened(run, None, ["encoding"], "token").randomised(2).fingerprint


def test_the_name_of_a_run_is_answered_with_its_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("runs/train/pos-xno").mkdir(parents=True)
    with pytest.raises(PolyprobeError, match=re.escape("no folder pos-xno. Did you mean runs/train/pos-xno?")):
        chosen_epochs(Path("pos-xno"), None)
    with pytest.raises(PolyprobeError, match=re.escape("no folder pos-fi. Expected the directory of a run")):
        chosen_epochs(Path("pos-fi"), None)


def test_a_run_of_word_vectors_is_answered_with_the_encoder_that_reads_them(tmp_path):
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors/vectors.vec").touch()
    taken = f"such as encoder=static_vectors encoder.path={tmp_path}/vectors/vectors.vec"
    said = f"has word vectors and no checkpoints. Expected the encoder that it printed, {taken}"
    with pytest.raises(PolyprobeError, match=re.escape(said)):
        chosen_epochs(tmp_path, None)
