"""Bad places of every dialect that conf/corpora names; damaged files: tests/formats/test_readers_contract.py."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from polyprobe.datamodules.corpora.labelled_corpora import Corpus, read_corpus
from polyprobe.errors import MalformedLine, PolyprobeError
from polyprobe.runs.names.conf_folders import corpora_of_language
from polyprobe.splits import SPLITS

MAX_WORDS = 500
NO_ROLES = "\t_\t_\t_"


@dataclass(frozen=True)
class Dialect:
    """One row of the table.

    Attributes:
        task, lang, corpus: where conf/corpora says how it is read.
        unit: the text of a sentence (a pair) from some of its words, at least one.
        header: the first line, if there is one.
        line_end: of every line.
        treebank: the file beside which roles stand apart, from the same words.
    """

    task: str
    lang: str
    corpus: str
    unit: Callable[[list[str]], str]
    header: str = ""
    line_end: str = "\n"
    treebank: Callable[[list[str]], str] | None = None

    def entry(self) -> dict[str, Any]:
        """The entry of the configuration, with other files."""
        known = corpora_of_language(self.lang)[self.task]["data"]["corpora"][self.corpus]
        kept = {key: known[key] for key in ("reader", "reader_options") if key in known}
        names = {"train": "trees", "dev": "good_trees", "test": "good_trees"}
        trees = {"treebank": names} if self.treebank else {}
        return {**kept, **trees, "train": "train", "dev": "good", "test": "good"}

    def file(self, *units: list[str]) -> bytes:
        return (self.header + "".join(map(self.unit, units))).replace("\n", self.line_end).encode()

    def read(self, folder: Path, train: bytes, on_malformed: str | None, units=()) -> Corpus:
        """Reads a corpus whose train file has this content; dev and test are good."""
        (folder / "good").write_bytes(self.file(*GOOD))
        (folder / "train").write_bytes(train)
        if self.treebank:
            (folder / "trees").write_text("".join(map(self.treebank, units or UNITS)), encoding="utf-8")
            (folder / "good_trees").write_text("".join(map(self.treebank, GOOD)), encoding="utf-8")
        return read_corpus("c", self.entry(), on_malformed, folder, None, MAX_WORDS)


def rows(*cells_of_word: str) -> Callable[[list[str]], str]:
    """A row for each word; `{n}` is its number, `{word}` itself, `{head}` the word before it."""

    def unit(words: list[str]) -> str:
        numbered = enumerate(words, start=1)
        lines = ("\t".join(cells_of_word).format(n=n, word=word, head=n - 1) for n, word in numbered)
        return "".join(f"{line}\n" for line in lines) + "\n"

    return unit


def spaced(*cells_of_word: str) -> Callable[[list[str]], str]:
    return lambda words: rows(*cells_of_word)(words).replace("\t", " ")


def pair(row: str) -> Callable[[list[str]], str]:
    return lambda words: row.format(words=" ".join(words)) + "\n"


conllu = rows("{n}", "{word}", "x", "NOUN", "_", "Case=Nom", "{head}", "root", "_", "_")
joined = rows("{n}", "{word}", "_", "VERB", "_", "_", "{head}", "root", "_", "_", "_", "_", "_")
conll09 = rows("{n}", "{word}", *"xx", "Noun", "Noun", *"__", "{head}", "{head}", "ROOT", "ROOT", *"__")
JOINED = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC UP:PRED UP:ARGHEADS UP:ARGSPANS\n"
SICK = "pair_ID\tsentence_A\tsentence_B\tentailment_label\tSemEval_set\n"
RTE3 = "id\tpremise\thypothesis\tlabel\tlabel_text\n"
XNLI = "language\tgold_label\tsentence1\tsentence2\n"
TERRA = '{{"premise": "{words}", "hypothesis": "Niin on .", "label": "entailment"}}'
DIALECTS = [
    Dialect("pos", "fi", "tdt", lambda words: " ".join(f"{word}##NOUN" for word in words) + "\n"),
    Dialect("pos", "en", "ewt", conllu),
    Dialect("dep", "tr", "imst", conllu),
    Dialect("ner", "tr", "wiki", rows("{word}", "B-ORG")),
    Dialect("ner", "fi", "finer", rows("{word}", "B-ORG", "O")),
    Dialect("ner", "fi", "finer_nested", rows("{word}", "B-ORG", "O")),
    Dialect("ner", "de", "germeval", rows("{n}", "{word}", "I-ORG", "O")),
    Dialect("ner", "de", "europarl", rows("{word}", "x", "N", "O", "I-ORG")),
    Dialect("ner", "es", "conll2002", spaced("{word}", "NC", "B-ORG")),
    Dialect("ner", "ru", "wikiner", spaced("{word}", "X", "B-X", "I-ORG")),
    Dialect("nli", "de", "xnli", pair("{words}\tNiin on .\tneutral")),
    Dialect("nli", "es", "xnli", pair("es\tneutral\t{words}\tNiin on ."), XNLI),
    Dialect("nli", "tr", "snli_tr", pair("0\t{words}\tNiin on ."), "gold_label\tsentence1\tsentence2\n"),
    Dialect("nli", "en", "sick", pair("1\t{words}\tNiin on .\tNEUTRAL\tTRAIN"), SICK, "\r\n"),
    Dialect("nli", "fr", "rte3", pair('1\t"{words}"\tNiin on .\t1\tneutral'), RTE3, "\r\n"),
    Dialect("nli", "es", "inferes", pair('"{words}",Niin on .,cnt'), "Premise,Hypothesis,Label\n", "\r\n"),
    Dialect("nli", "ru", "terra", pair(TERRA)),
    Dialect("srl", "fi", "finnish_up", joined, JOINED),
    Dialect(
        *("srl", "fi", "finnish_up_standoff", rows("{n}", "_", "_", "_")),
        header="# global.columns = ID UP:PRED UP:ARGHEADS UP:ARGSPANS\n",
        treebank=conllu,
    ),
    Dialect("srl", "fi", "finnish_pb", conllu),
    Dialect("srl", "tr", "propbank", conll09),
    Dialect("srl", "tr", "propbank_rows", conll09),
]
UNITS = (["talo"], ["Töölö", "on"], ["ja", "on"])
GOOD = (["talo"], ["ja"])
WORDS = {name: [f"a{number}" for number in range(n)] for name, n in (("many", 20_000), ("allowed", MAX_WORDS))}


def drawn(number: int) -> list[pytest.MarkDecorator]:
    return [pytest.mark.real_data] if number % 3 else []


def of_all(dialects, first=0):
    """Every dialect: a third, the rest in `make real`."""
    cases = [
        pytest.param(one, id=f"{one.task}-{one.lang}-{one.corpus}", marks=drawn(first + n))
        for n, one in enumerate(dialects)
    ]
    return pytest.mark.parametrize("dialect", cases)


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda one: f"{one.task}-{one.lang}-{one.corpus}")
def test_a_good_file_is_read(dialect, tmp_path):
    corpus = dialect.read(tmp_path, dialect.file(*UNITS), None)
    assert [len(getattr(corpus, split)) for split in SPLITS] == [3, 2, 2]


@of_all(DIALECTS)
def test_a_sentence_of_20000_words_is_refused_or_left_out_and_listed(dialect, tmp_path):
    units = (["talo"], WORDS["many"], ["ja"])
    with pytest.raises(MalformedLine, match=f"has 20000 words. Expected at most {MAX_WORDS} .data.max_words."):
        dialect.read(tmp_path, dialect.file(*units), None, units)
    corpus = dialect.read(tmp_path, dialect.file(*units), "skip", units)
    assert (len(corpus.train), len(corpus.malformed)) == (2, 1)
    units = (["talo"], WORDS["allowed"], ["ja"])
    assert len(dialect.read(tmp_path, dialect.file(*units), None, units).train) == 3


def tree(*heads: object) -> str:
    lines = (f"{n}\ta\t_\tX\t_\t_\t{head}\tdep\t_\t_\n" for n, head in enumerate(heads, start=1))
    return "".join(lines) + "\n"


def roles(argument: str) -> str:
    return f"1\ta\t_\tX{NO_ROLES}\t_\t_\t_\t_\t_\t_\n2\tb\t_\tX{NO_ROLES}\t_\t_\t_\tb.01\t{argument}\t_\n\n"


EMPTY_NODE_ALONE = "0.1\ta\t_\tX\t_\t_\t_\t_\t0:root\t_\n\n"
BY_NAME = {f"{one.task} {one.lang} {one.corpus}": one for one in DIALECTS}
BAD_PLACES = [  # dialect, text of a unit, line in it, what is found, what is expected
    ("dep tr imst", tree(2, 1, 0), 1, "the heads of word 1 lead back to it (a cycle)", "a tree"),
    ("dep tr imst", tree(0, 0), 2, "words 1 and 2 are roots", "one word with HEAD 0"),
    ("dep tr imst", tree(0, 3), 2, 'HEAD is "3", but the sentence has 2 words', "0 (root) to 2"),
    ("dep tr imst", tree(0, "_"), 2, 'HEAD is "_"', "a head and a relation at every word"),
    ("pos en ewt", tree(0).replace("X", "_"), 1, 'the word "a" has no UPOS', "a tag such as NOUN"),
    ("pos en ewt", EMPTY_NODE_ALONE, 1, "the sentence has no word", "at least one row with an integer ID"),
    ("pos fi tdt", "a##X b\n", 1, 'item 2 is "b"', "FORM##UPOS"),
    ("ner tr wiki", "a\tO\nb\tX-ORG\n\n", 2, 'the tag is "X-ORG"', '"O", or "B-" or "I-" and a type'),
    ("ner tr wiki", "a\tO\tO\n\n", 1, "the row has 3 columns", "2 columns (token, tag)"),
    ("nli de xnli", "\tNein .\tneutral\n", 1, "the premise is empty", "a sentence"),
    ("nli de xnli", "Ja .\tNein .\tperhaps\n", 1, 'the label is "perhaps"', "one of entailment, neutral"),
    ("nli es inferes", '"Sí,No,cnt\n', 1, "a quotation mark is not closed", "quoted cells"),
    ("nli en sick", "2\t\tNo .\tNEUTRAL\tTRAIN\n", 1, "the premise is empty", "a sentence"),
    (
        "nli ru terra",
        '{"premise": "", "hypothesis": "a", "label": "entailment"}\n',
        1,
        "the premise is empty",
        "a sent",
    ),
    ("nli ru terra", '{"premise": "a", "hypothesis": 3}\n', 1, "no premise or no hypothesis", "an object such as"),
    ("srl fi finnish_up", roles("A0:9"), 2, '"A0:9"', ""),
    ("srl tr propbank", conll09(["a"]).replace("\t_\n", "\t_\tA0\n"), 1, "1 columns of roles", "one column of"),
]


@pytest.mark.parametrize(("name", "unit", "line", "found", "expected"), BAD_PLACES)
def test_a_bad_place_is_refused_or_left_out_and_listed(name, unit, line, found, expected, tmp_path):
    dialect = BY_NAME[name]
    start, end = dialect.file(["talo"]), dialect.file(["ja"])[len(dialect.header.replace("\n", dialect.line_end)) :]
    content = start + unit.replace("\n", dialect.line_end).encode() + end
    with pytest.raises(MalformedLine) as error:
        dialect.read(tmp_path, content, None)
    assert (error.value.path, error.value.line) == (tmp_path / "train", start.count(b"\n") + line)
    assert found in error.value.found
    assert expected in error.value.expected
    corpus = dialect.read(tmp_path, content, "skip")
    assert len(corpus.malformed) == 1
    assert (
        str(error.value).removesuffix(" To count and leave out such places: data.on_malformed=skip") in corpus.malformed
    )


def test_a_corpus_of_which_nothing_is_left_is_refused(tmp_path):
    with pytest.raises(PolyprobeError, match="train has no sentence"):
        BY_NAME["dep tr imst"].read(tmp_path, tree(0, 0).encode(), "skip")
