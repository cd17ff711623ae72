import json
from pathlib import Path

import pytest

from polyprobe.errors import MalformedLine, PolyprobeError
from polyprobe.formats.probing_sets import linspector
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.generation.made_tests.row_statistics import NoTest
from polyprobe.generation.made_tests.writing import Source
from polyprobe.generation.maker import LeftOut, Written
from polyprobe.generation.token_level import TokenLevelTests
from polyprobe.generation.token_tests.token_level_options import token_options_of
from polyprobe.splits import SPLITS
from tests.generation.hash_seeds import made_with
from tests.generation.token_tests.treebanks import sentence, unimorph_sentence, write_treebank

SMALL = {"train": 210, "dev": 60, "test": 30}


def made(folder: Path, rules: str = "article", tests=None, sentences: int = 300, **changes) -> list[Written | LeftOut]:
    options = token_options_of(rules, "tr", 1, **{"items": SMALL, **changes})
    source = Source(write_treebank(folder, sentences), "CC BY-SA 4.0", "1a2b")
    return list(TokenLevelTests(options, {"treebanks": [source]}, refuse).make(folder / "made", tests))


@pytest.fixture(scope="module")
def by_sentence(tmp_path_factory) -> Path:
    """All tests of a small treebank, no sentence in two splits."""
    folder = tmp_path_factory.mktemp("by_sentence")
    made(folder, tests_without_names="all")
    return folder / "made"


def rows(test: Path, split: str) -> list[linspector.TokenRow]:
    return list(linspector.read_tokens(test / f"{split}.txt", refuse))


def origins(test: Path) -> list[dict]:
    return [json.loads(line) for line in (test / "origin.jsonl").read_text(encoding="utf-8").splitlines()]


def test_tests_are_called_as_the_published_ones(by_sentence):
    found = {path.name for path in by_sentence.iterdir()}
    assert found == {"Case", "Number", "Part of Speech", "TagCount", "CharacterBin", "CharacterBin2"}


def test_the_part_of_speech_is_asked_for_by_either_name(tmp_path):
    for name in ("POS", "Part of Speech"):
        (found,) = made(tmp_path, tests=[name])
        assert (found.name, (tmp_path / "made/Part of Speech/train.txt").exists()) == ("Part of Speech", True)


def test_no_sentence_stands_in_two_splits_though_its_words_occur_twice(by_sentence):
    for test in by_sentence.iterdir():
        train, dev, held_out = ({row.words for row in rows(test, split)} for split in SPLITS)
        assert train
        assert not (train & dev | train & held_out | dev & held_out)
        shared = json.loads((test / "statistics.json").read_text(encoding="utf-8"))["shared_with_train"]
        assert shared["sentence"] == {"dev": 0, "test": 0}


def test_a_random_split_has_sentences_in_common_and_says_so(tmp_path):
    (found,) = made(tmp_path, "released", ["Case"], split="random")
    assert found.statistics["shared_with_train"]["sentence"]["test"] > 0.3


def test_the_origin_of_a_row_says_word_line_and_features(by_sentence):
    lines = (by_sentence.parent / "train.conllu").read_text(encoding="utf-8").splitlines()
    found = origins(by_sentence / "Case")
    of_splits = [(split, row) for split in SPLITS for row in rows(by_sentence / "Case", split)]
    assert len(found) == sum(SMALL.values())
    for one, (split, row) in zip(found, of_splits, strict=True):
        cells = lines[one["file_line"] - 1].split("\t")
        assert (one["split"], one["line"], one["label"]) == (split, row.line, row.label)
        assert row.words[row.index] == one["form"] == cells[1]
        assert (one["lemma"], one["upos"], one["feats"], one["file"]) == (cells[2], cells[3], cells[5], "train.conllu")
        assert {"Nominative": "NOM", "Accusative": "ACC", "Dative": "DAT", "Essive": "ESS"}[row.label] in one["bundle"]


def test_statistics_say_what_filters_took_and_what_the_test_is_made_of(by_sentence):
    found = json.loads((by_sentence / "Number" / "statistics.json").read_text(encoding="utf-8"))
    assert found["items"] == SMALL
    assert found["treebank"]["sentences"] == 300
    assert found["treebank"]["distinct_sentences"] < 300
    assert found["filters"][0]["left"] == 1200
    # 32 forms of nouns and "geldi", which is singular and plural: a quarter of the tokens.
    assert found["ambiguity"] == {"several_labels": 0.030303, "repeated": 1, "tokens_of_several_labels": 0.25}
    assert (found["made_from"][0]["licence"], found["made_from"][0]["revision"]) == ("CC BY-SA 4.0", "1a2b")
    assert found["options"]["split"] == "sentence"
    assert found["memoriser"] > found["majority"]["accuracy"] - 0.2


def test_a_feature_of_one_value_is_left_out_with_its_value(tmp_path):
    found = {one.name: one for one in made(tmp_path)}
    assert found["Tense"].reason.startswith("Tense: 1 label left (Past).")


