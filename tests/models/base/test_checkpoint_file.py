"""A checkpoint with anything in it is opened as what it says, or refused in one line: never does it end otherwise."""

from itertools import product
from pathlib import Path

import pytest
import torch

from polyprobe.encoders.checkpoint import CheckpointEncoder
from polyprobe.encoders.inputs.trained_models import source_of
from polyprobe.errors import PolyprobeError
from polyprobe.items import TokenInContext
from polyprobe.models.base.checkpoint_file import (
    DamagedCheckpoint,
    build_model,
    fresh_model,
    load_model,
    weights_digest,
)
from polyprobe.predictors.base.predictor import NothingKept, Question
from polyprobe.predictors.lstm import LSTMPredictor
from polyprobe.predictors.word_level.trained_run import LanguageModelRun
from polyprobe.training.callbacks.checkpoints import load_to_go_on
from tests.encoders import saved_run as saved_labeller
from tests.foreign_runs import DELETED, ENCODER, TAGGER, changed, places, tagger_over_vectors, with_wrong, write_content
from tests.predictors import saved_run as saved_language_model
from tests.predictors.saved_run import NETWORK_OPTIONS

ITEMS = [TokenInContext(("Talo", "paloi", "."), 1)]


def ring() -> list:
    found: list = []
    found.append(found)
    return found


WRONG = (None, True, -1, 0, 2**40, 2**70, 0.5, float("nan"), "x", "\ud800", "os.system", [], [1], ["x", "x"], {},
         ring(), {"_target_": "os.system"}, {1: 2}, torch.zeros(2), b"x", {"x"}, [[]] * 3)  # fmt: skip
ONE_IN = 13  # of 2,829 changes; all of them hold as well, in a minute


def probed(run: Path, folder: Path) -> None:
    encoder = CheckpointEncoder(run, None, None, "token", {}, folder / "cache")
    assert list(encoder.encode(ITEMS))
    assert list(encoder.randomised(1).encode(ITEMS))


def scored(run: Path, folder: Path) -> None:
    predictor = LSTMPredictor(run, **NETWORK_OPTIONS, epoch=0)
    assert predictor.fingerprint
    assert len(predictor.answer([Question(("the", "dog"))], NothingKept()).log_probabilities)
    assert LanguageModelRun(run, "predictor.run").fresh_model(1)


def labeller(folder: Path) -> Path:
    return saved_labeller.write_run(folder, epochs=(0,))


def tagger(folder: Path) -> Path:
    return tagger_over_vectors(folder / "run")


def language_model(folder: Path) -> Path:
    return saved_language_model.write_run(folder, epochs=(0,))


@pytest.mark.parametrize(("make", "use"), [(labeller, probed), (tagger, probed), (language_model, scored)])
def test_whatever_stands_at_any_place_is_opened_or_refused(make, use, tmp_path):
    run = make(tmp_path)
    path = run / "epochs/00.ckpt"
    content = torch.load(path, weights_only=True)
    changes = list(product(places({key: content[key] for key in ("polyprobe", "state_dict")}), (*WRONG, DELETED)))
    refusals = []
    for place, wrong in changes[::ONE_IN]:
        write_content(path, with_wrong(content, place, wrong))
        try:
            load_model(path)  # what it refuses nobody uses
            use(run, tmp_path)
        except PolyprobeError as error:
            refusals.append(str(error))
        except Exception as error:
            raise AssertionError(f"{place} as {wrong!r}") from error
    assert len(refusals) > 40
    assert all("00.ckpt" in words and "\n" not in words for words in refusals)


@pytest.mark.parametrize("wrong", [None, 3, "x", [], {}, {"polyprobe": {}}, {"state_dict": {}}, ring()], ids=repr)
def test_a_file_with_anything_else_in_it_is_refused(wrong, tmp_path):
    write_content(tmp_path / "epochs/00.ckpt", wrong)
    for use in (load_model, weights_digest, load_to_go_on, lambda path: source_of(path, {}, tmp_path)):
        with pytest.raises(DamagedCheckpoint, match=r"^[^\n]*00\.ckpt: [^\n]*$"):
            use(tmp_path / "epochs/00.ckpt")


@pytest.mark.parametrize("states", [None, [], {"optimizer_states": 3}, {"optimizer_states": []}], ids=repr)
def test_training_does_not_go_on_from_a_checkpoint_that_does_not_say_where_it_stood(states, tmp_path):
    run = language_model(tmp_path)
    write_content(run / "resume/00.ckpt", states)
    with pytest.raises(DamagedCheckpoint, match=r"00\.ckpt: its entry .* does not say where training stood"):
        load_to_go_on(run / "epochs/00.ckpt")


def test_weights_that_repeat_a_few_numbers_without_end_are_refused(tmp_path):
    path = language_model(tmp_path) / "epochs/00.ckpt"
    endless = torch.zeros(1).expand(2**40)
    changed(path, lambda content: content["state_dict"].update(x=endless))
    with pytest.raises(DamagedCheckpoint, match="named, dense tensors"):
        load_model(path)


def sentence_model(**encoder) -> dict:
    names = {"objective": "objectives.pair_inference.PairInference", "head": "layers.pair_classifier.PairClassifier",
             "encoder": "sentence_networks.gated_convnet.GatedConvNet"}  # fmt: skip
    sizes = {"encoder": {"dropout": 0.0, "pooling": "max", **encoder}, "head": {"hidden_size": 5}}
    parts = {
        part: {"_target_": f"polyprobe.models.{name}", "_partial_": True, **sizes.get(part, {})}
        for part, name in names.items()
    }
    model = {**TAGGER, "_target_": "polyprobe.models.sentence_model.SentenceModel", **parts, "clip_norm": None}
    del model["hidden_size"], model["n_layers"], model["dropout"]
    reader = {"_target_": "polyprobe.models.inputs.frozen_vectors.FrozenVectors", "width": 4, "reads_context": False,
              "fingerprint": "x", "tuned": [], "case": "kept"}  # fmt: skip
    inputs = {"reader": reader, "target": {"labels": ["a", "b"]}}
    return {"model": {**model, "rate_decay": None}, "inputs": inputs, "encoder": ENCODER}


def test_sizes_whose_product_its_weights_cannot_fill_take_no_memory(tmp_path):
    saved = sentence_model(hidden_size=1000, n_layers=9, kernel_size=999)  # 68 GB
    numbers = {f"x{number}": torch.zeros(1) for number in range(10)}
    write_content(tmp_path / "00.ckpt", {"polyprobe": saved, "state_dict": numbers})
    for use in (load_model, lambda path: fresh_model(path, 1)):
        with pytest.raises(
            DamagedCheckpoint, match=r"its tensors do not fit polyprobe\.models\.sentence_model\.SentenceModel"
        ):
            use(tmp_path / "00.ckpt")


def test_a_sentence_model_that_its_weights_fill_is_built(tmp_path):
    saved = sentence_model(hidden_size=4, n_layers=2, kernel_size=3)
    state = build_model(saved["model"], saved["inputs"]).state_dict()
    write_content(tmp_path / "00.ckpt", {"polyprobe": saved, "state_dict": state})
    loaded = load_model(tmp_path / "00.ckpt")
    assert all(tensor.equal(state[name]) for name, tensor in loaded.state_dict().items())
    assert not any(tensor.is_meta for tensor in [*loaded.parameters(), *loaded.buffers()])
