"""Which constructions there are, and how they are read."""

import re

import pytest

from polyprobe.errors import Impossible, MalformedLine, PolyprobeError, UnknownChoice
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.probing.suites.minimal_set_files import SetFiles, available, chosen, load
from polyprobe.probing.suites.own import own_suite

TOY = {"code": "toy", "name": "Toy", "generator": None}
HENS = "True\then eats\nFalse\then eat\n"
GRAMMAR = "vary: V[]\nS[] the hen V[s]\nV[s] eats | walks\nV[p] eat | walk\n"


def set_files(**changed):
    settings = {
        "name": "toys",
        "format": "clams",
        "files": "sets/{language}/{test}.txt",
        "grammars": "grammars/{language}",
        "tests": ["simple", "coord"],
        "other_files": ["readme"],
        "languages": None,
        "end_of_sentence": None,
        "capitalise": False,
        "level": "sentence",
        "lowercase": False,
    }
    return SetFiles(**{**settings, **changed})


@pytest.fixture
def root(tmp_path):
    for name in ("coord", "simple", "other", "readme"):
        write(tmp_path / f"sets/toy/{name}.txt", HENS)
    return tmp_path


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def sentences(root, text, handler=refuse, **changed):
    """Returns the sentences of the sets of one file, set by set."""
    write(root / "sets/toy/simple.txt", text)
    files = set_files(**changed)
    places = chosen(available(files, TOY, root), files, ["simple"])
    (construction,) = load(files, TOY, places, root, None, handler).constructions
    return [[variant.sentence for variant in one.variants] for one in construction.sets]


def test_constructions_are_scored_in_the_order_of_the_tables_and_others_on_request(root):
    files = set_files()
    places = available(files, TOY, root)
    assert [place.name for place in places] == ["simple", "coord", "other"]
    assert [place.name for place in chosen(places, files, None)] == ["simple", "coord"]
    assert [place.name for place in chosen(places, files, ["other", "simple", "other"])] == ["other", "simple"]
    with pytest.raises(UnknownChoice, match=r'"simpel" is unknown\. Did you mean simple\?'):
        chosen(places, files, ["simpel"])


def test_a_language_with_other_constructions_alone_has_all_of_them(root):
    files = set_files(tests=["absent"])
    assert len(chosen(available(files, TOY, root), files, None)) == 3


def test_sets_of_a_generated_language_are_made_from_its_grammars(tmp_path):
    write(tmp_path / "grammars/toy/hens.avg", GRAMMAR)
    files, lang = set_files(end_of_sentence="."), {**TOY, "generator": {}}
    places = available(files, lang, tmp_path)
    (construction,) = load(files, lang, chosen(places, files, None), tmp_path, None, refuse).constructions
    assert [variant.sentence for variant in construction.sets[1].variants] == ["the hen walks .", "the hen walk ."]
    assert construction.sets[1].lexemes == ("walks",)


@pytest.mark.parametrize(
    ("language", "changed", "words"),
    [
        ("nowhere", {}, "lang=nowhere has no minimal sets of suite=toys"),
        ("toy", {"languages": ["en"]}, "suite=toys has no sentences in lang=toy. Expected lang=en."),
    ],
)
def test_a_language_without_sets_is_told(root, language, changed, words):
    with pytest.raises(Impossible, match=re.escape(words)):
        available(set_files(**changed), {**TOY, "code": language}, root)


@pytest.mark.parametrize(
    ("format_name", "columns", "words"),
    [
        ("blimp", {"good": "x"}, "suite.columns.bad must be the name of a column, got null"),
        ("pairs_table", {"good": "x", "bad": "y", "quotes": "no"}, 'suite.columns.quotes "no" is unknown'),
    ],
)
def test_columns_are_refused_by_the_key_that_holds_them(format_name, columns, words):
    with pytest.raises(PolyprobeError, match=re.escape(words)):
        set_files(format=format_name, columns=columns)


def test_an_open_quotation_mark_is_told_with_the_key_that_takes_it_for_text(tmp_path):
    write(tmp_path / "sets/toy/a.csv", 'good,bad\n"hen eats,hen eat\n')
    files = set_files(format="pairs_table", files="sets/{language}/a.csv", columns={"good": "good", "bad": "bad"})
    with pytest.raises(MalformedLine, match=r", or suite\.columns\.quotes=none"):
        load(files, TOY, available(files, TOY, tmp_path), tmp_path, None, refuse)


@pytest.mark.parametrize(
    ("text", "found", "kept"),
    [
        ("False\then eat\n" + HENS, "line 1: a set has no grammatical sentence", 1),
        ("\n" + HENS, "line 1: the line is empty", 1),
        ("\ufeff" * 2 + HENS + HENS, "line 1: the text starts with a byte order mark", 1),
        (HENS + HENS.replace("\n", "\rs\n", 1) + HENS, "line 3: the line has a carriage return", 2),
        (HENS + "True\then\teats\nFalse\then eat\n" + HENS, "line 3: the line has 3 columns", 2),
    ],
)
def test_a_bad_line_is_refused_with_its_place_or_counted(root, text, found, kept):
    with pytest.raises(MalformedLine, match=re.escape(f"simple.txt, {found}")):
        sentences(root, text)
    handler = Skipped()
    assert len(sentences(root, text, handler)) == kept
    assert found in str(handler.places[0])


