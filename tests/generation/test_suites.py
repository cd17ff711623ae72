"""Every suite of probing tests that can be made, on the files that lang=mini generates."""

from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from src.generation.made_tests.outcomes import Written
from src.generation.suites import MAKERS

CONF = Path(__file__).parents[2] / "conf"
ONE_TEST = {
    "linspector_type": ["tests=[Tense]"],
    "linspector_token": ["tests=[Possession]"],
    "sentences": ["tests=[NShift]"],
    "pseudowords": ["pseudowords.seed_words=160"],
}


@pytest.mark.parametrize("suite", MAKERS)
def test_a_test_of_scaled_size_is_made_of_the_generated_files(suite, mini_folder, tmp_path):
    with initialize_config_dir(str(CONF), version_base=None):
        config = compose("generate", ["lang=mini", f"suite={suite}", f"paths.data={tmp_path}", *ONE_TEST[suite]])
    making = MAKERS[suite](OmegaConf.to_container(config, resolve=True), lambda: mini_folder)
    (test,) = making.tests(tmp_path / "sets")
    assert isinstance(test, Written)
    assert 300 <= sum(test.statistics["items"].values()) <= 10_000
