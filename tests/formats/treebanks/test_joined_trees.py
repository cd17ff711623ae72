import pytest

from polyprobe.errors import MalformedLine
from polyprobe.resources.assembled import joined_trees


def joined(tmp_path, **documents):
    for name, text in documents.items():
        (tmp_path / f"{name}.ptb").write_text(text, encoding="utf-8")
    return list(joined_trees([tmp_path / f"{name}.ptb" for name in documents]))


def test_a_tree_of_several_lines_becomes_one_after_its_document(tmp_path):
    over_lines = "(ROOT (X (UH oh)))\n\n(ROOT\n  (NP\n    (NNP Asylum)))"
    assert joined(tmp_path, b=over_lines, a="( (S (NP (PRP It))) )\n") == [
        "b\t(ROOT (X (UH oh)))",
        "b\t(ROOT (NP (NNP Asylum)))",
        "a\t( (S (NP (PRP It))) )",
    ]


@pytest.mark.parametrize("text", ["(ROOT (NP (NN rain))\n", "(ROOT (NP (NN rain))))\n"])
def test_brackets_that_do_not_close_are_told_with_their_file_and_line(tmp_path, text):
    with pytest.raises(MalformedLine, match=r"a\.ptb, line 1"):
        joined(tmp_path, a=text)
