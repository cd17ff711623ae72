"""What cannot be the inputs of a task."""

import pytest

from polyprobe.encoders.cache.store import VectorCache
from polyprobe.errors import Impossible
from polyprobe.runs.names.choice import Choice
from polyprobe.training.run import chosen_inputs
from polyprobe.training.settings import InputSettings
from tests.encoders.kinds.static_vectors import ROWS


def test_an_untrained_sentence_encoder_gives_no_vectors_of_words(tmp_path):
    (tmp_path / "words.vec").write_text(ROWS, encoding="utf-8")
    options = {
        "_target_": "polyprobe.encoders.untrained.UntrainedEncoder", "model": "bilstm_max", "seed": 1,
        "network": {"hidden_size": 6, "n_layers": 1}, "path": str(tmp_path / "words.vec"), "lowercase": False,
        "dotless_i": False, "cache": str(tmp_path / "cache"),
    }  # fmt: skip
    choice = Choice("encoder", "untrained", options)
    settings = InputSettings(choice=choice, tune=False, cache=VectorCache(folder=tmp_path))
    with pytest.raises(Impossible, match="encoder=untrained has vectors of sentences"):
        chosen_inputs(settings)
