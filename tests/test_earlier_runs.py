"""Runs that an earlier version left, whose files name classes by modules that are elsewhere now."""

import json
import tarfile
from pathlib import Path

import numpy as np
import pytest
import yaml

from src.analysis.results.collection import collect
from src.encoders.checkpoint import CheckpointEncoder
from src.items import TokenInContext
from src.predictors.lstm import LSTMPredictor
from src.runs.names.identity import differing_settings, what_changes_numbers

ARCHIVE = Path(__file__).parent / "earlier_runs" / "runs.tar.xz"
WORDS = ("Bu", "kız", "evi", "görüyor", ".")
RUNS = ("dep-mini-learned-s1-1202de86", "lm-mini-learned-s1-a080cf1c", "ner-mini-learned-s1-efdef31a",
        "nli-mini-learned-s1-0235a67d", "pos-mini-char_ngrams-s1-90cd739e", "pos-mini-learned-s1-c64b804e",
        "srl-mini-learned-s1-ef064252")  # fmt: skip


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


def test_it_differs_from_a_run_of_today_in_no_class_or_reader(work):
    config = yaml.safe_load((work / "runs/train" / RUNS[6] / "config.yaml").read_text(encoding="utf-8"))
    today = json.loads(
        json.dumps(config)
        .replace("src.models.role_labeller.", "src.elsewhere.")
        .replace(
            "src.formats.universal_propbank.labelled_sentences", "src.elsewhere.reader.universal_propbank_sentences"
        )
    )
    assert today != config
    assert differing_settings(config, today, ["model", "data", "encoder", "task"]) == {}


def test_its_rows_are_collected(work):
    assert {row["run"] for row in collect(work).rows} == set(RUNS)


def test_its_language_model_is_a_predictor(work):
    options = {"start": True, "first": True, "end": False, "unknown": "scored", "split_off": []}
    assert LSTMPredictor(work / "runs/train" / RUNS[1], "best", "cpu", **options).model_name == RUNS[1]