def test_a_frequency_list_says_how_frequent_items_are_and_changes_none(tmp_path, by_sentence):
    frequency = tmp_path / "list.txt"
    frequency.write_text("geldi 9\nevi 8\nEVDE 7\nişi 6\nev 5\n", encoding="utf-8")
    treebank = Source(write_treebank(tmp_path, 300))
    files = {"treebanks": [treebank], "frequency": [Source(frequency, "CC BY", "2c3d")]}
    options = token_options_of("article", "tr", 1, items=SMALL)
    (found,) = TokenLevelTests(options, files, refuse).make(tmp_path / "made", ["Case"])
    test = tmp_path / "made/Case"
    ranks = [(one["form"], one["rank"]) for one in origins(test)]
    assert {form: rank for form, rank in ranks if rank is not None} == {"evi": 2, "işi": 4, "ev": 5}
    n_frequent = sum(rank is not None for _, rank in ranks[: SMALL["train"]])
    assert found.statistics["frequent_share"]["train"] == round(n_frequent / SMALL["train"], 6)
    assert found.statistics["made_from"][-1]["revision"] == "2c3d"
    for split in SPLITS:
        assert rows(test, split) == rows(by_sentence / "Case", split)


def test_forms_are_lower_cased_as_the_language_does_before_they_are_looked_up(tmp_path):
    (tmp_path / "list.txt").write_text("evde\nişi\nırmak\n", encoding="utf-8")
    source = tmp_path / "treebank.conllu"
    words = [(form, "NOUN", f"Case={case}") for form, case in (("Irmak", "Nom"), ("IRMAK", "Acc"), ("ev", "Acc"))]
    source.write_text("".join(sentence(words, sent_id=f"s-{number}") for number in range(300)), encoding="utf-8")
    files = {"treebanks": [Source(source)], "frequency": [Source(tmp_path / "list.txt")]}
    options = token_options_of("released", "tr", 1, {"dotless_i": True}, items=SMALL, split="random")
    list(TokenLevelTests(options, files, refuse).make(tmp_path / "made", ["Case"]))
    assert {(one["form"], one["rank"]) for one in origins(tmp_path / "made/Case")} == {
        ("Irmak", 3),
        ("IRMAK", 3),
        ("ev", None),
    }


def test_without_a_frequency_list_nothing_is_said_of_frequency(by_sentence):
    statistics = json.loads((by_sentence / "Case/statistics.json").read_text(encoding="utf-8"))
    assert statistics["frequent_share"] == dict.fromkeys(SPLITS)
    assert {one["rank"] for one in origins(by_sentence / "Case")} == {None}


def test_a_small_treebank_gives_scaled_tests_and_none_below_300_items(tmp_path):
    (found,) = made(tmp_path, tests=["Case"], sizes="scaled", items={"train": 7000, "dev": 2000, "test": 1000})
    assert 300 <= sum(found.statistics["items"].values()) <= 900
    with pytest.raises(NoTest, match=r"\(minimum 300\)"):
        made(tmp_path, tests=["Case"], sizes="scaled", items={"train": 7000, "dev": 2000, "test": 1000}, sentences=66)


def test_the_same_files_and_seed_give_the_same_bytes_whatever_the_hash_seed(tmp_path):
    write_treebank(tmp_path, 300)
    script = (
        "import sys; from pathlib import Path; from polyprobe.generation.token_level import *;"
        "from polyprobe.generation.token_tests.token_level_options import token_options_of;"
        "from polyprobe.formats.reading.malformed import refuse;"
        "from polyprobe.generation.made_tests.writing import Source;"
        "here, out = Path(sys.argv[1]), Path(sys.argv[2]);"
        "options = token_options_of('article', 'tr', 1, items={'train': 210, 'dev': 60, 'test': 30}, balance='labels');"
        "list(TokenLevelTests(options, {'treebanks': [Source(here / 'train.conllu')]}, refuse).make(out, None))"
    )
    written = [made_with(hash_seed, script, tmp_path, tmp_path / hash_seed) for hash_seed in ("1", "2")]
    assert len(written[0]) == 15
    assert written[0] == written[1]


def test_a_treebank_without_any_feature_is_refused_and_leaves_nothing(tmp_path):
    path = tmp_path / "plain.conllu"
    path.write_text(sentence([("ev", "X", "_"), (".", "PUNCT", "_")]) * 200, encoding="utf-8")
    options = token_options_of("article", "tr", 1, items=SMALL)
    with pytest.raises(NoTest, match="no test could be made"):
        list(TokenLevelTests(options, {"treebanks": [Source(path)]}, refuse).make(tmp_path / "made", None))
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("labels", "text", "message"),
    [
        ("ud", unimorph_sentence([("ev", "N;NOM")]), "token_level.labels=unimorph"),
        ("unimorph", sentence([("ev", "NOUN", "Case=Nom")]), "token_level.labels=ud"),
        (
            "ud",
            "1\tev\tev\tVERB\t_\t_\t0\troot\t_\t_\n2\tev\tx\tev\tNOUN\t_\tCase=Nom\t_\t_\t_\t_\n\n",
            "line 2: the row has 11 columns",
        ),
    ],
    ids=["labels of UniMorph", "features of UD", "a tab in a word"],
)
def test_a_fault_in_a_treebank_is_refused_or_skipped(labels, text, message, tmp_path):
    path = tmp_path / "faulty.conllu"
    path.write_text(text, encoding="utf-8")
    options = token_options_of("article", "tr", 1, items=SMALL, labels=labels)
    with pytest.raises(MalformedLine, match=message):
        list(TokenLevelTests(options, {"treebanks": [Source(path)]}, refuse).make(tmp_path / "made", None))
    skipped = Skipped()
    with pytest.raises(PolyprobeError):
        list(TokenLevelTests(options, {"treebanks": [Source(path)]}, skipped).make(tmp_path / "made", None))
    assert len(skipped.places) == 1
