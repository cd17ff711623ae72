import pytest

from polyprobe.datamodules.corpora.further_files import further_files
from polyprobe.datamodules.corpora.labelled_corpora import file_names, read_corpus
from polyprobe.errors import BadValue, PolyprobeError

RULE = {"target": {"replace": ".en", "by": ".fr"}}


def settings(**more):
    return {
        "reader": "polyprobe.formats.texts.sentence_lines.parallel_sentences",
        "reader_options": {"tokenised_by": "blanks", "languages": ["en", "fr"]},
        "train": ["news.en/a.en", "b.en"],
        "dev": "b.en",
        "test": "b.en",
        **more,
    }


@pytest.fixture
def folder(tmp_path):
    texts = {"news.en/a.en": "a\n", "news.en/a.fr": "x\n", "b.en": "b\nc\n", "b.fr": "y\nz\n"}
    (tmp_path / "news.en").mkdir()
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


BY_SPLIT = {"target": {"train": ["news.en/a.fr", "b.fr"], "dev": "b.fr", "test": ["b.fr"]}}


@pytest.mark.parametrize("further", [RULE, BY_SPLIT], ids=["rule", "split"])
def test_each_file_of_a_split_is_read_with_its_further_file(further, folder):
    entry = settings(further_files=further)
    corpus = read_corpus("c", entry, None, folder, None)
    assert [(one.words, one.target) for one in corpus.train] == [
        (("a",), ("x",)),
        (("b",), ("y",)),
        (("c",), ("z",)),
    ]
    assert [len(corpus.dev), len(corpus.test)] == [2, 2]
    assert {str(file.relative_to(folder)) for file in corpus.files} == {"news.en/a.en", "news.en/a.fr", "b.en", "b.fr"}
    assert file_names("c", entry) == ["news.en/a.en", "b.en", "news.en/a.fr", "b.fr"]


def test_a_test_set_beside_has_its_further_file_by_the_rule(folder):
    beside = {"a": {**settings(), "file": "news.en/a.en", "further_files": RULE}}
    corpus = read_corpus("c", settings(train="b.en", further_files=RULE, beside=beside), None, folder, None)
    assert [one.target for one in corpus.beside["a"]] == [("x",)]
    assert len(corpus.files) == 4


def test_one_file_by_split_serves_all_files_of_the_split():
    entry = {"train": ["a", "b"], "treebank": {"train": "trees"}}
    assert further_files(entry, "train") == [{"treebank": "trees"}, {"treebank": "trees"}]


def test_lists_of_unequal_length_are_refused():
    entry = {"train": ["a", "b"], "further_files": {"target": {"train": ["x"]}}}
    with pytest.raises(PolyprobeError, match="train has 2 files, and 1 as target"):
        further_files(entry, "train")


FILES = {"train": "a", "dev": "b", "test": "c"}


@pytest.mark.parametrize(
    "further",
    [
        ".fr",
        {"replace": ".en"},
        {"replace": ".en", "by": 1},
        {**FILES, "train": 3},
        {**FILES, "dev": ["x", 3]},
        {"train": "a", "valid": "b", "test": "c"},
    ],
)
def test_what_is_neither_a_rule_nor_files_is_refused_with_its_key(further):
    expected = r"must be files for {}, or a rule such as {{replace: \.en, by: \.fr}}, got"
    of_splits, of_one = expected.format("train, dev, test"), expected.format("file")
    with pytest.raises(BadValue, match=rf"^data\.corpora\.c\.further_files\.target {of_splits}"):
        file_names("c", settings(further_files={"target": further}))
    with pytest.raises(BadValue, match=rf"^data\.corpora\.c\.treebank {of_splits}"):
        file_names("c", settings(treebank=further))
    entry = {**settings(), "file": "b.en", "further_files": {"target": {"train": "b.fr"}}}
    with pytest.raises(BadValue, match=rf"^data\.corpora\.c\.beside\.x\.further_files\.target {of_one}"):
        file_names("c", settings(further_files=RULE, beside={"x": entry}))


def test_a_further_file_that_is_missing_is_named(folder):
    (folder / "b.fr").unlink()
    with pytest.raises(PolyprobeError, match=r"b\.fr is missing"):
        read_corpus("c", settings(further_files=RULE), None, folder, None)
