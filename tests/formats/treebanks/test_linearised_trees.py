from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.formats.treebanks.constituency_trees import Constituent, TreeOfDocument
from polyprobe.formats.treebanks.linearised_trees import brackets, linearised_dependency_trees, linearised_trees
from tests.formats.written_units import write_trees


def symbols_of(path, bracketing):
    path.write_text(f"d\t{bracketing}\n", encoding="utf-8")
    (sentence,) = linearised_trees(path, refuse)
    return sentence.words, " ".join(sentence.target)


@pytest.mark.parametrize(
    ("bracketing", "words", "symbols"),
    [
        (
            "(ROOT (S (NP-SBJ (PRP They)) (VP (VBD left)) (. .)))",
            ("They", "left", "."),
            "(ROOT (S (NP PRP )NP (VP VBD )VP . )S )ROOT",
        ),
        ("( (S (NP-SBJ-1 (-NONE- *)) (VP=2 (VBN Shown))) )", ("Shown",), "(ROOT (S (VP VBN )VP )S )ROOT"),
        ("( (NP (-LRB- -LRB-) (NN|NNS a) (-RRB- -RRB-)) )", ("(", "a", ")"), "(ROOT (NP -LRB- NN -RRB- )NP )ROOT"),
        ("(ROOT (NP (NN Xpd x) y (NP (NN z))))", ("Xpd", "x", "y", "z"), "(ROOT (NP NN NN NP (NP NN )NP )NP )ROOT"),
        ("(ROOT (NN Rain))", ("Rain",), "(ROOT NN )ROOT"),
    ],
)
def test_words_give_way_to_their_parts_of_speech(tmp_path, bracketing, words, symbols):
    assert symbols_of(tmp_path / "a.tsv", bracketing) == (words, symbols)


def test_a_tree_of_empty_elements_alone_is_left_out_as_malformed(tmp_path):
    (tmp_path / "a.tsv").write_text("d\t( (S (-NONE- *)) )\nd\t( (X (NN a)) )\n", encoding="utf-8")
    with pytest.raises(MalformedLine, match=r"a\.tsv, line 1: the tree has empty elements alone\. Expected a word"):
        list(linearised_trees(tmp_path / "a.tsv", refuse))
    assert [one.line for one in linearised_trees(tmp_path / "a.tsv", Skipped())] == [2]


def test_an_unclosed_bracket_is_refused_with_file_line_and_what_was_expected(tmp_path):
    (tmp_path / "a.tsv").write_text("d\t(S (NN a))\nd\t(S (NN a)\n", encoding="utf-8")
    with pytest.raises(MalformedLine, match=r"a\.tsv, line 2: 1 of its brackets are not closed\. Expected as many"):
        list(linearised_trees(tmp_path / "a.tsv", refuse))


def dependency_symbols(path, rows):
    lines = [f"{number}\t{row[0]}\t_\t{row[1]}\t_\t_\t{row[2]}\t{row[3]}\t_\t_\n" for number, row in enumerate(rows, 1)]
    path.write_text("".join(lines) + "\n", encoding="utf-8")
    (sentence,) = linearised_dependency_trees(path, refuse)
    return " ".join(sentence.target)


def test_words_with_dependents_open_brackets(tmp_path):
    rows = [("the", "DET", 2, "det"), ("cat", "NOUN", 3, "nsubj"), ("sleeps", "VERB", 0, "root")]
    assert dependency_symbols(tmp_path / "a", rows) == "(root (nsubj DET NOUN )nsubj VERB )root"


def test_words_of_crossing_arcs_stand_in_their_bracket(tmp_path):
    rows = [("a", "A", 3, "det"), ("b", "B", 0, "root"), ("c", "C", 2, "obj:x"), ("d", "D", 1, "x"), ("e", "E", 2, "y")]
    assert dependency_symbols(tmp_path / "a", rows) == "(root B (obj:x (det A D )det C )obj:x E )root"


