import sys

import pytest

from polyprobe.datamodules.corpora.labelled_corpora import (
    chosen_corpus,
    file_names,
    read_corpus,
    reader_function,
    splits_in_common,
)
from polyprobe.errors import BadValue, MalformedLine, PolyprobeError, UnknownChoice
from polyprobe.formats.roles.conll2009 import conll2009_word_sentences
from polyprobe.runs.names.foreign_names import ForeignName

HEADER = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC UP:PRED UP:ARGHEADS UP:ARGSPANS\n"
EMPTY = "\t".join("_" * 6)


def sentence(identifier: str, argument: str) -> str:
    """Two words, the second a predicate with one argument."""
    first = f"1\tKissa\t_\tNOUN\t{EMPTY}\t_\t_\t_\n"
    second = f"2\tnukkuu\t_\tVERB\t{EMPTY}\tsleep.01\t{argument}\t_\n"
    return f"# sent_id = {identifier}\n{first}{second}\n"


@pytest.fixture
def folder(tmp_path):
    """A corpus whose train file has two arguments that point to no word, on lines 4 and 8."""
    texts = {
        "train": sentence("a.1", "A0:9") + sentence("a.2", "A0:9"),
        "dev": sentence("b.1", "A0:1") + sentence("c.1", "A0:1"),
        "test": sentence("d.1", "A0:1"),
    }
    for split, text in texts.items():
        (tmp_path / f"{split}.conllup").write_text(HEADER + text, encoding="utf-8")
    return tmp_path


def settings(**more):
    files = {split: f"{split}.conllup" for split in ("train", "dev", "test")}
    return {"reader": "polyprobe.formats.roles.universal_propbank.universal_propbank_sentences", **files, **more}


def test_places_that_a_corpus_is_known_for_are_left_out_and_listed(folder):
    corpus = read_corpus("c", settings(known_malformed_lines={"train": [4, 8]}), None, folder, None)
    assert [len(one.propositions[0].arguments) for one in corpus.train] == [0, 0]
    assert len(corpus.malformed) == 2


def test_a_known_corpus_that_is_cut_off_is_refused(folder):
    path = folder / "train.conllup"
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: text.rindex("Kissa")], encoding="utf-8")
    with pytest.raises(MalformedLine, match=r"train\.conllup, line 7"):
        read_corpus("c", settings(known_malformed_lines={"train": [4, 8]}), None, folder, None)


def test_the_user_may_skip_everything_or_refuse_everything(folder):
    assert len(read_corpus("c", settings(), "skip", folder, None).malformed) == 2
    with pytest.raises(MalformedLine, match="line 4"):
        read_corpus("c", settings(known_malformed_lines={"train": [4, 8]}), "refuse", folder, None)


def test_documents_left_out_of_dev_stay_in_the_whole(folder):
    left_out = settings(known_malformed_lines={"train": [4, 8]}, dev_documents_left_out=["b"])
    corpus = read_corpus("c", left_out, None, folder, None)
    assert [one.identifier for one in corpus.dev] == ["c.1"]
    assert [one.identifier for one in corpus.beside["dev_whole"]] == ["b.1", "c.1"]


def test_a_corpus_that_is_neither_here_nor_public_gives_way_to_the_one_it_names(folder):
    corpora = {"joined": settings(train="nowhere.conllup", otherwise="standoff"), "standoff": settings()}
    data = {"corpus": "joined", "corpora": corpora, "on_malformed": None}
    assert chosen_corpus(data, folder) == "standoff"
    with pytest.raises(UnknownChoice, match="Did you mean joined"):
        chosen_corpus({**data, "corpus": "joind"}, folder)
    with pytest.raises(UnknownChoice, match=r'data\.on_malformed "ignore" is unknown\. Known: refuse, skip'):
        chosen_corpus({**data, "on_malformed": "ignore"}, folder)


def test_a_reader_gets_the_options_of_its_entry(tmp_path):
    for split in ("train", "dev", "test"):
        (tmp_path / split).write_text("Ali\tN\tB-PER\n\n", encoding="utf-8")
    entry = {
        "reader": "polyprobe.formats.entities.entity_columns.entity_column_sentences",
        "reader_options": {"separator": "tab", "columns": ["token", "xpos", "tag"]},
    }
    files = {split: split for split in ("train", "dev", "test")}
    corpus = read_corpus("c", {**entry, **files, "beside": {"more": {**entry, "file": "test"}}}, None, tmp_path, None)
    assert [one.labels for one in (*corpus.train, *corpus.beside["more"])] == [("B-PER",), ("B-PER",)]


