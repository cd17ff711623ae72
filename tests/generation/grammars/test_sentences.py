"""Sentences and sets of grammars: against worked examples, and against all combinations of random small grammars."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyprobe.errors import MalformedLine
from polyprobe.formats.grammars.avg import Slot, read
from polyprobe.generation.grammars.sentences import (
    capitalised,
    classic_blocks,
    ended,
    minimal_sets,
    patterns,
    warn,
)
from tests.formats.written_units import published_lines

FRENCH = "S[] je V[1,s]\nV[1,s] pense\nV[2,s] penses\nV[1,p] pensons\nV[2,p] pensez\n"
DOGS = (
    "vary: V_1[]\nS[] the N_1[p] that the N_2[s] V_1[s] V_2[p]\nN_1[p] dogs | cats\nN_2[s] boy\n"
    "V_1[s] sees | likes\nV_1[p] see | like\nV_2[p] run | sleep\n"
)


def classic_lines(path):
    grammar = read(path)
    templates = patterns(grammar)
    warn(grammar, templates)
    return "".join(classic_blocks(templates)).splitlines()


@pytest.fixture
def lines_of(tmp_path):
    def lines(text):
        path = tmp_path / "it.avg"
        path.write_text(text, encoding="utf-8")
        return [line.replace("\t", " ") for line in classic_lines(path)]

    return lines


@pytest.fixture
def grammar_of(tmp_path):
    def grammar(text):
        path = tmp_path / "it.avg"
        path.write_text(text, encoding="utf-8")
        return read(path)

    return grammar


@pytest.mark.parametrize(
    ("vary", "ungrammatical"),
    [
        ("V[]", ["penses", "pensons", "pensez"]),
        ("V[1]", ["pensons"]),
        ("V[1,s]", []),
        ("V[1]; V[s]", ["penses", "pensons"]),
        ("V[2]; V[p]", ["penses", "pensons", "pensez"]),
    ],
)
def test_the_vary_statement_says_which_forms_are_ungrammatical(lines_of, vary, ungrammatical):
    expected = ["True je pense", *(f"False je {form}" for form in ungrammatical)]
    assert lines_of(f"vary: {vary}\n{FRENCH}") == expected


def test_the_leftmost_slot_changes_fastest_and_pairs_stay_together(lines_of):
    assert lines_of(DOGS)[:9] == [
        "True the dogs that the boy sees run",
        "False the dogs that the boy see run",
        "True the dogs that the boy likes run",
        "False the dogs that the boy like run",
        "True the cats that the boy sees run",
        "False the cats that the boy see run",
        "True the cats that the boy likes run",
        "False the cats that the boy like run",
        "True the dogs that the boy sees sleep",
    ]


def test_a_sentence_is_grammatical_only_if_every_varied_slot_is(lines_of):
    text = "vary: D[]; V[]\nS[] D[s] hen V[s]\nD[s] this\nD[p] these\nV[s] eats\nV[p] eat\n"
    assert lines_of(text) == ["True this hen eats", "False this hen eat", "False these hen eats", "False these hen eat"]


def test_sets_of_two_varied_slots_are_kept_together(grammar_of):
    text = "vary: D[]; V[]\nS[] D[s] N[s] V[s]\nN[s] hen\nD[s] this | that\nD[p] these | those\nV[s] eats\nV[p] eat\n"
    first, second = minimal_sets(patterns(grammar_of(text)))
    assert [one.sentence for one in first.variants] == [
        "this hen eats",
        "this hen eat",
        "these hen eats",
        "these hen eat",
    ]
    assert second.grammatical.sentence == "that hen eats"
    assert second.lexemes == ("that", "hen", "eats")
    assert second.grammatical.positions == (0, 2)


def test_a_lexeme_has_one_name_whatever_its_form(grammar_of):
    text = "vary: V[]\nS[] the hen V[s]\nS[] the hens V[p] here\nV[s] is old | eats\nV[p] are old | eat\n"
    sets = list(minimal_sets(patterns(grammar_of(text))))
    assert [one.lexemes for one in sets] == [("is old",), ("eats",)] * 2
    assert [one.template for one in sets] == [2, 2, 3, 3]
    assert sets[2].ungrammatical[0].forms == ("is old",)


def test_a_vary_item_that_no_template_uses_is_said(lines_of, caplog):
    assert lines_of("vary: W[]\nS[] the hen\nW[s] x\n") == ["True the hen"]
    assert "line 1: no template has W[]" in caplog.text


def test_sets_with_forms_spelt_alike_are_kept_and_counted(lines_of, caplog):
    lines = lines_of("vary: N[]\nS[] one N[s] V[]\nN[s] sheep | hen\nN[p] sheep | hens\nV[] waits | fell | ate\n")
    assert lines[:2] == ["True one sheep waits", "False one sheep waits"]
    assert "3 of 6 sets" in caplog.text


def test_capitals_and_full_stops_are_put_where_they_belong(grammar_of):
    text = "vary: V[]\nS[] N[] V[s]\nS[] V[s] NATO\nN[] IBM here | l' été\nV[s] is\nV[p] are\n"
    (first, second) = [ended(capitalised(one, dotless_i=False), ".") for one in patterns(grammar_of(text))]
    assert "".join(classic_blocks([first, second])).splitlines() == [
        "True\tIBM here is .",
        "False\tIBM here are .",
        "True\tL' été is .",
        "False\tL' été are .",
        "True\tIs NATO .",
        "False\tAre NATO .",
    ]
    (turkish,) = patterns(grammar_of("S[] iyi mi\n"))
    assert "".join(classic_blocks([capitalised(turkish, dotless_i=True)])) == "True\tİyi mi\n"


def test_many_endings_are_made_in_blocks_of_the_same_lines(lines_of):
    slots = "".join(f"V{n}[s] {' | '.join('abcd')}\nV{n}[p] {' | '.join('efgh')}\n" for n in range(5))
    text = f"vary: {'; '.join(f'V{n}[]' for n in range(5))}\nS[] N[] {' '.join(f'V{n}[s]' for n in range(5))}\n{slots}"
    lines = lines_of(text + "N[] x | y\n")
    assert len(lines) == len(set(lines)) == 2 * 8**5
    assert [line.split()[1] for line in lines] == ["x"] * 8**5 + ["y"] * 8**5
    assert sum(line.startswith("True") for line in lines) == 2 * 4**5


# Random small grammars: three names with two or three attribute sets each, all lists of a name equally long.
ATTRIBUTES = ("1,s", "1,p", "2,s")
words = st.sampled_from(["a", "b b", "c"])


@st.composite
def grammars(draw):
    lines, slots = [], []
    for name in draw(st.lists(st.sampled_from(["A", "B", "C"]), min_size=1, max_size=3, unique=True)):
        n_forms = draw(st.integers(1, 3))
        for attributes in draw(st.lists(st.sampled_from(ATTRIBUTES), min_size=1, max_size=3, unique=True)):
            forms = draw(st.lists(words, min_size=n_forms, max_size=n_forms))
            lines.append(f"{name}[{attributes}] {' | '.join(forms)}")
            slots.append((name, attributes))
    items = [f"{n}[{draw(st.sampled_from(['', *a.split(','), a]))}]" for n, a in draw(st.lists(st.sampled_from(slots)))]
    for _ in range(draw(st.integers(1, 2))):
        chosen = draw(st.lists(st.one_of(st.sampled_from(slots), st.just(("x", None))), min_size=1, max_size=4))
        lines.append("S[] " + " ".join(name if a is None else f"{name}[{a}]" for name, a in chosen))
    return "\n".join(draw(st.permutations([*lines, *([f"vary: {'; '.join(items)}"] if items else [])]))) + "\n"


def choices(grammar, part):
    """Every lexeme of a part of a template, each as its forms, the grammatical first."""
    if not isinstance(part, Slot):
        return [(part,)]
    own = [one.text for one in grammar.preterminals[part]]
    others = []
    for slot, forms in grammar.preterminals.items():
        is_meant = any(i.slot.name == slot.name and i.slot.attributes <= slot.attributes for i in grammar.vary)
        if is_meant and slot.name == part.name and slot != part:
            others.append([one.text for one in forms])
    return list(zip(own, *others, strict=True))


def spelt_out(grammar):
    """The published order as it is told: a list of partial sentences that grows slot by slot."""
    for template in grammar.templates:
        partial = [(True, ())]
        for part in template.parts:
            if isinstance(part, Slot) and any(item.slot.name == part.name for item in grammar.vary):
                forms = [(n == 0, form) for lexeme in choices(grammar, part) for n, form in enumerate(lexeme)]
                partial = [(label and good, (*said, form)) for label, said in partial for good, form in forms]
            else:
                options = [lexeme[0] for lexeme in choices(grammar, part)]
                partial = [(label, (*said, option)) for option in options for label, said in partial]
        yield from (f"{label}\t{' '.join(said)}" for label, said in partial)


@given(grammars())
def test_lines_are_those_of_the_list_that_grows_slot_by_slot(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("random") / "it.avg"
    path.write_text(text)
    assert classic_lines(path) == list(spelt_out(read(path)))


@given(grammars())
def test_sets_are_all_choices_of_lexemes_with_all_their_forms(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("random") / "it.avg"
    path.write_text(text)
    grammar = read(path)
    expected = [
        tuple(" ".join(said) for said in product(*lexemes))
        for template in grammar.templates
        for lexemes in product(*(choices(grammar, part) for part in template.parts))
    ]
    found = list(minimal_sets(patterns(grammar)))
    assert sorted(tuple(one.sentence for one in each.variants) for each in found) == sorted(expected)
    assert [one.number for one in found] == list(range(1, len(expected) + 1))
    for one in found:
        for variant in one.variants:
            said = variant.sentence.split(" ")
            for start, form in zip(variant.positions, variant.forms, strict=True):
                assert " ".join(said[start : start + form.count(" ") + 1]) == form
    counted = patterns(grammar)
    assert sum(pattern.n_sets for pattern in counted) == len(expected)
    assert sum(pattern.n_sentences for pattern in counted) == sum(map(len, expected))


@given(grammars())
def test_with_one_varied_slot_sets_and_lines_have_one_order(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("random") / "it.avg"
    path.write_text(text)
    templates = [pattern for pattern in patterns(read(path)) if len(pattern.varied) == 1]
    assert "".join(line + "\n" for line in published_lines(minimal_sets(templates))) == "".join(
        classic_blocks(templates)
    )
    identical = sum(one.has_identical for one in minimal_sets(templates))
    assert sum(pattern.n_identical for pattern in templates) == identical
    alone = sum(not one.ungrammatical for one in minimal_sets(templates))
    assert sum(pattern.n_alone for pattern in templates) == alone


def test_a_grammar_of_more_sentences_than_anybody_scores_is_refused_at_once(grammar_of):
    slots = "".join(f"N{n}[] {' | '.join(f'w{one}' for one in range(20))}\n" for n in range(9))
    grammar = grammar_of(f"S[] a b\nS[] {' '.join(f'N{n}[]' for n in range(9))}\n{slots}")
    with pytest.raises(MalformedLine, match=r"line 2: with this template the grammar has 512,000,000,001 sentences\."):
        patterns(grammar)
