import json
from collections import Counter
from pathlib import Path

import pytest

from polyprobe.errors import UnknownChoice
from polyprobe.formats.probing_sets import linspector
from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.made_tests.row_statistics import NoTest
from polyprobe.generation.made_tests.writing import Source
from polyprobe.generation.maker import LeftOut, Written
from polyprobe.generation.type_level import TypeLevelTests
from polyprobe.generation.type_tests.type_level_options import options_of
from polyprobe.splits import SPLITS
from tests.generation.hash_seeds import made_with
from tests.generation.kept_forms import kept_forms
from tests.generation.type_tests.definitions import broken_rows
from tests.generation.type_tests.lexica import write_lexicon

SMALL = {"train": 350, "dev": 100, "test": 50}
NFD, NFC = "go\u0308l", "g\u00f6l"


def table(folder: Path, text: str) -> Path:
    (folder / "lexicon").write_bytes(text.encode())
    return folder / "lexicon"


def test_a_form_of_several_values_is_kept_by_neither_rule(tmp_path):
    path = table(tmp_path, "ev\tevi\tN;ACC;SG\nev\tevi\tN;NOM;SG;PSS3S\nev\tev\tN;NOM;SG\n")
    assert kept_forms(path, "Case", "article") == kept_forms(path, "Case", "released") == {"ev": "Nominative"}


def test_a_form_that_occurs_again_with_its_value_is_kept_by_the_article_alone(tmp_path):
    path = table(
        tmp_path, "at\tatlar\tN;NOM;PL\natlamak\tatlar\tV;3;SG;PRS\nat\tatlar\tN;ACC;PL\nev\tevler\tN;NOM;PL\n"
    )
    assert kept_forms(path, "Number", "article") == {"evler": "Plural"}
    path = table(tmp_path, "at\tatlar\tN;NOM;PL\nat\tatlar\tN;ACC;PL\nev\tevler\tN;NOM;PL\n")
    assert kept_forms(path, "Number", "article") == {"atlar": "Plural", "evler": "Plural"}
    assert kept_forms(path, "Number", "released") == {"evler": "Plural"}


def test_only_triples_that_have_the_feature_make_a_form_ambiguous(tmp_path):
    path = table(tmp_path, "yüz\tyüz\tN;NOM;SG\nyüzmek\tyüz\tV;IMP;2;SG\n")
    for rules in ("article", "released"):
        assert kept_forms(path, "Case", rules) == {"yüz": "Nominative"}


def test_released_triples_without_part_of_speech_go_where_a_form_occurs_again(tmp_path):
    path = table(tmp_path, "a\tab\tNOM\na\tac\tN;NOM\na\tac\tN;NOM;SG\na\tad\tN;ACC\n")
    assert kept_forms(path, "Case", "released") == {"ad": "Accusative"}
    path = table(tmp_path, "a\tab\tNOM\na\tad\tN;ACC\n")
    assert kept_forms(path, "Case", "released") == {"ab": "Nominative", "ad": "Accusative"}


def made(folder: Path, rules: str = "article", tests=None, lemmas=None, **changes) -> list[Written | LeftOut]:
    unimorph, words = write_lexicon(folder, lemmas)
    options = options_of(rules, "tr", 1, **{"items": SMALL, **changes})
    files = {"unimorph": [Source(unimorph, "CC BY-SA 4.0", "1a2b")], "frequency": [Source(words)]}
    return list(TypeLevelTests(options, files, refuse).make(folder / "made", tests))


@pytest.fixture(scope="module")
def by_lemma(tmp_path_factory) -> Path:
    """All tests of the miniature Turkish, no lemma in two splits."""
    folder = tmp_path_factory.mktemp("by_lemma")
    made(folder)
    return folder / "made"


def statistics(test: Path) -> dict:
    return json.loads((test / "statistics.json").read_text(encoding="utf-8"))


def origins(test: Path) -> list[dict]:
    return [json.loads(line) for line in (test / "origin.jsonl").read_text(encoding="utf-8").splitlines()]


def test_every_test_is_made_that_the_lexicon_has_forms_for(by_lemma):
    expected = {
        "Case",
        "Person",
        "Polarity",
        "Possession",
        "POS",
        "Tense",
        "TagCount",
        "CharacterBin",
        "CharacterCount",
    }
    assert expected | {"OddFeat", "SameFeat"} <= {path.name for path in by_lemma.iterdir()}


def test_rows_are_those_that_the_reader_of_probing_sets_reads(by_lemma):
    for split, size in SMALL.items():
        rows = list(linspector.read_forms(by_lemma / "Case" / f"{split}.txt", refuse))
        assert len(rows) == size
        assert Counter(row.label for row in rows)["None"] == round(0.3 * size)
        assert len(list(linspector.read_form_pairs(by_lemma / "OddFeat" / f"{split}.txt", refuse))) == size


def test_every_row_agrees_with_the_definition_of_its_test(by_lemma):
    tests = [path.name for path in by_lemma.iterdir()]
    assert broken_rows(by_lemma, tests, [by_lemma.parent / "tur.txt"], options_of("article", "tr", 1)) == []


def test_no_lemma_stands_in_two_splits(by_lemma):
    for test in by_lemma.iterdir():
        lemmas: dict[str, set[str]] = {split: set() for split in SPLITS}
        for origin in origins(test):
            lemmas[origin["split"]] |= {one["lemma"] for of_form in origin["analyses"] for one in of_form}
        assert all(lemmas.values())
        assert not (lemmas["train"] & lemmas["dev"] | lemmas["train"] & lemmas["test"] | lemmas["dev"] & lemmas["test"])
        assert statistics(test)["shared_with_train"]["lemma"] == {"dev": 0, "test": 0}


