"""Attribute-varying grammars: what is read, and what is refused with file and line."""

import pytest

from polyprobe.errors import MalformedLine, PolyprobeError
from polyprobe.formats.grammars.avg import files_behind, grammar_files, read

GOOD = "vary: V[]\nS[] the N[s] V[s]\nN[s] hen\nV[s] eats\nV[p] eat\n"


@pytest.fixture
def read_text(tmp_path):
    def read_it(text, encoding="utf-8"):
        path = tmp_path / "hens.avg"
        path.write_bytes(text.encode(encoding))
        return read(path)

    return read_it


def forms(grammar, text):
    return [
        one.text for slot, alternatives in grammar.preterminals.items() if slot.text == text for one in alternatives
    ]


def replaced(line, new):
    lines = GOOD.splitlines()
    lines[line - 1] = new
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("line", "new"),
    [
        (1, "vary : V[ ]"),
        (2, "S the N[s] V[s]"),
        (2, "S[] → the N[s] V[s]"),
        (2, "S[]-> the  N[s]\tV[s]  "),
        (3, "  N[s]\then"),
        (3, "N[s] -> hen"),
        (4, "V[ s ] eats"),
        (5, "V[p] eat\n\n   # the end\n"),
        (5, "V[p] eat\r\n"),
    ],
)
def test_white_space_arrows_and_comments_change_nothing(read_text, line, new):
    plain, other = read_text(GOOD), read_text(replaced(line, new))
    assert [part if isinstance(part, str) else part.name for part in other.templates[0].parts] == ["the", "N", "V"]
    assert other.preterminals.keys() == plain.preterminals.keys()
    assert other.vary[0].slot == plain.vary[0].slot


def test_the_order_of_attributes_tells_nothing_apart(read_text):
    grammar = read_text("S[] V[3,s]\nV[s, 3] eats\nV[s,3] walks\n")
    assert forms(grammar, "V[s, 3]") == ["eats", "walks"]


def test_an_attribute_may_have_blanks_and_an_alternative_several_words(read_text):
    grammar = read_text("S[] N[third person,s]\nN[third  person,s] bus  driver|hen\n")
    assert forms(grammar, "N[third  person,s]") == ["bus driver", "hen"]


def test_a_hash_inside_a_line_is_a_word(read_text):
    assert read_text("S[] number # one\n").templates[0].parts == ("number", "#", "one")


def test_a_last_line_may_end_open(read_text):
    assert forms(read_text(GOOD.removesuffix("\n")), "V[p]") == ["eat"]


def test_rivals_satisfy_an_item_and_are_not_the_slot_itself(read_text):
    text = "vary: V[1]; V[s]\nS[] V[1,s]\nV[2,s] b\nV[1,s] a\nV[1,p] c\nV[2,p] d\nW[1,s] x\n"
    grammar = read_text(text)
    (slot,) = grammar.templates[0].slots
    assert [rival.text for rival in grammar.rivals(slot)] == ["V[2,s]", "V[1,p]"]


@pytest.mark.parametrize(
    ("line", "new", "at", "words"),
    [
        (1, "vary:", 1, "names nothing"),
        (1, "vary: V", 1, '"V" is not an item'),
        (1, "vary: V[];", 1, '"" is not an item'),
        (1, "vary: V[x]", 1, "V[x] matches no preterminal (did you mean V[s] or V[p]?)"),
        (1, "vary V[]", 1, 'begins with "vary", which has no list of attributes'),
        (2, "S[] the Adj[] V[s]", 2, "Adj[] is used in a template but not defined"),
        (2, "S[] the N[s,anim] V[s]", 2, "(did you mean N[s]?)"),
        (2, "S[] the S[] V[s]", 2, "S[] is used in a template but not defined"),
        (2, "S[] the N[s V[s]", 2, 'a "[" is not closed'),
        (2, "S[] the N[s]] V[s]", 2, 'a "]" closes nothing'),
        (2, "S[] the [s] V[s]", 2, '"[s]" lacks a name'),
        (2, "S[] the N[s,] V[s]", 2, '"N[s,]" lacks a name or an attribute'),
        (2, "S[] the N[s], V[s]", 2, '"," directly follows a bracket'),
        (2, "S[] the N[s] V[s] |", 2, "empty template"),
        (2, "S[]", 2, "an empty template"),
        (2, "S[] →", 2, "an empty template"),
        (2, "S[x] the N[s] V[s]", 2, "S[x] has attributes"),
        (3, "N[s]", 3, "N[s] has no right-hand side"),
        (3, "N[s] | hen", 3, "empty alternative"),
        (3, "N[s] hen || cow", 3, "empty alternative"),
        (3, "N[s] the N[p]", 3, "holds the preterminal N[p]"),
        (3, "N[s hen", 3, 'a bracket of "N[s" is not closed'),
        (3, "N[s]hen", 3, '"hen" stands right after N[s]'),
        (3, "N hen", 3, 'begins with "N"'),
        (5, "V[p] eat | walk", 5, "V[p] lists 2 forms, but V[s] lists 1"),
        (4, "V[s] eats | walks", 5, "V[p] lists 1 form, but V[s] lists 2"),
        (3, "N[s] h\0en", 3, "NUL"),
        (3, "N[s] h\ren", 3, "carriage return"),
        (1, "\ufeff\ufeffvary: V[]", 1, "byte order mark"),
    ],
)
def test_a_damaged_grammar_is_refused_with_file_and_line(read_text, line, new, at, words):
    with pytest.raises(MalformedLine) as raised:
        read_text(replaced(line, new))
    assert (raised.value.path.name, raised.value.line) == ("hens.avg", at)
    assert words in str(raised.value)


def test_bytes_of_another_encoding_are_refused(read_text):
    with pytest.raises(MalformedLine, match=r"line 3.*not UTF-8"):
        read_text(replaced(3, "N[s] poussé"), encoding="latin-1")


def test_a_grammar_without_template_is_refused(read_text):
    with pytest.raises(PolyprobeError, match=r"hens\.avg: the grammar has no template"):
        read_text("vary: V[]\nV[s] eats\n")


def test_an_empty_file_is_refused(read_text):
    with pytest.raises(MalformedLine, match="the file is empty"):
        read_text("")


def test_a_grammar_without_vary_statement_is_read(read_text):
    grammar = read_text("S[] the hen eats\n")
    assert grammar.vary == ()


def test_common_definitions_are_read_first_and_make_no_grammar_of_their_own(tmp_path):
    (tmp_path / "common.avg").write_text("N[s] hen\n")
    (tmp_path / "b.avg").write_text("S[] the N[s]\nN[s] cow\n")
    (tmp_path / "a.avg").write_text("S[] a N[s]\n")
    assert [file.name for file in grammar_files(tmp_path)] == ["a.avg", "b.avg"]
    assert [file.name for file in files_behind(tmp_path / "b.avg")] == ["common.avg", "b.avg"]
    assert forms(read(tmp_path / "b.avg"), "N[s]") == ["hen", "cow"]


def test_an_error_in_common_definitions_names_their_file(tmp_path):
    (tmp_path / "common.avg").write_text("N[s] hen |\n")
    (tmp_path / "a.avg").write_text("S[] a N[s]\n")
    with pytest.raises(MalformedLine, match=r"common\.avg, line 1"):
        read(tmp_path / "a.avg")


@pytest.mark.parametrize("name", ["absent.avg", "empty"])
def test_a_place_without_grammars_is_refused(tmp_path, name):
    (tmp_path / "empty").mkdir()
    with pytest.raises(PolyprobeError, match=name):
        grammar_files(tmp_path / name)
