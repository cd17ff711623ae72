"""Kept probes: what they predict, what is read of a file, and what a run with them is called."""

import json
import struct

import numpy as np
import pytest
import safetensors.numpy

from polyprobe.errors import PolyprobeError, UnknownChoice
from polyprobe.probing.door import probe_settings
from polyprobe.probing.earlier_run import earlier_run, kept_probes
from polyprobe.probing.kept_probe import load_probe
from polyprobe.probing.settings import ProbingSettings
from polyprobe.runs.array_records import Predictions
from tests.commands.scripts import with_mini
from tests.probed import probe
from tests.runs.composed import composed

KINDS = {
    "mlp": ["probe=mlp", "seeds=2"],
    "linear": ["probe=linear"],
    "standard": ["probe=linear", "probe.scale=standard", "cache.number=float16"],
    "sigmoid": [
        "probe=mlp",
        "probe.activation=sigmoid",
        "probe.dropout_place=before_activation",
        "cache.number=float16",
    ],
    "senteval": ["probe=senteval", "probe.epochs_per_evaluation=1"],
    "rusenteval": ["probe=rusenteval"],
    "mdl": ["probe=mdl", "probe.portions=[0.1,0.3,1]"],
    "of_tests": ["probe=mlp", "+probe.of_tests={Case: {hidden_size: null, dropout: 0.0}}"],
}
TESTS = ["Case", "SameFeat"]


def settings(work, *more):
    config = composed(
        "probe", "lang=mini", "tests=[Case,SameFeat]", "encoder.width=24", "trainer.threads=1", f"paths.work={work}",
        "probe.max_epochs=1", *more,
    )  # fmt: skip
    return ProbingSettings.of(probe_settings(config))


@pytest.fixture(scope="module")
def work(tmp_path_factory, mini_folder):
    return with_mini(mini_folder, tmp_path_factory.mktemp("work"))


