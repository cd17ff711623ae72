"""What the files of choices say, read without composing a configuration."""

import pytest

from polyprobe.errors import PolyprobeError, UnknownChoice
from polyprobe.runs.names.conf_folders import OWN_CONF, choice_files, choice_settings

FILES = {
    "large": "# defaults: of the paper\nsize: 300\noptimizer: {lr: 0.1, fused: true}\nseed: ${seed}\n",
    "small": "defaults:\n  - large\n  - _self_\nsize: 100\noptimizer: {lr: 0.2}\n",
    "broken": "size: [\n",
}


@pytest.fixture(autouse=True)
def own(tmp_path, monkeypatch):
    (tmp_path / "model").mkdir()
    for name, text in FILES.items():
        (tmp_path / "model" / f"{name}.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setenv(OWN_CONF, str(tmp_path))


def test_a_file_that_begins_with_another_says_what_that_says_and_what_it_says_itself():
    found = {"size": 100, "optimizer": {"lr": 0.2, "fused": True}, "seed": "${seed}"}
    assert choice_settings("model", "small") == found


def test_files_of_the_own_folder_stand_beside_those_of_the_repository():
    assert {"tagger", *FILES} <= set(choice_files("model"))
    assert choice_settings("model", "tagger")["_target_"] == "polyprobe.models.tagger.Tagger"


def test_a_choice_without_a_file_is_unknown():
    with pytest.raises(UnknownChoice, match="Did you mean small"):
        choice_settings("model", "smal")


def test_a_file_that_is_no_yaml_is_named():
    with pytest.raises(PolyprobeError, match=r"broken\.yaml cannot be read as YAML"):
        choice_settings("model", "broken")