def test_the_origin_of_a_row_says_its_lemma_bundle_and_rank(by_lemma):
    rows = [row for split in SPLITS for row in linspector.read_forms(by_lemma / "Case" / f"{split}.txt", refuse)]
    found = origins(by_lemma / "Case")
    assert [(one["forms"], one["label"], one["line"]) for one in found] == [([*r.forms], r.label, r.line) for r in rows]
    for one in found:
        bundles = [analysis["bundle"].split(";") for analysis in one["analyses"][0]]
        is_none = not any({"NOM", "ACC", "DAT", "LOC", "ABL", "GEN", "INS"}.intersection(codes) for codes in bundles)
        assert (one["label"] == "None") == is_none
    shares = statistics(by_lemma / "Case")["frequent_share"]
    train = [one for one in found if one["split"] == "train"]
    assert sum(one["ranks"][0] is not None for one in train) / len(train) == pytest.approx(shares["train"], abs=1e-6)


def test_statistics_say_what_filters_took_and_what_the_test_is_made_of(by_lemma):
    found = statistics(by_lemma / "Case")
    assert [step["filter"] for step in found["filters"]][:2] == ["labels that are too rare", "several labels"]
    for before, after in zip(found["filters"], found["filters"][1:3], strict=False):
        assert before["left"] == after["taken"] + after["left"]
    assert found["items"] == SMALL
    assert sum(found["labels"]["train"].values()) == SMALL["train"]
    assert found["made_from"][0]["licence"] == "CC BY-SA 4.0"
    assert found["made_from"][0]["revision"] == "1a2b"
    assert len(found["made_from"][0]["sha256"]) == 64
    assert found["options"]["ambiguity"] == "values"
    assert found["majority"]["label"] in found["labels"]["train"]


def test_forms_of_the_three_tests_that_count_are_the_same(by_lemma):
    forms = [
        [row.forms[0] for row in linspector.read_forms(by_lemma / test / "dev.txt", refuse)]
        for test in ("TagCount", "CharacterBin", "CharacterCount")
    ]
    assert forms[0] == forms[1] == forms[2]


def test_a_random_split_has_lemmas_in_common_and_says_so(tmp_path):
    (found,) = made(tmp_path, "released", ["Case"], split="random")
    assert found.statistics["shared_with_train"]["lemma"]["test"] > 0.5
    assert found.statistics["shared_with_train"]["form"] == {"dev": 0, "test": 0}


def test_a_small_lexicon_gives_scaled_tests_and_says_why_others_are_left_out(tmp_path):
    found = made(tmp_path, lemmas=8, sizes="scaled", items={"train": 7000, "dev": 2000, "test": 1000})
    written = [one for one in found if isinstance(one, Written)]
    assert written
    assert all(300 <= sum(one.statistics["items"].values()) < 10_000 for one in written)
    assert all("." in one.reason for one in found if isinstance(one, LeftOut))


def test_a_lexicon_too_small_for_any_test_is_refused_and_leaves_nothing(tmp_path):
    (tmp_path / "tur").write_text("ev\tev\tN;NOM;SG\n", encoding="utf-8")
    (tmp_path / "words").write_text("ev\n", encoding="utf-8")
    for sizes in ("published", "scaled"):
        options = options_of("article", "tr", 1, sizes=sizes)
        files = {"unimorph": [Source(tmp_path / "tur")], "frequency": [Source(tmp_path / "words")]}
        with pytest.raises(NoTest, match="no test could be made"):
            list(TypeLevelTests(options, files, refuse).make(tmp_path / "made", None))
    assert not (tmp_path / "made").exists()


def test_the_same_files_and_seed_give_the_same_bytes_whatever_the_hash_seed(tmp_path):
    write_lexicon(tmp_path, lemmas=40)
    script = (
        "import sys; from pathlib import Path; from polyprobe.generation.type_level import *;"
        "from polyprobe.generation.type_tests.type_level_options import options_of;"
        "from polyprobe.formats.reading.malformed import refuse;"
        "from polyprobe.generation.made_tests.writing import Source;"
        "here, out = Path(sys.argv[1]), Path(sys.argv[2]);"
        "options = options_of('article', 'tr', 1, items={'train': 350, 'dev': 100, 'test': 50});"
        "files = {'unimorph': [Source(here / 'tur.txt')], 'frequency': [Source(here / 'words.txt')]};"
        "list(TypeLevelTests(options, files, refuse).make(out, ['Case', 'OddFeat', 'SameFeat']))"
    )
    written = [made_with(hash_seed, script, tmp_path, tmp_path / hash_seed) for hash_seed in ("1", "2")]
    assert len(written[0]) == 15
    assert written[0] == written[1]


def test_another_seed_gives_another_test(tmp_path):
    unimorph, words = write_lexicon(tmp_path)
    found = []
    for seed in (1, 2):
        options = options_of("article", "tr", seed, items=SMALL)
        files = {"unimorph": [Source(unimorph)], "frequency": [Source(words)]}
        list(TypeLevelTests(options, files, refuse).make(tmp_path / str(seed), ["Case"]))
        found.append((tmp_path / str(seed) / "Case/test.txt").read_bytes())
    assert found[0] != found[1]


def test_a_test_that_the_lexicon_lacks_is_refused(tmp_path):
    with pytest.raises(UnknownChoice, match='"Comparison" is unknown'):
        made(tmp_path, tests=["Case", "Comparison"])
    assert not (tmp_path / "made").exists()


def test_a_test_with_one_label_in_train_is_none(tmp_path):
    with pytest.raises(NoTest, match="Case: all items sampled for train have the label"):
        made(tmp_path, tests=["Case"], items=dict.fromkeys(SPLITS, 1))
    assert not [*tmp_path.rglob("train.txt")]
