"""Every corpus that conf/corpora names for inference is read whole; hypotheses alone score what was measured."""

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from polyprobe.datamodules.base.word_inputs import LearnedInputs
from polyprobe.datamodules.corpora.labelled_corpora import read_corpus
from polyprobe.datamodules.pairs import PairsDataModule
from polyprobe.runs.command.script import CONF
from tests.models.in_memory import InMemory

pytestmark = pytest.mark.real_data

SIZES = {  # pairs with a label
    "en": (4439, 495, 4906),
    "es": (5477, 967, 1612),
    "de": (2245, 250, 5010),
    "tr": (8358, 1484, 9824),
    "ru": (2223, 393, 307),
    "fr": (680, 120, 800),
}
# Of test, in percent; measured by another program with white-space tokens, on the whole train file.
HYPOTHESIS_ONLY = {"en": (57.81, 1), "es": (37.78, 2), "de": (49.22, 1), "tr": (54.20, 1.5), "ru": (49.84, 4)}


def datamodule(lang, data_folder, name=None):
    with initialize_config_dir(str(CONF), version_base="1.3"):
        config = OmegaConf.to_container(compose("train", ["task=nli", f"lang={lang}"]), resolve=True)
    name = name or config["data"]["corpus"]
    corpus = read_corpus(name, config["data"]["corpora"][name], None, data_folder, None)
    sizes = {"batch_pairs": 32, "evaluation_pairs": 128, "padding_noise": 0}
    data = PairsDataModule(InMemory(corpus), LearnedInputs(300, 2, [2, 5], 3), 1, **sizes)
    data.setup()
    return data


@pytest.mark.parametrize("lang", SIZES)
def test_all_splits_are_read(lang, data_folder):
    data = datamodule(lang, data_folder)
    assert (len(data.train), len(data.dev), len(data.test)) == SIZES[lang]


@pytest.mark.parametrize("lang", HYPOTHESIS_ONLY)
def test_hypotheses_alone_score_what_was_measured(lang, data_folder):
    data = datamodule(lang, data_folder)
    known, tolerance = HYPOTHESIS_ONLY[lang]
    accuracy = data.baseline_scores(data.test)[1][0]
    assert 100 * accuracy.value == pytest.approx(known, abs=tolerance)


@pytest.mark.parametrize(("lang", "known"), [("es", 50.64), ("en", 51.54)])
def test_xnli_is_read_from_its_three_parts(lang, known, data_folder):
    data = datamodule(lang, data_folder, "xnli")
    assert (len(data.train) + len(data.dev), len(data.test)) == (2490, 5010)
    assert 100 * data.baseline_scores(data.test)[1][0].value == pytest.approx(known, abs=2)
