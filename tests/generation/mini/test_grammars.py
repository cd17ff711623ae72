"""The grammars of the miniature Turkish: their words are its words, with the analyses that the slots claim."""

import pytest

from polyprobe.formats.grammars.avg import COMMON, grammar_files, read
from polyprobe.formats.minimal_sets.clams import read_published
from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.grammars.sentences import patterns
from polyprobe.generation.mini.data_files import FOLDER, settings_of, table
from polyprobe.generation.mini.lexicon import inventory

GRAMMARS = grammar_files(FOLDER / "grammars")
NUMBER = {"s": "SG", "p": "PL"}
CASES = {"acc": "ACC", "dat": "DAT", "abl": "ABL"}


def analyses():
    known = {}
    for entry in inventory():
        known.setdefault(entry.form, []).append(entry.bundle.split(";"))
    return known


def words_of_no_paradigm():
    settings = settings_of("sentences")
    pronouns = {form for row in table("pronouns") for form in row.values()}
    return pronouns | {row["form"] for row in table("adverbs")} | {*settings["numerals"], *settings["intensifiers"]}


@pytest.mark.parametrize("path", GRAMMARS, ids=lambda path: path.stem)
def test_every_word_is_one_of_the_language(path):
    known = analyses().keys() | words_of_no_paradigm()
    for pattern in patterns(read(path)):
        forms = [form for part in pattern.parts for lexeme in part.lexemes for form in lexeme.forms]
        assert {word for form in forms for word in form.text.split(" ")} <= known


@pytest.mark.parametrize("path", GRAMMARS, ids=lambda path: path.stem)
def test_every_form_has_the_person_number_and_case_of_its_slot(path):
    known, grammar = analyses(), read(path)
    for slot, alternatives in grammar.preterminals.items():
        if slot.name in ("Pro", "Gen", "Past", "Future", "Num"):
            continue
        wanted = {CASES.get(one, one) for one in slot.attributes}
        wanted |= {NUMBER[one] for one in slot.attributes if one in NUMBER and slot.name not in ("Adj", "Thing")}
        wanted -= {*NUMBER, "past", "future", "3"} | ({"1", "2"} if slot.name in ("Adj", "Thing") else set())
        for one in alternatives:
            assert any(wanted <= set(codes) for codes in known[one.text]), (slot.text, one.text)


@pytest.mark.parametrize("path", GRAMMARS, ids=lambda path: path.stem)
def test_every_set_has_variants_and_none_is_spelt_as_the_grammatical_sentence(path):
    made = patterns(read(path))
    assert sum(pattern.n_alone for pattern in made) == sum(pattern.n_identical for pattern in made) == 0
    assert all(len(pattern.varied) == 1 for pattern in made)


def test_the_generated_corpora_have_grammars_and_their_sets(mini_folder):
    grammars = grammar_files(mini_folder / "clams/grammars/mini")
    assert (mini_folder / "clams/grammars/mini" / COMMON).is_file()
    assert [file.name for file in grammars] == [file.name for file in GRAMMARS]
    for grammar in grammars:
        sets = list(read_published(mini_folder / "clams/eval/mini" / f"{grammar.stem}.txt", refuse))
        assert len(sets) == sum(pattern.n_sets for pattern in patterns(read(grammar)))


def test_a_sentence_that_we_wrote_ourselves_is_among_the_sets(mini_folder):
    lines = (mini_folder / "clams/eval/mini/simple_agrmt.txt").read_text(encoding="utf-8").split("\n")
    start = lines.index("True\tbiz uyuduk")
    forms = ["uyudum", "uyudun", "uyudu", "uyudunuz", "uyudular"]
    assert lines[start + 1 : start + 6] == [f"False\tbiz {form}" for form in forms]