def test_splits_of_one_file_are_told_apart_by_their_own_options(tmp_path):
    (tmp_path / "all.txt").write_text("a\tb\t0\nc\td\t1\ne\tf\t0\n", encoding="utf-8")
    columns = ["premise", "hypothesis", "label"]
    options = {"separator": "tab", "quotes": "none", "line_end": "lf", "columns": columns, "where": {}}
    options |= {name: name for name in columns} | {"labels": {0: "neutral", 1: "entailment"}}
    entry = dict.fromkeys(("train", "dev", "test"), "all.txt")
    entry |= {"reader": "polyprobe.formats.pairs.labelled_pairs.table_pairs", "reader_options": options}
    corpus = read_corpus("c", {**entry, "split_options": {"dev": {"where": {"label": 1}}}}, None, tmp_path, None)
    assert [len(split) for split in (corpus.train, corpus.dev, corpus.test)] == [3, 1, 3]


def test_a_split_may_stand_in_several_files(folder):
    corpus = read_corpus("c", settings(dev=["dev.conllup", "test.conllup"], test="test.conllup"), "skip", folder, None)
    assert [one.identifier for one in corpus.dev] == ["b.1", "c.1", "d.1"]
    assert len(corpus.files) == 3


@pytest.mark.parametrize(("share", "kept"), [([0, 0.5], ["a.1"]), ([0.5, 1], ["a.2"]), ([0, 0.99], ["a.1"])])
def test_a_share_of_a_split_is_a_part_in_the_order_of_the_file(share, kept, folder):
    corpus = read_corpus("c", settings(shares={"train": share}), "skip", folder, None)
    assert [one.identifier for one in corpus.train] == kept
    assert [one.identifier for one in corpus.dev] == ["b.1", "c.1"]


def test_parts_of_a_draw_have_no_sentence_in_common(tmp_path):
    text = "".join(f"a{n % 30} b\n" for n in range(60))
    (tmp_path / "text.txt").write_text(text, encoding="utf-8")
    entry = {"reader": "text_sentences", **dict.fromkeys(("train", "dev", "test"), "text.txt")}
    entry |= {"shares": {"train": [0, 0.8], "dev": [0.8, 0.9], "test": [0.9, 1]}}
    corpora = [read_corpus("c", {**entry, "split_seed": seed}, None, tmp_path, None) for seed in (1, 1, 2)]
    splits = [[one.words for one in split] for split in (corpora[0].train, corpora[0].dev, corpora[0].test)]
    assert list(map(len, splits)) == [48, 6, 6]
    assert sum(len(set(split)) for split in splits) == 30
    assert corpora[0].test == corpora[1].test != corpora[2].test
    with pytest.raises(BadValue, match=r"data\.corpora\.c\.split_seed must be an integer of at least 0, got 'no'"):
        read_corpus("c", {**entry, "split_seed": "no"}, None, tmp_path, None)


@pytest.mark.parametrize("share", [[0], [0.5, 0.5], [0, 1.2], 0.8, None, [False, True]])
def test_a_share_that_is_no_part_is_refused_before_files_are_read(share, folder):
    (folder / "train.conllup").write_bytes(b"\xff")
    with pytest.raises(BadValue, match=r"data\.corpora\.c\.shares\.dev must be two numbers from 0 to 1"):
        read_corpus("c", settings(shares={"dev": share}), "refuse", folder, None)


def test_shares_are_those_of_splits_and_of_sets_beside(folder):
    with pytest.raises(UnknownChoice, match=r'data\.corpora\.c\.shares "tset" is unknown\. Did you mean test'):
        read_corpus("c", settings(shares={"tset": [0, 1]}), None, folder, None)
    more = {"reader": settings()["reader"], "file": "dev.conllup", "share": 0.5}
    with pytest.raises(BadValue, match=r"data\.corpora\.c\.beside\.more\.share must be two numbers from 0 to 1"):
        read_corpus("c", settings(beside={"more": more}), None, folder, None)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({}, {("train", "dev"), ("train", "test"), ("dev", "test")}),
        ({"shares": {"train": [0, 0.5], "dev": [0.5, 1]}}, {("train", "test"), ("dev", "test")}),
        ({"shares": {"train": [0, 0.6], "dev": [0.5, 0.8], "test": [0.8, 1]}}, {("train", "dev")}),
        ({"shares": {"train": [0, 0.5], "dev": [0.5, 0.75], "test": [0.75, 1]}}, set()),
        ({"dev": "other.conllup", "test": ["other.conllup", "test.conllup"]}, {("dev", "test")}),
        ({"split_options": {"train": {"x": 1}, "dev": {"x": 2}, "test": {"x": 3}}}, set()),
    ],
)
def test_splits_that_have_sentences_of_a_file_in_common_are_named(more, told):
    entry = dict.fromkeys(("train", "dev", "test"), "all.conllup") | more
    assert {(one, other) for one, other, _ in splits_in_common(entry)} == told


