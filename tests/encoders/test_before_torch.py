"""What is said of a folder that is no run of a trained model, before anything heavy is loaded."""

import re
from pathlib import Path

import pytest

from src.encoders.before_torch import check_encoder, chosen_epochs
from src.errors import PolyprobeError


def test_the_name_of_a_run_is_answered_with_its_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("runs/train/pos-xno").mkdir(parents=True)
    with pytest.raises(PolyprobeError, match=re.escape("no folder pos-xno. Did you mean runs/train/pos-xno?")):
        chosen_epochs(Path("pos-xno"), None)
    with pytest.raises(PolyprobeError, match=re.escape("no folder pos-fi. Expected the directory of a run")):
        chosen_epochs(Path("pos-fi"), None)


def test_the_name_of_a_run_in_another_work_folder_is_answered_with_its_place(tmp_path):
    (tmp_path / "pos-xno").mkdir()
    settings = {"_target_": "src.encoders.checkpoint.CheckpointEncoder", "run": "pos-xno", "layers": None}
    with pytest.raises(PolyprobeError, match=re.escape(f"no folder pos-xno. Did you mean {tmp_path}/pos-xno?")):
        check_encoder(settings, tmp_path)


def test_a_run_of_word_vectors_is_answered_with_the_encoder_that_reads_them(tmp_path):
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors/vectors.vec").touch()
    taken = f"such as encoder=static_vectors encoder.path={tmp_path}/vectors/vectors.vec"
    said = f"has word vectors and no checkpoints. Expected the encoder that it printed, {taken}"
    with pytest.raises(PolyprobeError, match=re.escape(said)):
        chosen_epochs(tmp_path, None)
