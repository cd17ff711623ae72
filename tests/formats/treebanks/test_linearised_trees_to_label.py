import pytest

from polyprobe.formats.reading.malformed import refuse
from polyprobe.formats.texts.sentence_lines import TargetedSentence
from polyprobe.formats.treebanks import linearised_trees

CONLLU = "# sent_id = a\n1\tHe\t_\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tleft\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"
TREES = "d\t(ROOT (S (NP (PRP He)) (VP (VBD left))))\n"


@pytest.mark.parametrize(
    ("name", "content", "reader"),
    [
        ("a.txt", "He left\n", "linearised_trees"),
        ("a.txt", "He left\n", "linearised_dependency_trees"),
        ("a.tsv", TREES, "linearised_trees"),
        ("a.conllu", CONLLU, "linearised_dependency_trees"),
    ],
)
def test_a_text_or_a_treebank_gives_sentences_whose_trees_are_written(tmp_path, name, content, reader):
    (tmp_path / name).write_text(content, encoding="utf-8")
    file = getattr(linearised_trees, f"{reader}_to_label")(tmp_path / name, refuse)
    assert list(file.examples) == [TargetedSentence(("He", "left"), (), 1)]
    file.write([("(NP", "PRP", ")NP")], tmp_path / "written")
    assert (tmp_path / "written").read_text(encoding="utf-8") == "(NP PRP )NP\n"
