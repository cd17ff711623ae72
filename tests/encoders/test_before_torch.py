"""What is said of a folder that is no run of a trained model, before anything heavy is loaded."""

import inspect
import re
from pathlib import Path

import pytest

from polyprobe.encoders.before_torch import check_encoder, check_predictor, chosen_epochs, known_options
from polyprobe.errors import PolyprobeError, UnknownChoice
from polyprobe.named import object_at
from polyprobe.runs.names.conf_folders import choice_files, choice_settings


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


def test_layers_above_those_of_a_folder_are_refused(tmp_path):
    (tmp_path / "config.json").write_text('{"num_hidden_layers": 6}')
    settings = {**choice_settings("encoder", "transformer"), "model": str(tmp_path)}
    check_encoder({**settings, "layers": [0, 6, "sentence_embedding"]})
    with pytest.raises(
        PolyprobeError, match=r"encoder\.layers must be a list of layers from 0 .* to 6, .* got \[0, 7\]"
    ):
        check_encoder({**settings, "layers": [0, 7]})


def test_bad_items_of_a_folder_of_vectors_are_refused(tmp_path):
    (tmp_path / "0-low.safetensors").touch()
    (tmp_path / "items.jsonl").write_text('{"form": 3}\n')
    with pytest.raises(PolyprobeError, match=r"items\.jsonl, line 1: got"):
        check_encoder({**choice_settings("encoder", "vectors"), "path": str(tmp_path)})
    check_encoder({**choice_settings("encoder", "vectors"), "path": str(tmp_path / "to_come")})


def test_an_option_that_there_is_not_is_named_with_the_nearest_one():
    settings = choice_settings("encoder", "transformer")
    with pytest.raises(UnknownChoice, match=r'encoder: the option "layer" is unknown\. Did you mean layers.*prompt'):
        check_encoder({**settings, "model": None, "layer": [1]})
    with pytest.raises(UnknownChoice, match=r'predictor: the option "reader" is unknown\. .*Known: .*split_off'):
        check_predictor({**choice_settings("predictor", "lstm"), "reader": "os.system"})


@pytest.mark.parametrize(
    ("group", "choice"), [(group, choice) for group in ("encoder", "predictor") for choice in choice_files(group)]
)
def test_the_options_that_are_known_are_those_that_the_class_takes(group, choice):
    target = choice_settings(group, choice).get("_target_", "???")
    if not target.startswith("polyprobe."):  # one's own, or vectors that are learned
        return
    taken = set(inspect.signature(object_at(target, "")).parameters)
    assert taken <= known_options(group, target) | {"options", "features"}
