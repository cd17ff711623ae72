import pytest

from tests.generation.sentence_tests.from_trees.small_trees import bracketed, sentence_of

AFRAID = "(S (NP (PRP He)) (VP (VBD was) (ADJP (JJ afraid) (S (VP (TO to) (VP (VB sleep)))))) (. .))"
WIPED = "(S (NP (PRP She)) (VP (VBD wiped) (NP (PRP them)) (PP (IN on) (NP (NN tunic)))) (. .))"


def test_empty_elements_go_with_the_constituents_that_they_leave_empty(tmp_path):
    sentence = sentence_of("( (S (NP-SBJ-1 (-NONE- *PRO*)) (VP (VB Note) (NP (NN it)))) )", tmp_path)
    assert sentence.words == ("Note", "it")
    assert bracketed(sentence.top) == "(S (VP (VB Note) (NP (NN it))))"


def test_brackets_and_quotes_are_written_as_in_the_text(tmp_path):
    sentence = sentence_of("(ROOT (NP (`` ``) (-LRB- -LRB-) (LS -LRB-a-RRB-) (-RRB- -RRB-) ('' '')))", tmp_path)
    assert sentence.words == ('"', "(", "(a)", ")", '"')
    assert sentence.tags == ("``", "-LRB-", "LS", "-RRB-", "''")


@pytest.mark.parametrize(
    ("bracketing", "top"),
    [
        ("(ROOT (S (VP (VB Go))))", "(S (VP (VB Go)))"),
        ("( (S (VP (VB Go))) )", "(S (VP (VB Go)))"),
        ("( (CAPTION (S (VP (VB Go)))) )", "(S (VP (VB Go)))"),
        ("(S (VP (VB Go)))", "(VP (VB Go))"),
    ],
)
def test_the_top_constituent_is_below_the_root_and_below_the_layers_of_craft(bracketing, top, tmp_path):
    assert bracketed(sentence_of(bracketing, tmp_path).top) == top


def test_a_root_of_several_constituents_is_the_top_one(tmp_path):
    assert sentence_of("( (NP (NN Rain)) (. .) )", tmp_path).top.label == ""


@pytest.mark.parametrize(("tree", "depth"), [(AFRAID, 8), (WIPED, 6), ("(NP (NN Rain))", 3)])
def test_depth_counts_the_root_and_the_part_of_speech(tree, depth, tmp_path):
    assert sentence_of(f"(ROOT {tree})", tmp_path).depth == depth


def test_captions_of_one_picture_are_one_document(tmp_path):
    first = sentence_of("(NP (NN Rain))", tmp_path, "17.jpg#2")
    assert sentence_of("(NP (NN Rain))", tmp_path, "#2").document == "#2"
    assert first.document == sentence_of("(NP (NN Sun))", tmp_path, "17.jpg#2r1n").document == "17.jpg"