def test_a_split_that_lies_in_another_is_told_when_it_is_read(folder, caplog):
    read_corpus("c", settings(dev="test.conllup"), "skip", folder, None)
    (line,) = [one for one in caplog.messages if one.startswith("data.corpora.c")]
    assert line.startswith("data.corpora.c: dev and test both have sentences of test.conllup. Scores on them say")


def test_a_sentence_with_too_many_words_is_a_bad_place(folder):
    path = folder / "dev.conllup"
    path.write_text(HEADER + sentence("b.1", "A0:1").replace("\n\n", f"\n3\tja\t_\tX\t{EMPTY}\t_\t_\t_\n\n"))
    with pytest.raises(MalformedLine, match=r"dev\.conllup, line 3: the sentence has 3 words\. Expected at most 2"):
        read_corpus("c", settings(train="test.conllup"), None, folder, None, max_words=2)
    kept = read_corpus(
        "c", settings(train="test.conllup", dev=["dev.conllup", "test.conllup"]), "skip", folder, None, 2
    )
    assert [one.identifier for one in kept.dev] == ["d.1"]
    assert len(kept.malformed) == 1


def test_a_reader_is_named_by_its_own_name_or_with_a_module_of_ones_own(tmp_path, monkeypatch):
    (tmp_path / "mine_of_test_corpora.py").write_text("def read(path, on_malformed): yield from ()\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert reader_function("conll2009_word_sentences") is conll2009_word_sentences
    assert list(reader_function("mine_of_test_corpora.read")("a.txt", on_malformed=None)) == []
    with pytest.raises(ForeignName, match="Did you mean conll2009_word_sentences"):
        reader_function("conll2009_words_sentences")
    with pytest.raises(
        PolyprobeError, match=r'^reader="mine_of_test_corpora\.red": .* has no "red"\. Did you mean read'
    ):
        reader_function("mine_of_test_corpora.red")


OWN_READERS = """
def read(path, on_malformed):
    yield looked_up({}, path.read_text()[0])


def looked_up(table, first):
    return table[first]


def number(path, on_malformed):
    yield 5


def without_handler(path):
    return []
"""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("read", r"faulty_reader\.read failed in faulty_reader\.py, line 7: KeyError: '#'\."),
        ("number", r"faulty_reader\.number yields 5\. Expected "),
        ("without_handler", r"faulty_reader\.without_handler failed: TypeError: .*'on_malformed'"),
    ],
)
def test_a_fault_in_a_reader_of_ones_own_is_told_in_one_line(name, words, folder, monkeypatch, capsys):
    (folder / "faulty_reader.py").write_text(OWN_READERS)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [*sys.path])
    with pytest.raises(PolyprobeError, match=f"^{words}"):
        read_corpus("c", {**settings(train="test.conllup"), "reader": f"faulty_reader.{name}"}, None, folder, None)
    told = capsys.readouterr().err
    assert ("return table[first]" in told) == (name == "read")
    assert "labelled_corpora.py" not in told


def test_train_may_have_more_in_files_of_other_formats(folder):
    (folder / "more.conllu").write_text(f"# sent_id = x.1\n1\tKissa\t_\tNOUN\t{EMPTY}\n\n", encoding="utf-8")
    more = {"reader": "polyprobe.formats.treebanks.labelled_words.universal_pos_sentences", "file": "more.conllu"}
    entry = settings(train="test.conllup", more_train={"x": more, "part": {**settings(), "file": "dev.conllup"}})
    corpus = read_corpus("c", entry, None, folder, None)
    assert [len(corpus.train), len(corpus.dev), len(corpus.test)] == [4, 2, 1]
    assert [one.words for one in corpus.train] == [("Kissa", "nukkuu"), ("Kissa",), *[("Kissa", "nukkuu")] * 2]
    assert folder / "more.conllu" in corpus.files
    assert file_names("c", entry) == ["test.conllup", "dev.conllup", "more.conllu"]
