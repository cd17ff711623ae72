"""What is composed with kept parts is what Hydra composes alone, whatever is typed."""

import json
import subprocess
import sys

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from omegaconf import OmegaConf

from polyprobe.runs.command.own_choices import search_own_folder
from polyprobe.runs.names.conf_folders import CONF
from tests.commands.scripts import ROOT

TYPED = [
    ("probe", "lang={name: Other}", "data=words.tsv", "encoder=transformer", "encoder.layers=[0,6]"),
    ("probe", "experiment=senteval_table2", "vectors=words.vec", "lang=tr"),
    ("probe", "+own.key=1", "++probe.keep=true", "~baselines", "paths.mirror=''"),
    ("train", "task=dep", "encoder=static_vectors", "trainer=ddp", "trainer.devices=2", "~logger"),
    ("train", "task=sentence", "objective=nmt", "+optimizer@model.optimizer=infersent"),
    ("train", "hydra/launcher=joblib", "hydra.launcher.n_jobs=2"),
    ("generate", "suite=sentences", "lang=fi", "made_from.treebanks=[a,b]", "type_level.items={train: 9, dev: 2}"),
    ("analyze", "job=neurons", "run=first", "trainer=ddp", "~top_share"),
]
ALONE = """
import json

from tests.test_kept_compositions import TYPED, composition

print(json.dumps([composition(*line) for line in TYPED]))
"""


def composition(script: str, *overrides: str) -> str:
    """Returns all that Hydra composes, its own settings and interpolations included, in its order."""
    search_own_folder()
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return OmegaConf.to_yaml(compose(script, list(overrides), return_hydra_config=True))


@pytest.fixture(scope="module")
def alone() -> list[str]:
    """What a Python of its own composes, in which nothing is kept."""
    done = subprocess.run([sys.executable, "-c", ALONE], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_kept_parts_change_no_composition(alone):
    for _ in range(2):  # the second time all are kept
        for line, expected in zip(TYPED, alone, strict=True):
            assert composition(*line) == expected, line


def test_a_language_that_is_added_anew_is_composed_anew(monkeypatch):
    monkeypatch.setitem(ConfigStore.instance().repo, "lang", {})
    for name in ("One", "Another"):
        ConfigStore.instance().store(group="lang", name="xyz", node={"code": "xyz", "name": name})
        assert f"  name: {name}\n" in composition("probe", "lang=xyz")