def test_a_chain_of_thousands_of_words_is_read(tmp_path):
    rows = [("w", "X", head, "dep" if head else "root") for head in range(3000)]
    assert dependency_symbols(tmp_path / "a", rows).count("(dep X") == 2998


def counted(symbols):
    return brackets(symbols.split())


def test_brackets_span_the_parts_of_speech_and_the_outermost_root_is_left_out():
    assert counted("(ROOT (S (NP PRP )NP (VP VBD (NP NN )NP )VP . )S )ROOT") == Counter(
        {("S", 0, 4): 1, ("NP", 0, 1): 1, ("VP", 1, 3): 1, ("NP", 2, 3): 1}
    )
    assert counted("(root (nsubj DET NOUN )nsubj VERB )root") == Counter({("nsubj", 0, 2): 1})
    assert counted("(S (ROOT NN )ROOT )S") == Counter({("S", 0, 1): 1, ("ROOT", 0, 1): 1})


def test_a_bracket_around_the_same_words_counts_twice_and_one_around_none_counts():
    assert counted("(NP (NP NN )NP (VP )VP )NP") == Counter({("NP", 0, 1): 2, ("VP", 1, 1): 1})


@pytest.mark.parametrize("symbols", ["(NP NN", "NN )NP", "(NP NN )VP", "(S (NP NN )S )NP", "(S NN )S )S"])
def test_an_ill_formed_sequence_has_no_brackets(symbols):
    assert counted(symbols) is None


@pytest.mark.parametrize("symbols", ["", "NN", "NN NN", "(S NN )S (S NN )S", "NN (S NN )S", "(S NN )S NN"])
def test_symbols_that_no_bracket_spans_are_ill_formed(symbols):
    assert counted(symbols) is None


@pytest.mark.parametrize("tag", ["(X", ")"])
def test_a_part_of_speech_that_looks_like_a_bracket_is_refused(tag, tmp_path):
    rows = [("a", "DET", 2, "det"), ("b", tag, 0, "root")]
    with pytest.raises(MalformedLine) as error:
        dependency_symbols(tmp_path / "a.conllu", rows)
    assert f'a.conllu, line 1: UPOS of word 2 of the sentence is "{tag}". Expected a tag that' in str(error.value)
    assert list(linearised_dependency_trees(tmp_path / "a.conllu", Skipped())) == []


@pytest.mark.parametrize("relation", ["(x", ")x"])
def test_a_relation_may_look_like_a_bracket(relation, tmp_path):
    rows = [("a", "DET", 2, "det"), ("b", "X", 3, relation), ("c", "X", 0, "root")]
    symbols = dependency_symbols(tmp_path / "a.conllu", rows)
    assert counted(symbols) == Counter({(relation, 0, 2): 1})


LABEL = st.sampled_from(["NP", "VP", "ROOT", "S"])
TREE = st.recursive(
    st.builds(lambda tag: Constituent(tag, ("w",)), st.sampled_from(["NN", "VB"])),
    lambda trees: st.builds(Constituent, LABEL, st.lists(trees, min_size=1, max_size=3).map(tuple)),
    max_leaves=8,
)


def spans(tree, start=0):
    """Every constituent of a tree above its parts of speech, and where the tree ends: the slow way."""
    if isinstance(tree.children[0], str):
        return [], start + 1
    found, end = [], start
    for child in tree.children:
        inside, end = spans(child, end)
        found += inside
    return [*found, (tree.label, start, end)], end


@settings(max_examples=60, deadline=None)
@given(tree=TREE)
def test_brackets_are_the_constituents_of_the_tree(tmp_path_factory, tree):
    path = tmp_path_factory.mktemp("trees") / "a.tsv"
    write_trees([TreeOfDocument(1, "d", Constituent("", (tree,)))], path)
    (sentence,) = linearised_trees(path, refuse)
    assert brackets(sentence.target) == Counter(spans(tree)[0])
