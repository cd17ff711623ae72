from pathlib import Path

import pytest
import yaml

from polyprobe.errors import Impossible
from polyprobe.generation.sentence_level import SentenceTests
from tests.generation.made_settings import made_by

ROOT = Path(__file__).parents[2]
TURKISH = "1\tIşık\tışık\tNOUN\t_\t_\t0\troot\t_\t_\n\n"


def made_from(folder: Path, named: dict, **sentence_level):
    """What tests are made from, for a language that names some files; the data folder is `folder`."""
    config = yaml.safe_load((ROOT / "conf/generate.yaml").read_text(encoding="utf-8"))
    config |= {"lang": {"code": "tr", "made_from": named}, "dotless_i": True}
    config["paths"] = {**config["paths"], "mirror": None}
    config["sentence_level"] |= sentence_level
    return made_by(SentenceTests, config, lambda: folder)


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "treebank.conllu").write_text(TURKISH, encoding="utf-8")
    return tmp_path


def test_a_language_without_constituency_trees_has_tests_from_its_treebanks(folder):
    made = made_from(folder, {"treebanks": ["treebank.conllu"], "trees": []})
    assert made.analysis.name == "treebanks"
    assert [source.path for source in made.sources] == [folder / "treebank.conllu"]


def test_treebanks_are_read_where_they_are_asked_for(folder):
    named = {"treebanks": ["treebank.conllu"], "trees": ["trees.tsv"]}
    assert made_from(folder, named, analysis="treebanks").analysis.name == "treebanks"
    with pytest.raises(Impossible, match="names no treebanks"):
        made_from(folder, {"trees": ["trees.tsv"]}, analysis="treebanks")
