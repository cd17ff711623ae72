"""Entries of one's own corpora: the shortest that is read, and each mistake in one line with the known options."""

import re

import pytest

from polyprobe.datamodules.corpora.labelled_corpora import read_corpus
from polyprobe.errors import PolyprobeError
from polyprobe.training.word_vectors.run import read_text

FILES = {
    "a.tsv": "Olaf\tB-PER\nser\tO\n\n",
    "a.txt": "Olaf NN B-PER\nser VB O\n\n",
    "nli.tsv": "premise\thypothesis\tlabel\nHann ser.\tHann etr.\tneutral\n",
    "nli.csv": 'premise,hypothesis,label\n"Hann, ser.",Hann etr.,neutral\n',
    "nli.jsonl": '{"premise": "Hann ser.", "hypothesis": "Hann etr.", "label": "neutral"}\n',
    "text.txt": "Hann ser .\nHann etr .\n",
    "text.en": "He sees.\nHe eats.\n",
    "text.xno": "Hann ser.\nHann etr.\n",
    "s1": "Hann ser .\n",
    "s2": "Hann etr .\n",
    "gold": "neutral\n",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def read(folder, reader, file, **more):
    entry = {"reader": reader, "train": file, "dev": file, "test": file, **more}
    return read_corpus("mine", entry, None, folder, None).train


@pytest.mark.parametrize(
    ("reader", "file", "more", "first"),
    [
        ("entity_column_sentences", "a.tsv", {}, ("Olaf", "ser")),
        ("table_pairs", "nli.tsv", {}, ("Hann", "ser", ".")),
        ("table_pairs", "nli.csv", {}, ("Hann", ",", "ser", ".")),
        ("object_pairs", "nli.jsonl", {}, ("Hann", "ser", ".")),
        ("text_sentences", "text.txt", {}, ("Hann", "ser", ".")),
        (
            *("parallel_sentences", "text.xno"),
            *({"further_files": {"target": {"replace": ".xno", "by": ".en"}}}, ("Hann", "ser", ".")),
        ),
        ("repeated_sentences", "text.txt", {}, ("Hann", "ser", ".")),
        ("next_sentences", "text.txt", {"reader_options": {"borders": "files"}}, ("Hann", "ser", ".")),
        (
            *("file_pairs", "s1"),
            *({"further_files": {"hypotheses": {"replace": "1", "by": "2"}, "gold": {"replace": "s1", "by": "gold"}}},),
            ("Hann", "ser", "."),
        ),
    ],
)
def test_a_reader_needs_nothing_that_its_file_says_by_itself(reader, file, more, first, folder):
    one = read(folder, reader, file, **more)[0]
    assert getattr(one, "premise", None) or one.words == first


@pytest.mark.parametrize("reader", ["text_sentences", "corpus_sentences"])
def test_word_vectors_are_trained_on_any_text(reader, folder):
    text = read_text("mine", {"reader": reader, "train": "text.txt"}, None, folder, None, "unicode")
    assert text.sentences == [["hann", "ser", "."], ["hann", "etr", "."]]


BAD_OPTION = {"reader": "table_pairs", "file": "x", "reader_options": {"premis": "a"}}


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (
            {"reader": "entity_column_sentences", "reader_options": {"separater": "tab"}},
            'data.corpora.mine.reader_options "separater" is unknown. Did you mean separator? Known: columns, sep',
        ),
        (
            {"reader": "table_pairs", "split_options": {"dev": {"premis": "a"}}},
            'mine.split_options.dev "premis" is unknown. Did you mean premise',
        ),
        (
            {"reader": "text_sentences", "beside": {"b": BAD_OPTION}},
            'data.corpora.mine.beside.b.reader_options "premis" is unknown',
        ),
        *(
            ({"reader": "table_pairs", key: 3}, f"data.corpora.mine.{key} must be a group of keys, such as {{")
            for key in ("reader_options", "split_options", "shares", "further_files", "more_train", "beside")
        ),
        ({"reader": "table_pairs", "reader_option": {}}, '"reader_option" is unknown. Did you mean reader_options'),
        (
            {"reader": "parallel_sentences"},
            "needs target. Expected data.corpora.mine.further_files={target: {replace: .en, by: .fi}}",
        ),
        (
            {"reader": "parallel_sentences", "further_files": {"targets": {"replace": "x", "by": "y"}}},
            'data.corpora.mine.further_files "targets" is unknown. Did you mean target?',
        ),
        ({"reader": "text_sentences", "beside": {"b": {"file": "x"}}}, "data.corpora.mine.beside.b has no reader."),
    ],
)
def test_what_a_reader_does_not_take_is_refused_before_any_file_is_read(entry, words, tmp_path):
    with pytest.raises(PolyprobeError, match=re.escape(words)):
        read_corpus("mine", {"train": "x", "dev": "x", "test": "x", **entry}, None, tmp_path, None)


@pytest.mark.parametrize(
    ("reader", "file", "options", "words"),
    [
        ("entity_column_sentences", "a.txt", {}, "reader_options: {separator: space, columns: [token, …, tag]}"),
        (
            "entity_column_sentences",
            "a.tsv",
            {"separator": ";"},
            'mine.reader_options.separator ";" is unknown. Known: space, tab.',
        ),
        ("entity_column_sentences", "a.tsv", {"columns": 3}, 'columns must be a list of names of columns, "token"'),
        ("table_pairs", "nli.tsv", {"premise": "s1"}, "no column s1, separated by tabs. Expected the columns s1, hyp"),
        ("table_pairs", "nli.tsv", {"labels": ["neutral"]}, "labels must be a group of keys, such as {E: entailment"),
        ("table_pairs", "nli.tsv", {"labels": {"N": "neutral"}}, "reader_options: {labels: {N: neutral, neutral: …}}"),
        (
            "table_pairs",
            "nli.tsv",
            {"labels": {"N": "no"}},
            'data.corpora.mine.reader_options.labels.N "no" is unknown',
        ),
    ],
)
def test_a_file_of_another_layout_names_the_options_that_read_it(reader, file, options, words, folder):
    with pytest.raises(PolyprobeError, match=re.escape(words)):
        read(folder, reader, file, reader_options=options)


@pytest.mark.parametrize("languages", ["en", ["en", None]])
def test_languages_of_parallel_text_are_two(languages, folder):
    further = {"target": {"replace": ".xno", "by": ".en"}}
    with pytest.raises(PolyprobeError, match=r"languages must be two codes, .* such as \[en, fi\], got"):
        read(folder, "parallel_sentences", "text.xno", further_files=further, reader_options={"languages": languages})
