import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.malformed import refuse
from polyprobe.formats.treebanks.constituency_trees import Constituent, TreeOfDocument, read
from tests.formats.written_units import write_trees

NAME = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="() \ufeff"), min_size=1, max_size=4)
PRETERMINAL = st.builds(lambda label, word: Constituent(label, (word,)), NAME, NAME)
TREE = st.recursive(
    PRETERMINAL,
    lambda trees: st.builds(Constituent, NAME | st.just(""), st.lists(trees, min_size=1, max_size=3).map(tuple)),
    max_leaves=6,
)


def trees_in(path, *bracketings):
    path.write_text("".join(f"d\t{one}\n" for one in bracketings), encoding="utf-8")
    return list(read(path, refuse))


def test_constituents_labels_and_words_are_as_written(tmp_path):
    (tree,) = trees_in(tmp_path / "a.tsv", "(ROOT (S (NP-SBJ=1 (-NONE- *)) (-LRB- -LRB-) (VP (VBD left))))")
    left = Constituent("VP", (Constituent("VBD", ("left",)),))
    empty = Constituent("NP-SBJ=1", (Constituent("-NONE-", ("*",)),))
    sentence = Constituent("S", (empty, Constituent("-LRB-", ("-LRB-",)), left))
    assert tree == TreeOfDocument(1, "d", Constituent("ROOT", (sentence,)))


def test_the_outermost_constituent_may_have_no_label_and_words_may_stand_beside_others(tmp_path):
    (tree,) = trees_in(tmp_path / "a.tsv", "( (NP (NN Xpd x) y (NN z)) )")
    children = (Constituent("NN", ("Xpd", "x")), "y", Constituent("NN", ("z",)))
    assert tree.root == Constituent("", (Constituent("NP", children),))


@pytest.mark.parametrize(
    ("bracketing", "found"),
    [
        ("(S (NP (NN rain))", "1 of its brackets are not closed"),
        ("(S (NN rain)) (S (NN sun))", '"\\(" follows the tree'),
        ("(S (NN rain)))", '"\\)" follows the tree'),
        ("(S (NN rain)) sun", '"sun" follows the tree'),
        ("rain", '"rain" precedes the first bracket'),
        (")", '"\\)" precedes the first bracket'),
        ("(S (NP (NN )) (. .))", "the constituent \\(NN\\) has no word"),
        ("(S ())", "the constituent \\(\\) has no word"),
        ("(S " * 201 + "a" + ")" * 201, "brackets are open 201 deep"),
    ],
)
def test_what_is_no_tree_is_refused_with_file_and_line(tmp_path, bracketing, found):
    with pytest.raises(MalformedLine, match=f"a.tsv, line 2: {found}"):
        trees_in(tmp_path / "a.tsv", "(S (NN rain))", bracketing)


@settings(max_examples=40, deadline=None)
@given(roots=st.lists(TREE, min_size=1, max_size=3))
def test_what_is_written_is_read_back_the_same(tmp_path_factory, roots):
    path = tmp_path_factory.mktemp("trees") / "a.tsv"
    trees = [TreeOfDocument(line, "d", root) for line, root in enumerate(roots, start=1)]
    write_trees(trees, path)
    assert list(read(path, refuse)) == trees
