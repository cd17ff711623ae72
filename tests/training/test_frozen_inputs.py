"""Frozen encoders as the inputs of downstream tasks: trained, probed, and refused where the vectors are others now."""

import sys

import numpy as np
import pytest
import torch

from polyprobe.encoders.checkpoint import CheckpointEncoder
from polyprobe.encoders.elmo import ElmoEncoder
from polyprobe.encoders.static_vectors import StaticVectors
from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.formats.files.digest import file_digest
from polyprobe.items import Form, TokenInContext
from polyprobe.models.base.checkpoint_file import DamagedCheckpoint, write_digest
from polyprobe.training.callbacks.history import History
from tests.commands.forked import run_script
from tests.encoders.saved_elmo import allennlp_arrays, write_allennlp
from tests.encoders.tiny_transformers import write_transformer
from tests.training.five_tasks import make_pairs
from tests.training.in_process import small_options, small_run
from tests.training.same_runs import assert_same
from tests.training.small_vectors import given, write_vectors

LEARNS = ["trainer.max_epochs=10", "model.dropout=0.0", "task.datamodule.batch_sentences=8"]
OWN = """
import numpy as np

from polyprobe.encoders.base.encoder import Layer
from polyprobe.items import Form


class Lengths:
    layers, accepts, fingerprint = (Layer("length", 2),), frozenset({Form}), "lengths"

    def encode(self, items):
        yield (np.array([[len(item.form), ord(item.form[-1]) % 7] for item in items], np.float32),)
"""


@pytest.fixture(scope="module")
def vectors(small_data, tmp_path_factory):
    return write_vectors(tmp_path_factory.mktemp("vectors") / "words.vec", small_data, left_out=12)


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def tagged(small_data, work, vectors):
    """A tagger that reads the vectors."""
    return small_run("pos", small_data, work, *given(vectors), *LEARNS)


def encoder_options(kind: str, folder, vectors, monkeypatch) -> list[str]:
    if kind == "static_vectors":
        return given(vectors)
    if kind == "transformer":
        return ["encoder=transformer", f"encoder.model={write_transformer(folder / 'bert', 'bert')}"]
    (folder / "own_lengths.py").write_text(OWN, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])
    return ["encoder=own", "encoder._target_=own_lengths.Lengths"]


@pytest.mark.parametrize(
    ("task", "kind"),
    [
        ("dep", "static_vectors"),
        ("nli", "static_vectors"),
        ("pos", "transformer"),
        ("ner", "own"),
    ],
)
def test_every_task_reads_the_vectors_of_an_encoder(task, kind, small_data, vectors, tmp_path, monkeypatch):
    options = encoder_options(kind, tmp_path, vectors, monkeypatch)
    more = ["lang=en", f"paths.data={make_pairs(tmp_path / 'data')}"] if task == "nli" else []
    run = small_run(task, small_data, tmp_path / "work", *options, *more)
    assert f"-{kind}-s1-" in run.name
    losses = np.genfromtxt(run.path / "metrics.csv", delimiter=",", names=True)["trainloss"]
    assert losses[2] < losses[1]
    assert {row["encoder"] for row in run.rows() if row["stage"] in ("training", "test")} == {kind}


def test_a_tagger_makes_more_of_good_vectors_than_of_the_most_frequent_tag(tagged):
    rows = [row for row in tagged.rows() if (row["metric"], row["split"]) == ("accuracy", "dev")]
    accuracy = {row["stage"]: row["value"] for row in rows}
    assert accuracy["test"] > accuracy["baseline"] + 0.1


def test_rows_say_which_words_train_lacks_and_which_the_vectors_lack(tagged):
    rows = [row for row in tagged.rows() if row["metric"] in ("oov", "encoder_oov")]
    assert sorted((row["metric"], row["split"]) for row in rows) == [
        *(("encoder_oov", split) for split in ("dev", "test", "train")),  # LINSPECTOR, Table A.3
        *(("oov", split) for split in ("dev", "test")),
    ]
    assert 0 < next(row["value"] for row in rows if row["metric"] == "encoder_oov") < 0.2


def test_the_same_vectors_from_another_path_are_the_same_run(tagged, small_data, work, vectors, tmp_path, capsys):
    moved = tmp_path / "elsewhere.vec"
    moved.write_bytes(vectors.read_bytes())
    again = small_run("pos", small_data, work, *given(moved), *LEARNS)
    assert again.path == tagged.path
    assert "is finished" in capsys.readouterr().out


def test_what_the_cache_holds_already_changes_no_number(small_data, vectors, tmp_path):
    first, second = (tmp_path / name for name in ("first", "second"))
    small_run("ner", small_data, second, *given(vectors), "trainer.max_epochs=1")
    runs = [small_run("pos", small_data, work, *given(vectors)) for work in (first, second)]
    metrics = [(run.path / "metrics.csv").read_bytes() for run in runs]
    assert metrics[0] == metrics[1]


