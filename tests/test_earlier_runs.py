"""Runs that an earlier version left, whose files name classes by modules that are elsewhere now."""

import json
import tarfile
from pathlib import Path

import numpy as np
import pytest
import yaml

from polyprobe.analysis.results.collection import collect
from polyprobe.encoders.checkpoint import CheckpointEncoder
from polyprobe.items import TokenInContext
from polyprobe.predictors.lstm import LSTMPredictor
from polyprobe.runs.names.identity import differing_settings, what_changes_numbers
from tests.runs.composed import composed

ARCHIVE = Path(__file__).parent / "earlier_runs" / "runs.tar.xz"
WORDS = ("Bu", "kız", "evi", "görüyor", ".")
SPLITS = ("train", "dev", "test")
FILES = "data.corpora.mini"
NEW_SINCE = "data.corpora.agreement."
RUNS = {  # and their commands, but the files
    "dep-mini-learned-s1-1202de86": "task=dep lang=mini model.tag_size=2 model.hidden_size=3 model.n_layers=1 "
    "model.projection_size=3 encoder.word_size=4 encoder.least_ngram_words=8",
    "lm-mini-learned-s1-a080cf1c": "task=lm lang=mini model.word_size=4 model.hidden_size=3 task.datamodule.columns=2 "
    "task.datamodule.steps=5",
    "ner-mini-learned-s1-efdef31a": "task=ner lang=mini model.hidden_size=3 model.n_layers=1 encoder.word_size=4 "
    "encoder.least_ngram_words=8",
    "nli-mini-learned-s1-0235a67d": "task=nli lang=mini model.hidden_size=3 encoder.word_size=4 "
    "encoder.least_ngram_words=8",
    "pos-mini-char_ngrams-s1-90cd739e": "task=pos lang=mini encoder=char_ngrams encoder.tune=true encoder.width=4 "
    "model.hidden_size=3",
    "pos-mini-learned-s1-c64b804e": "task=pos lang=mini model.hidden_size=3 encoder.word_size=4 "
    "encoder.least_ngram_words=8",
    "srl-mini-learned-s1-ef064252": "task=srl lang=mini model.word_size=4 model.hidden_size=3 encoder.trigram_size=3 "
    "encoder.hidden_size=3",
}
LANGUAGE_MODEL = "lm-mini-learned-s1-a080cf1c"


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("earlier")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder / "runs", filter="data")
    (folder / "runs" / "runs").rename(folder / "runs" / "train")
    return folder


@pytest.mark.parametrize("name", RUNS)
def test_its_checkpoints_have_the_vectors_that_they_had(name, work):
    encoder = CheckpointEncoder(work / "runs/train" / name, [1], None, "token", {}, work / "cache/encodings")
    (blocks,) = encoder.encode([TokenInContext(WORDS, index) for index in range(len(WORDS))])
    expected = json.loads((work / "runs/vectors.json").read_text(encoding="utf-8"))
    for layer, found in zip(encoder.layers, blocks, strict=True):
        np.testing.assert_allclose(found, expected[f"{name}/{layer.name}"], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", RUNS)
def test_what_its_name_rests_on_holds_no_module(name, work):
    config = yaml.safe_load((work / "runs/train" / name / "config.yaml").read_text(encoding="utf-8"))
    assert "src." in json.dumps(config)
    assert "src." not in json.dumps(what_changes_numbers(config))


@pytest.mark.parametrize("name", RUNS)
def test_its_command_composes_the_same_settings_today(name, work):
    config = yaml.safe_load((work / "runs/train" / name / "config.yaml").read_text(encoding="utf-8"))
    today = composed("train", *RUNS[name].split(), *(f"{FILES}.{split}={place_of(config, split)}" for split in SPLITS))
    assert config["data"]["corpora"]["mini"]["reader"] != today["data"]["corpora"]["mini"]["reader"]
    found = differing_settings(config, today, ["model", "data", "encoder", "task"])
    assert {key for key in found if not key.startswith(NEW_SINCE)} == set()


def place_of(config, split):
    return config["data"]["corpora"]["mini"][split]


def test_its_rows_are_collected(work):
    assert {row["run"] for row in collect(work).rows} == set(RUNS)


def test_its_language_model_is_a_predictor(work):
    options = {"start": True, "first": True, "end": False, "unknown": "scored", "split_off": []}
    assert LSTMPredictor(work / "runs/train" / LANGUAGE_MODEL, "best", "cpu", **options).model_name == LANGUAGE_MODEL
