from pathlib import Path

import pytest

from polyprobe.errors import Impossible
from polyprobe.generation.sentence_level import SentenceTests
from tests.generation.made_settings import made_by
from tests.generation.sentence_tests.from_trees.small_trees import write_trees


def configuration(trees=None, of_language=None, **sentence_level):
    """What conf/generate.yaml resolves to, as far as it is read."""
    own = dict.fromkeys(("unimorph", "frequency", "treebanks", "trees", "syllables"))
    return {
        "lang": {"code": "en", "made_from": of_language},
        "made_from": {**own, "trees": trees},
        "sentence_level": {"analysis": None, "length": None, **sentence_level},
        "rules": "article",
        "tests": None,
        "on_malformed": "refuse",
        "seed": 1,
        "paths": {"mirror": None},
        "dotless_i": False,
    }


def no_data_folder() -> Path:
    raise AssertionError("the data folder is asked for")


def test_trees_that_the_command_names_are_what_tests_are_made_from(tmp_path):
    trees = write_trees(tmp_path / "trees.tsv", 10)
    made = made_by(SentenceTests, configuration(str(trees)), no_data_folder)
    assert [source.path for source in made.sources] == [trees]
    assert made.analysis.name == "trees"


def test_a_language_with_trees_and_treebanks_has_tests_from_its_trees(tmp_path):
    write_trees(tmp_path / "trees.tsv", 10)
    named = {"treebanks": ["treebank.conllu"], "trees": ["trees.tsv"]}
    assert made_by(SentenceTests, configuration(of_language=named), lambda: tmp_path).analysis.name == "trees"


def test_a_frequency_list_is_a_source_where_it_is_read(tmp_path):
    write_trees(tmp_path / "trees.tsv", 10)
    (tmp_path / "list.txt").write_text("the 5\n")
    config = configuration(of_language={"trees": ["trees.tsv"], "frequency": "list.txt"}, frequency="list")
    assert [source.path.name for source in made_by(SentenceTests, config, lambda: tmp_path).sources] == [
        "trees.tsv",
        "list.txt",
    ]


def test_rules_that_sentences_do_not_have_are_refused(tmp_path):
    config = {**configuration(str(write_trees(tmp_path / "trees.tsv", 10))), "rules": "released"}
    with pytest.raises(Impossible, match="Expected rules=article"):
        made_by(SentenceTests, config, no_data_folder)


def test_a_language_without_treebank_has_no_tests():
    with pytest.raises(Impossible, match="lang=en"):
        made_by(SentenceTests, configuration(), no_data_folder)