class CutOff(Exception):
    """Ends a run in the middle, as far as it knows."""


def cut_off_after_two_epochs(history, trainer):
    if len(history.rows) == 3:
        raise CutOff
    ADD_EPOCH(history, trainer)


ADD_EPOCH = History.add_epoch


def test_a_run_that_is_cut_off_goes_on_exactly(small_data, vectors, tmp_path, monkeypatch):
    options = [*given(vectors), "encoder.tune=true", "trainer.max_epochs=4"]
    with monkeypatch.context() as patched:
        patched.setattr(History, "add_epoch", cut_off_after_two_epochs)
        with pytest.raises(CutOff):
            small_run("pos", small_data, tmp_path / "cut", *options)
    run, whole = (small_run("pos", small_data, tmp_path / name, *options) for name in ("cut", "whole"))
    assert len(run.record()["starts"]) == 2
    assert_same(run.path, whole.path)


def test_two_processes_with_half_of_each_batch_learn_as_one(small_data, vectors, tmp_path):
    options = [*given(vectors), "encoder.tune=true", "model.dropout=0.0"]
    one = small_run("pos", small_data, tmp_path / "one", *options)
    ddp = ["trainer=ddp", "trainer.devices=2", "trainer.accelerator=cpu"]
    done = run_script("train", *small_options("pos", small_data, tmp_path / "two", *options, *ddp))
    assert done.returncode == 0, done.stderr
    numbers = [np.genfromtxt(run / "metrics.csv", delimiter=",", names=True)
               for run in (one.path, tmp_path / "two/runs/train" / one.name)]  # fmt: skip
    for name in ("devaccuracy", "trainloss"):
        np.testing.assert_allclose(numbers[1][name], numbers[0][name], rtol=1e-5)


def lookup(vectors) -> StaticVectors:
    return StaticVectors(vectors, None, "shared", 1, True, True)


def layer(encoder, items, number=0):
    return np.concatenate([part[number] for part in encoder.encode(items)])


def test_the_lowest_layer_of_a_checkpoint_is_the_frozen_vector_also_of_sentences_never_seen(tagged, work, vectors):
    items = [Form("Adam"), Form("neverseen"), TokenInContext(("Adam", "neverseen", "geldi"), 2)]
    encoder = CheckpointEncoder(tagged.path, [0, 2], None, "type", {}, work / "cache/encodings")
    assert [one.name for one in encoder.layers] == ["words", "words"]
    np.testing.assert_array_equal(layer(encoder, items), layer(lookup(vectors), items))
    both = CheckpointEncoder(tagged.path, [2], None, "token", {}, work / "cache/encodings")
    assert [one.name for one in both.layers] == ["words", "bilstm"]
    assert np.isfinite(layer(both.randomised(1), items, 1)).all()


def test_layers_that_read_a_sentence_do_not_pass_for_words(small_data, tmp_path):
    options = ["encoder=transformer", f"encoder.model={write_transformer(tmp_path / 'bert', 'bert')}"]
    run = small_run("pos", small_data, tmp_path, *options, "trainer.max_epochs=1")
    with pytest.raises(PolyprobeError, match=r"suite=linspector_token.*words, bilstm"):
        CheckpointEncoder(run.path, [1], None, "type", {}, tmp_path)
    named = CheckpointEncoder(run.path, [1], ["words"], "type", {}, tmp_path)
    assert layer(named, [Form("adam")]).shape == (1, 8)
    saved = torch.load(run.path / "last", weights_only=True)["polyprobe"]["encoder"]["settings"]
    assert saved["layers"] == [2]  # the topmost of 0, 1 and 2


def test_a_run_whose_vectors_changed_or_are_gone_is_not_probed(small_data, vectors, tmp_path):
    mine = tmp_path / "mine.vec"
    mine.write_bytes(vectors.read_bytes())
    run = small_run("pos", small_data, tmp_path, *given(mine), "trainer.max_epochs=1")
    mine.write_text(vectors.read_text(encoding="utf-8").replace(" 1.0 ", " 0.9 ", 1), encoding="utf-8")
    with pytest.raises(PolyprobeError, match=r"other vectors than those of .*StaticVectors with path=.*mine\.vec"):
        CheckpointEncoder(run.path, None, None, "type", {}, tmp_path)
    mine.unlink()
    with pytest.raises(PolyprobeError, match=r"cannot be opened again.*mine\.vec"):
        CheckpointEncoder(run.path, None, None, "type", {}, tmp_path)
    assert CheckpointEncoder(run.path, None, None, "type", {"path": str(vectors)}, tmp_path).layers