def test_of_two_grammatical_sentences_in_a_row_the_first_is_a_set_of_its_own(root):
    assert sentences(root, "True\then walks\n" + HENS) == [["hen walks"], ["hen eats", "hen eat"]]


def test_a_file_without_a_set_that_can_be_read_is_refused(root):
    with pytest.raises(PolyprobeError, match="has no minimal set that can be read"):
        sentences(root, "False\then eat\n", Skipped())


TABLE = "good;bad;what\nhen eats;hen eat;verbs\nhens eat;hens eats;nouns\nhen walks;hen walk;verbs \n"


def test_one_file_may_have_several_constructions_each_with_its_rows_and_its_group(tmp_path):
    write(tmp_path / "sets/xxx/data.csv", TABLE)
    columns = {"good": "good", "bad": "bad", "test": "what"}
    groups = {"all": {"tests": {"words": ["verbs", "nouns"]}}}
    files = set_files(
        format="pairs_table", files="sets/{language}/data.csv", columns=columns, groups=groups, codes={"toy": "xxx"}
    )
    places = available(files, TOY, tmp_path)
    suite = load(files, TOY, chosen(places, files, None), tmp_path, None, refuse)
    numbers = {one.name: [a_set.number for a_set in one.sets] for one in suite.constructions}
    assert numbers == {"nouns": [2], "verbs": [1, 3]}
    assert [one.groups["all"].tolist() for one in suite.constructions] == [["words"], ["words"] * 2]


def test_bad_lines_of_a_file_with_several_constructions_are_counted_once(tmp_path):
    write(tmp_path / "sets/toy/data.csv", TABLE + "hen\n;hen eat;verbs\n")
    columns = {"good": "good", "bad": "bad", "test": "what"}
    files = set_files(format="pairs_table", files="sets/{language}/data.csv", columns=columns)
    suite = load(files, TOY, available(files, TOY, tmp_path), tmp_path, None, Skipped())
    assert {one.name: one.n_bad_lines for one in suite.constructions} == {"nouns": 2, "verbs": 0}


def test_paths_with_folders_name_the_group_of_a_construction(tmp_path):
    line = '{"sentence_good": "鸡吃", "sentence_bad": "鸡吃吃"}\n'
    for name in ("Aspect/a.jsonl", "Anaphor/b.jsonl", "Anaphor/Plural/c.jsonl"):
        write(tmp_path / "sets" / name, line)
    files = set_files(
        format="blimp",
        files="sets/{phenomenon}/**/{test}.jsonl",
        words="characters",
        groups={"phenomenon": {"folder": "phenomenon"}},
    )
    suite = load(files, TOY, available(files, TOY, tmp_path), tmp_path, None, refuse)
    found = {one.name: one.groups["phenomenon"].tolist() for one in suite.constructions}
    assert found == {"a": ["Aspect"], "b": ["Anaphor"], "c": ["Anaphor"]}
    assert suite.constructions[0].sets[0].focus == ((2, 2), (2, 3))


def test_the_same_construction_in_two_folders_is_refused(tmp_path):
    for name in ("x/a.txt", "y/a.txt"):
        write(tmp_path / "sets" / name, HENS)
    with pytest.raises(PolyprobeError, match="has the construction a in several files"):
        available(set_files(files="sets/{folder}/{test}.txt"), TOY, tmp_path)


def own(path, format_name):
    of_both = {"name": "own", "level": "sentence", "lowercase": False}
    return own_suite(str(path), format_name, [], 0, end_of_sentence=None, capitalise=False, **of_both)


@pytest.mark.parametrize(
    ("name", "format_name", "text"),
    [
        ("a.txt", "clams", HENS),
        ("a.jsonl", "blimp", '{"sentence_good": "hen eats", "sentence_bad": "hen eat"}\n'),
        (
            "a.jsonl",
            "json_lines",
            '{"set": 1, "label": true, "sentence": "hen eats"}\n{"set": 1, "label": false, "sentence": "hen eat"}\n',
        ),
    ],
)
def test_sets_of_ones_own_are_read_from_a_file_or_a_folder(tmp_path, name, format_name, text):
    for place in (write(tmp_path / "{own}" / name, text), tmp_path / "{own}"):
        files = own(place, format_name)
        places = available(files, TOY, tmp_path)
        (construction,) = load(files, TOY, chosen(places, files, None), tmp_path, None, refuse).constructions
        assert construction.name == "a"
        assert [variant.sentence for variant in construction.sets[0].variants] == ["hen eats", "hen eat"]


def test_what_is_not_there_is_told_with_what_is_expected(tmp_path):
    with pytest.raises(PolyprobeError, match=r"is not there: .*\. Expected a file \*\.jsonl for each construction"):
        own(tmp_path / "absent", "blimp")
    with pytest.raises(UnknownChoice, match=r'suite\.format "blim" is unknown\. Did you mean blimp'):
        own(tmp_path, "blim")
