import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.formats.treebanks.dependencies import dependency_sentences, word_on_cycle


def row(identifier, form, head="_", deprel="_", upos="NOUN") -> str:
    return "\t".join(map(str, [identifier, form, "_", upos, "_", "_", head, deprel, "_", "_"])) + "\n"


GOOD = (
    "# sent_id = a\n" + row("1-2", "zum") + row(1, "zu", 3, "case", "ADP") + row(2, "dem", 3, "det", "DET")
    + row(3, "Haus", 0, "root") + row("3.1", "x") + "\n"
)  # fmt: skip


@pytest.fixture
def read(tmp_path):
    def read(text: str, on_malformed=refuse):
        (tmp_path / "a.conllu").write_text(text, encoding="utf-8")
        return list(dependency_sentences(tmp_path / "a.conllu", on_malformed))

    return read


def test_words_tags_and_tree_are_read_without_multiword_tokens_and_empty_nodes(read):
    (sentence,) = read(GOOD)
    assert (sentence.identifier, sentence.line) == ("a", 1)
    assert sentence.words == ("zu", "dem", "Haus")
    assert sentence.upos == ("ADP", "DET", "NOUN")
    assert (sentence.heads, sentence.relations) == ((3, 3, 0), ("case", "det", "root"))


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("3\tcase", "2\tcase", 3, "a cycle"),
        ("3\tdet", "2\tdet", 4, "a cycle"),
        ("3\tcase", "0\tcase", 5, "words 1 and 3 are roots"),
        ("3\tcase", "4\tcase", 3, 'HEAD is "4"'),
        ("3\tcase", "_\tcase", 3, 'HEAD is "_"'),
        ("3\tcase", "3\t_", 3, 'DEPREL is "_"'),
    ],
)
def test_what_is_no_tree_is_refused_or_counted_with_its_line(read, old, new, line, words):
    bad = GOOD.replace(old, new).replace("3\tdet", "1\tdet") if new == "2\tcase" else GOOD.replace(old, new)
    with pytest.raises(MalformedLine, match=rf"line {line}: .*{words}"):
        read(bad)
    skipped = Skipped()
    assert len(read(bad + GOOD, skipped)) == 1
    assert [place.line for place in skipped.places] == [line]


def test_a_sentence_of_empty_nodes_alone_is_malformed(read):
    with pytest.raises(MalformedLine, match="no word"):
        read(row("0.1", "x") + "\n")


@pytest.mark.parametrize(("heads", "found"), [([2, 3, 1], 1), ([0, 3, 2], 2), ([0, 1, 2], None), ([1], 1), ([], None)])
def test_a_word_on_a_cycle_is_named(heads, found):
    assert word_on_cycle(heads) == found