def run_vectors(asked, run, test):
    """Returns the vectors of the test items of a run, those of a pair side by side."""
    earlier = earlier_run(run, asked.workspace)
    (read,) = earlier.design([test]).tests
    items = [item for items in read.test.items for item in items]
    encoded = earlier.encoded(items)
    return encoded.matrix(0)[encoded.rows(items)].reshape(len(read.test.items), -1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_kept_probe_predicts_what_its_run_did(kind, work):
    asked = settings(work, *KINDS[kind], "probe.keep=true")
    run = probe(asked)
    for test in TESTS:
        known, vectors = Predictions.read(run.predictions / f"{test}.npz"), run_vectors(asked, run, test)
        for place, seed in enumerate(known.seeds):
            kept = load_probe(run.probe(test, "char_ngrams", None, seed))
            np.testing.assert_array_equal(kept.predict(vectors), known.labels[known.predicted[0, place]])
            np.testing.assert_allclose(kept.probabilities(vectors).sum(axis=1), 1)
            assert (kept.test, kept.seed, kept.labels) == (test, seed, tuple(known.labels))
            assert kept.parts == (2 if test == "SameFeat" else 1)


def files_of(run):
    return {path.name: path.read_bytes() for path in (run.config, run.results, *run.predictions.iterdir())}


def test_a_run_is_the_same_with_kept_probes_and_a_finished_one_is_completed(work):
    plain = probe(settings(work, "probe.hidden_size=20"))
    before = files_of(plain)
    assert not plain.probes.exists()
    completed = probe(settings(work, "probe.hidden_size=20", "probe.keep=true"))
    assert completed.path == plain.path
    assert files_of(completed) == before
    written = {path: path.stat().st_mtime_ns for path in completed.probes.iterdir()}
    assert set(written) == set(kept_probes(completed))
    lost = next(iter(written))
    lost.unlink()
    probe(settings(work, "probe.hidden_size=20", "probe.keep=true"))
    assert {path for path, time in written.items() if path.stat().st_mtime_ns == time} == {*written} - {lost}


@pytest.fixture(scope="module")
def linear(work):
    return load_probe(probe(settings(work, "probe=linear", "probe.keep=true")).probe("Case", "char_ngrams", None, 1))


def test_the_direction_of_a_label_is_its_weights_over_the_mean_of_the_others(linear):
    shifted = np.zeros((2, linear.width), np.float32)
    shifted[1] = 100 * linear.direction("Genitive")
    before, after = linear.probabilities(shifted)[:, linear.labels.index("Genitive")]
    assert after > before
    np.testing.assert_allclose(sum(linear.direction(label) for label in linear.labels), 0, atol=1e-5)
    with pytest.raises(UnknownChoice, match="Did you mean Genitive"):
        linear.direction("Gentive")


def test_a_probe_with_a_hidden_layer_has_no_direction(work):
    run = probe(settings(work, "probe=mlp", "probe.keep=true"))
    with pytest.raises(PolyprobeError, match="a hidden layer of 300, hence no direction"):
        load_probe(run.probe("Case", "char_ngrams", None, 1)).direction("Genitive")


@pytest.mark.parametrize(
    ("vectors", "found"),
    [
        (np.zeros((2, 23)), r"\[items, 24\], got 'float64 \[2, 23\]'"),
        (np.zeros(24), r"got 'float64 \[24\]"),
        (np.array([["a"] * 24]), r"got '<U1 \[1, 24\]"),
        ([[0.0] * 24, [float("nan")] * 24], "item 1 are not all finite"),
    ],
)
def test_vectors_that_are_none_of_the_layer_are_refused(linear, vectors, found):
    with pytest.raises(PolyprobeError, match=found):
        linear.predict(vectors)


def test_no_vectors_have_no_labels(linear):
    assert linear.predict(np.zeros((0, 24))).shape == (0,)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["encoder=tfidf"], "encoder=tfidf counts words anew"),
        (["encoder=tfidf", "probe=mlp"], "encoder=tfidf counts words anew"),
        (["probe.keep=yes please"], "probe.keep must be true or false"),
    ],
)
def test_what_cannot_be_kept_is_refused(work, options, found):
    config = composed("probe", "lang=mini", f"paths.work={work}", "probe.keep=true", *options)
    with pytest.raises(PolyprobeError, match=found):
        probe(ProbingSettings.of(probe_settings(config)))


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"format": "other"}, 'its format is "other"'),
        ({"sha256": "0"}, "differs from its digest"),
        ({"about": "["}, "differs from its digest"),
    ],
)
def test_a_file_that_is_no_longer_what_was_written_is_refused(work, tmp_path, changes, found):
    run = probe(settings(work, "probe=linear", "probe.keep=true"))
    content = run.probe("Case", "char_ngrams", None, 1).read_bytes()
    header = json.loads(content[8 : 8 + struct.unpack("<Q", content[:8])[0]])["__metadata__"]
    place = tmp_path / "a.safetensors"
    place.write_bytes(safetensors.numpy.save(safetensors.numpy.load(content), {**header, **changes}))
    with pytest.raises(PolyprobeError, match=found):
        load_probe(place)


def test_a_damaged_or_absent_file_is_named(work, tmp_path):
    run = probe(settings(work, "probe=linear", "probe.keep=true"))
    whole = run.probe("Case", "char_ngrams", None, 1).read_bytes()
    place = tmp_path / "a.safetensors"
    flipped = bytearray(whole)
    flipped[-1] ^= 1
    for content in (b"", whole[:100], whole[:-5], bytes(flipped), b"\x80\x04pickle", bytes(8) + whole):
        place.write_bytes(content)
        with pytest.raises(PolyprobeError, match="is not a kept probe, or damaged"):
            load_probe(place)
    with pytest.raises(PolyprobeError, match="No such file"):
        load_probe(tmp_path / "b.safetensors")
    with pytest.raises(PolyprobeError, match="Is a directory"):
        load_probe(tmp_path)
