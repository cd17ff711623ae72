from pathlib import Path

import pytest
from omegaconf import OmegaConf

from polyprobe.errors import PolyprobeError
from polyprobe.generation.token_level import TokenLevelTests
from polyprobe.generation.type_level import TypeLevelTests
from polyprobe.runs.names.identity import what_changes_numbers
from tests.generation.made_settings import made_by, settings_by

ROOT = Path(__file__).parents[2]
LANGUAGE = {"code": "xx", "name": "Xish", "generator": None}


def read_files(folder: Path, treebanks: list | str | None, lang: dict | None = None, **changes) -> list[str]:
    """Returns the names of the files that tests would be made from; the data folder is `folder`."""
    choices = {"lang": {**LANGUAGE, **(lang or {})}, "paths": {"mirror": None}}
    config = OmegaConf.to_container(OmegaConf.merge(OmegaConf.load(ROOT / "conf/generate.yaml"), choices), resolve=True)
    config["made_from"]["treebanks"] = treebanks
    config["token_level"] |= changes
    return [source.path.name for source in made_by(TokenLevelTests, config, lambda: folder).sources]


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "ud/xx").mkdir(parents=True)
    for part in ("train", "dev", "test"):
        (tmp_path / f"ud/xx/xx-ud-{part}.conllu").write_text("# nothing\n", encoding="utf-8")
    return tmp_path


def test_train_and_dev_of_a_treebank_are_read_unless_other_parts_are_asked_for(folder):
    assert read_files(folder, str(folder / "ud/xx")) == ["xx-ud-dev.conllu", "xx-ud-train.conllu"]
    assert read_files(folder, ["ud/xx"], parts=["test"]) == ["xx-ud-test.conllu"]
    assert read_files(folder, None, {"made_from": {"treebanks": ["ud/xx"]}}, parts=["dev"]) == ["xx-ud-dev.conllu"]


def test_a_file_that_is_named_is_read_whatever_its_part(folder):
    assert read_files(folder, ["ud/xx/xx-ud-test.conllu"]) == ["xx-ud-test.conllu"]


def test_the_frequency_list_of_the_language_is_read_where_there_is_one(folder):
    (folder / "list.txt").write_text("ev 5\n", encoding="utf-8")
    lang = {"made_from": {"treebanks": ["ud/xx/xx-ud-dev.conllu"], "frequency": "list.txt"}}
    assert read_files(folder, None, lang) == ["xx-ud-dev.conllu", "list.txt"]


def test_a_treebank_without_the_parts_asked_for_is_refused(folder):
    (folder / "ud/xx/xx-ud-test.conllu").unlink()
    with pytest.raises(PolyprobeError, match=r"xx-ud-dev.conllu, xx-ud-train.conllu: none is of test"):
        read_files(folder, ["ud/xx"], parts=["test"])


def type_settings(folder: Path, rules: str, **changes) -> dict:
    """What of the options is a part of a run's name."""
    choices = {"lang": LANGUAGE, "paths": {"mirror": None}, "rules": rules}
    config = OmegaConf.to_container(OmegaConf.merge(OmegaConf.load(ROOT / "conf/generate.yaml"), choices), resolve=True)
    for kind in ("unimorph", "frequency"):
        (folder / kind).write_text("ev\tev\tN;SG\n", encoding="utf-8")
        config["made_from"][kind] = str(folder / kind)
    config["type_level"] |= changes
    settings = settings_by(config, lambda: folder)
    return what_changes_numbers(TypeLevelTests.of(settings).known_by(settings))["type_level"]


def test_later_options_are_part_of_a_runs_name_where_they_make_other_sets(tmp_path):
    released, article = (type_settings(tmp_path, rules) for rules in ("released", "article"))
    earlier = released.keys()
    assert not earlier & {"unknown_codes", "repeated_pairs", "untagged"}
    assert {key: article[key] for key in article.keys() - earlier} == {
        "unknown_codes": "left_out",
        "untagged": ["Possession", "Polarity"],
    }
    as_earlier = type_settings(tmp_path, "article", unknown_codes="passed_over", odd_possession="possessed")
    assert as_earlier.keys() == earlier
    assert type_settings(tmp_path, "released", repeated_pairs="left_out")["repeated_pairs"] == "left_out"
