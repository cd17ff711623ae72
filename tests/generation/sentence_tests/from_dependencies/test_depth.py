import pytest

from tests.generation.sentence_tests.from_dependencies.small_treebanks import read_sentence

DEPTHS = {
    "a root alone": ("Tule tulla VERB _ 0 root", 1),
    "a root and a comma": ("Tule tulla VERB _ 0 root\n, , PUNCT _ 1 punct", 1),
    "a chain of three, the root last": ("a a DET _ 2 det\nb b NOUN _ 3 nsubj\nc c VERB _ 0 root", 3),
    "the longest of two branches": ("a a VERB _ 0 root\nb b NOUN _ 1 obj\nc c NOUN _ 2 nmod\nd d NOUN _ 1 obl", 3),
    "a comma below the deepest word": ("a a VERB _ 0 root\nb b NOUN _ 1 obj\n, , PUNCT _ 2 punct", 2),
}


@pytest.mark.parametrize(("rows", "depth"), DEPTHS.values(), ids=DEPTHS)
def test_the_depth_is_that_of_the_deepest_word(tmp_path, rows, depth):
    assert read_sentence(tmp_path, rows).depth == depth
