"""D-ELMo and C-ELMo on token-level tests: what a probe learns of a word with and without its sentence."""

import numpy as np
import pytest

from polyprobe.encoders.base.build import make_encoder
from polyprobe.encoders.cache.store import VectorCache, encoded
from polyprobe.errors import Impossible
from polyprobe.formats.files.arrays import read_arrays
from polyprobe.items import Form, TokenInContext
from polyprobe.probing.door import probe_settings
from polyprobe.probing.settings import ProbingSettings
from tests.encoders.saved_elmo import allennlp_arrays, write_allennlp
from tests.encoders.tiny_transformers import write_transformer
from tests.probed import probe
from tests.runs.composed import composed

# The same word everywhere; its label is that of the word before it.
ROWS = "".join(
    f"{word} talo {end}\t1\t{label}\n" for word, label in (("ei", "Neg"), ("on", "Pos")) for end in "abcdefgh"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("context")
    write_allennlp(folder / "elmo", allennlp_arrays(1))
    write_transformer(folder / "bert", "bert")
    (folder / "tests/Polarity").mkdir(parents=True)
    for split in ("train", "dev", "test"):
        (folder / f"tests/Polarity/{split}.txt").write_text(ROWS)
    return folder


def config_of(folder, *options):
    suite = ["suite=own", "lang=fi", f"suite.path={folder / 'tests'}", "suite.format=linspector", "suite.level=token"]
    return composed("probe", *suite, *options, "probe=linear", f"paths.work={folder / 'work'}", "trainer.threads=1")


def elmo(name, folder):
    return [f"encoder={name}", f"encoder.path={folder / 'elmo'}"]


def predicted(run):
    (path,) = run.predictions.glob("*.npz")
    return read_arrays(path)["predicted"]


def test_without_context_every_item_of_a_word_is_predicted_alike(folder):
    config = config_of(folder, *elmo("d_elmo", folder))
    run = probe(ProbingSettings.of(probe_settings(config)))
    assert "-d_elmo-s1-" in run.name
    sources = run.record()["sources"]
    assert (sources["data"], sources["vectors"]["depth"]) == ({"Polarity": ""}, 3)
    assert len(np.unique(predicted(run))) == 1
    rows = [row for row in run.rows() if row["stage"] == "probing"]
    assert {(row["encoder"], row["layer"], row["value"]) for row in rows if row["metric"] == "accuracy"} == {
        ("d_elmo", "average", 0.5)
    }


def test_with_context_a_probe_learns_from_the_words_around(folder):
    config = config_of(folder, *elmo("c_elmo", folder))
    run = probe(ProbingSettings.of(probe_settings(config)))
    assert len(np.unique(predicted(run))) == 2
    (value,) = {row["value"] for row in run.rows() if (row["stage"], row["metric"]) == ("probing", "accuracy")}
    assert value == 1.0


@pytest.mark.parametrize("kind", ["elmo", "transformer"])
def test_the_kept_vectors_of_a_word_in_two_sentences_are_those_of_the_word_alone(folder, tmp_path, kind):
    items = [TokenInContext(("ei", "talo"), 1), TokenInContext(("on", "talo", "a"), 1), Form("talo")]
    options = elmo("elmo", folder) if kind == "elmo" else ["encoder=transformer", f"encoder.model={folder / 'bert'}"]
    for context, is_alone in (("none", True), ("sentence", False)):
        settings = config_of(folder, *options, f"encoder.context={context}")["encoder"]
        vectors = encoded(make_encoder(settings), items, VectorCache(folder=tmp_path))
        first, second, alone = vectors.matrix(len(vectors.layers) - 1)[vectors.rows(items)]
        assert np.array_equal(first, second) == is_alone
        assert np.array_equal(first, alone) == is_alone


def test_a_suite_of_sentences_is_refused_without_context(folder, tmp_path):
    test = "".join(f"{split}\t{label}\tei talo\n" for split in ("tr", "va", "te") for label in "AB")
    (tmp_path / "Length.txt").write_text(test)
    own = ["suite=own", "lang=fi", f"suite.path={tmp_path}", "suite.format=senteval", "suite.level=sentence"]
    config = composed("probe", *own, *elmo("d_elmo", folder), f"paths.work={tmp_path}", "trainer.threads=1")
    with pytest.raises(Impossible, match=r"elmo with encoder\.context=none cannot encode .*not Sentence"):
        probe(ProbingSettings.of(probe_settings(config)))