def test_a_file_of_a_run_does_not_say_which_class_of_ones_own_is_executed(small_data, tmp_path, monkeypatch):
    options = encoder_options("own", tmp_path, None, monkeypatch)
    run = small_run("pos", small_data, tmp_path, *options, "trainer.max_epochs=1")
    with pytest.raises(DamagedCheckpoint, match="one that conf/encoder of your own folder names"):
        CheckpointEncoder(run.path, None, None, "type", {}, tmp_path)


def test_tuning_moves_the_words_of_train_and_no_other(small_data, vectors, tmp_path):
    run = small_run("pos", small_data, tmp_path, *given(vectors), "encoder.tune=true", "probe_each_epoch=[Case]",
                    "probe.max_epochs=1")  # fmt: skip
    encoder = CheckpointEncoder(run.path, [0, 2], None, "type", {}, tmp_path / "cache/encodings")
    items = [Form("."), Form("neverseen")]
    before, after = layer(encoder, items, 0), layer(encoder, items, 1)
    np.testing.assert_array_equal(before, layer(lookup(vectors), items))
    assert np.abs(after[0] - before[0]).max() > 1e-4
    np.testing.assert_array_equal(after[1], before[1])
    assert encoder.randomised(1).layers


@pytest.mark.parametrize("kind", ["learned", "transformer"])
def test_tuning_is_for_vectors_of_words_that_are_given(kind, small_data, tmp_path):
    transformer = ["encoder=transformer", f"encoder.model={write_transformer(tmp_path / 'bert', 'bert')}"]
    options = transformer if kind == "transformer" else []
    with pytest.raises(BadValue, match=r"encoder\.tune"):
        small_run("pos", small_data, tmp_path, *options, "encoder.tune=true")


def test_an_encoder_that_counts_is_refused(small_data, tmp_path):
    with pytest.raises(PolyprobeError, match="no vectors of words"):
        small_run("pos", small_data, tmp_path, "encoder=length")


def test_vectors_of_no_word_at_all_still_train(small_data, tmp_path):
    empty = tmp_path / "empty.vec"
    empty.write_text("0 4\n", encoding="utf-8")
    run = small_run("pos", small_data, tmp_path, *given(empty), "trainer.max_epochs=1")
    assert {row["value"] for row in run.rows() if row["metric"] == "encoder_oov"} == {1.0}


@pytest.mark.parametrize(("name", "is_alone"), [("d_elmo", True), ("c_elmo", False)])
def test_a_word_of_two_sentences_is_one_input_without_context(name, is_alone, small_data, tmp_path):
    path = write_allennlp(tmp_path / "elmo", allennlp_arrays(1))
    run = small_run("pos", small_data, tmp_path, f"encoder={name}", f"encoder.path={path}", "trainer.max_epochs=1")
    assert {row["encoder"] for row in run.rows() if row["stage"] == "test"} == {name}
    reader = CheckpointEncoder(run.path, [1], ["words"], "token", {}, tmp_path / "cache/encodings")
    first, second, alone = layer(
        reader, [TokenInContext(("ev", "geldi"), 1), TokenInContext(("adam", "geldi", "."), 1), Form("geldi")]
    )
    assert np.array_equal(first, second) == is_alone
    assert np.array_equal(first, alone) == is_alone
    lower_cased = ElmoEncoder(path, ["average"], True, True, 64, "cpu", "none")
    np.testing.assert_allclose(alone, layer(lower_cased, [Form("geldi")])[0], rtol=0, atol=1e-6)


def test_without_context_words_can_be_tuned_and_stand_for_themselves(small_data, tmp_path):
    bert = write_transformer(tmp_path / "bert", "bert")
    options = ["encoder=transformer", f"encoder.model={bert}", "encoder.context=none", "encoder.tune=true"]
    run = small_run("pos", small_data, tmp_path, *options, "trainer.max_epochs=1")
    assert [one.name for one in CheckpointEncoder(run.path, [1], None, "type", {}, tmp_path).layers] == ["words"]


def test_a_run_of_an_earlier_version_that_does_not_say_the_context_read_the_sentence(small_data, tmp_path):
    path = write_allennlp(tmp_path / "elmo", allennlp_arrays(1))
    run = small_run("pos", small_data, tmp_path, "encoder=c_elmo", f"encoder.path={path}", "trainer.max_epochs=1")
    best = run.checkpoint(1)
    content = torch.load(best, weights_only=True)
    assert content["polyprobe"]["encoder"]["settings"].pop("context") == "sentence"
    torch.save(content, best)
    write_digest(best, file_digest(best))
    assert CheckpointEncoder(run.path, [1], ["words"], "token", {}, tmp_path / "cache/encodings").layers
