import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyprobe.errors import BadValue, MalformedLine, UnknownChoice
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.generation.made_tests.writing import Source
from polyprobe.generation.text_corpora.gathered_text import CorpusOptions
from polyprobe.generation.text_corpora.prepared_corpus import FILES, CorpusMaker, NothingLeft

SETTINGS = {
    "layout": "sentences",
    "tokenised_by": "blanks",
    "duplicates": "kept",
    "lengths": None,
    "shares": {"train": 0.5, "dev": 0.25, "test": 0.25},
    "most_words": None,
    "n_words": 100,
    "least_word_count": 1,
    "vocabulary_splits": ["train", "dev"],
    "max_unknown_share": None,
    "unknown": "kept",
}
PLAIN = CorpusOptions(language="xx", seed=1, **SETTINGS)
SENTENCE = st.lists(st.sampled_from([*"abcdefgh", "<unk>"]), min_size=1, max_size=12).map(" ".join)
SENTENCES = st.lists(SENTENCE, min_size=12, max_size=60)


def prepared(folder: Path, texts: list[str], options: CorpusOptions) -> dict[str, list[str]]:
    """Prepares texts; returns the lines of each file that is written."""
    sources = []
    for number, text in enumerate(texts):
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
        sources.append(Source(folder / f"{number}.txt"))
    list(CorpusMaker(options, {"texts": sources}, refuse).make(folder / "sets", None))
    return lines_in(folder / "sets" / options.language)


def lines_in(folder: Path) -> dict[str, list[str]]:
    return {path.name: path.read_text(encoding="utf-8").splitlines() for path in folder.glob("*.txt")}


def of_splits(files: dict[str, list[str]]) -> list[str]:
    return [line for name in FILES.values() for line in files[name]]


def prepared_apart(sentences: list[str], options: CorpusOptions) -> dict[str, list[str]]:
    with TemporaryDirectory() as folder:
        return prepared(Path(folder), ["".join(f"{one}\n" for one in sentences)], options)


def tried(sentences: list[str], options: CorpusOptions) -> dict[str, list[str]] | None:
    """Returns None where nothing is left for a split."""
    try:
        return prepared_apart(sentences, options)
    except NothingLeft:
        return None


@settings(max_examples=30)
@given(SENTENCES, st.integers(0, 5))
def test_every_sentence_is_in_exactly_one_split(sentences, seed):
    files = tried(sentences, replace(PLAIN, seed=seed))
    assert files is None or Counter(of_splits(files)) == Counter(sentences)


@settings(max_examples=30)
@given(SENTENCES)
def test_each_sentence_stays_once_where_repeated_ones_are_left_out(sentences):
    files = tried(sentences, replace(PLAIN, duplicates="left_out"))
    assert files is None or sorted(of_splits(files)) == sorted(set(sentences))


@settings(max_examples=30)
@given(SENTENCES)
def test_a_sentence_is_in_the_split_in_whose_share_its_first_word_falls(sentences):
    files = tried(sentences, PLAIN)
    if files is None:
        return
    total = sum(len(one.split()) for one in sentences)
    before = 0
    for name, start, end in (("train.txt", 0, 0.5), ("valid.txt", 0.5, 0.75), ("test.txt", 0.75, 1)):
        for sentence in files[name]:
            assert start * total <= before < end * total
            before += len(sentence.split())


@settings(max_examples=30)
@given(SENTENCES, st.integers(1, 6), st.sampled_from([0.0, 0.05, 0.25, 0.5]))
def test_sentences_with_too_many_unknown_words_are_left_out_and_no_others(sentences, n_words, share):
    whole = tried(sentences, replace(PLAIN, n_words=n_words))
    files = tried(sentences, replace(PLAIN, n_words=n_words, max_unknown_share=share))
    if whole is None or files is None:
        return
    counts = Counter(word for name in ("train.txt", "valid.txt") for one in whole[name] for word in one.split())
    del counts["<unk>"]
    known = sorted(counts, key=lambda word: (-counts[word], word))[:n_words]
    assert files["vocab.txt"] == whole["vocab.txt"] == known

    def is_kept(sentence: str) -> bool:
        words = sentence.split()
        return sum(word not in known for word in words) <= share * len(words)

    for name in FILES.values():
        assert files[name] == list(filter(is_kept, whole[name]))


@settings(max_examples=30)
@given(SENTENCES)
def test_unknown_words_are_replaced_in_their_places(sentences):
    options = replace(PLAIN, n_words=3)
    kept, replaced = tried(sentences, options), tried(sentences, replace(options, unknown="replaced"))
    if kept is None:
        return
    known = set(kept["vocab.txt"])
    for name in FILES.values():
        by_hand = [" ".join(word if word in known else "<unk>" for word in one.split()) for one in kept[name]]
        assert replaced[name] == by_hand


@settings(max_examples=30)
@given(SENTENCES)
def test_the_same_seed_makes_the_same_files(sentences):
    assert tried(sentences, PLAIN) == tried(sentences, PLAIN)


FORTY = [f"w{number} x y z" for number in range(40)]


def test_another_seed_makes_another_order():
    one, other = (prepared_apart(FORTY, replace(PLAIN, seed=seed)) for seed in (1, 2))
    assert one["train.txt"] != other["train.txt"]


def test_splits_are_cut_behind_the_sentence_with_the_last_word_asked_for():
    sizes = {"train": 41, "dev": 8, "test": 1}
    whole, cut = prepared_apart(FORTY, PLAIN), prepared_apart(FORTY, replace(PLAIN, most_words=sizes))
    for name, n_sentences in (("train.txt", 11), ("valid.txt", 2), ("test.txt", 1)):  # of four words
        assert cut[name] == whole[name][:n_sentences]


def test_a_split_without_so_many_words_is_told():
    sizes = {"train": 81, "dev": 8, "test": 1}
    with pytest.raises(
        BadValue, match=r"lm_corpus\.most_words\.train must be at most 80, the words that train has, got 81"
    ):
        prepared_apart(FORTY, replace(PLAIN, most_words=sizes))


def test_texts_are_cut_into_sentences_and_words(tmp_path):
    text = '<doc id="1" title="T">\nT\n\nIt rained, Mr. Doe said. He left.\nYes!\n</doc>\n'
    options = replace(PLAIN, layout="wikipedia", tokenised_by="moses", language="en")
    files = prepared(tmp_path, [text, text.replace("Yes", "No").replace("He", "She").replace("rained", "is")], options)
    sentences = ["It rained , Mr. Doe said .", "He left .", "Yes !", "It is , Mr. Doe said .", "She left .", "No !"]
    assert sorted(of_splits(files)) == sorted(sentences)


def test_the_mark_of_an_end_is_dropped_and_lengths_are_kept_to(tmp_path):
    text = "".join(f"{one} <eos>\n" for one in [*FORTY, "a", "a b c d e"])
    files = prepared(tmp_path, [text], replace(PLAIN, lengths=[2, 4]))
    assert sorted(of_splits(files)) == sorted(FORTY)
    said = json.loads((tmp_path / "sets/xx/statistics.json").read_text(encoding="utf-8"))
    assert said["filters"][0] == {
        "filter": "shorter or longer",
        "unit": "sentences",
        "taken": 2,
        "share": 0.047619,
        "left": 40,
    }
    assert {split: counts["words"] for split, counts in said["splits"].items()} == {"train": 80, "dev": 40, "test": 40}


def test_what_unknown_words_cost_each_split_is_counted_in_words(tmp_path):
    text = "x y z x\n" * 40 + "".join(f"{one}\n" for one in FORTY)
    prepared(tmp_path, [text], replace(PLAIN, n_words=3, max_unknown_share=0.05))
    said = json.loads((tmp_path / "sets/xx/statistics.json").read_text(encoding="utf-8"))["splits"]
    assert sum(counts["words"] for counts in said.values()) == 160
    assert sum(counts["words_left_out"] for counts in said.values()) == 160
    assert said["test"]["words"] + said["test"]["words_left_out"] == 80


@pytest.mark.parametrize(
    ("line", "found"),
    [("a <eos> b", "<eos> stands inside a sentence"), ("a " * 10_001, "the sentence has 10,001 words")],
)
def test_a_sentence_that_no_model_could_read_is_malformed(line, found, tmp_path):
    text = "".join(f"{one}\n" for one in [*FORTY, line])
    with pytest.raises(MalformedLine, match=f"line 41: {found}"):
        prepared(tmp_path, [text], PLAIN)
    skipped = Skipped()
    maker = CorpusMaker(PLAIN, {"texts": [Source(tmp_path / "0.txt")]}, skipped)
    list(maker.make(tmp_path / "sets", None))
    assert len(skipped.places) == 1
    assert sorted(of_splits(lines_in(tmp_path / "sets/xx"))) == sorted(FORTY)


@pytest.mark.parametrize("tokenised_by", ["moses", "words_and_signs", "blanks"])
def test_the_mark_of_an_end_is_seen_however_words_are_cut(tokenised_by, tmp_path):
    options = replace(PLAIN, tokenised_by=tokenised_by, language="en")
    files = prepared(tmp_path, ["".join(f"{one} <eos>\n" for one in FORTY)], options)
    assert sorted(of_splits(files)) == sorted(FORTY)
    with pytest.raises(MalformedLine, match="line 1: <eos> stands inside a sentence"):
        prepared(tmp_path, ["a <eos> b .\n"], options)


@pytest.mark.parametrize("layout", ["sentences", "paragraphs", "blocks", "wikipedia"])
def test_an_empty_text_is_malformed(layout, tmp_path):
    options = replace(PLAIN, layout=layout, language="en")
    with pytest.raises(MalformedLine, match="line 1: the file is empty"):
        prepared(tmp_path, [""], options)
    text = (
        '<doc id="1" title="T">\nT\n' + "\n\n".join(FORTY) + "\n</doc>\n"
        if layout == "wikipedia"
        else "\n\n".join(FORTY)
    )
    (tmp_path / "1.txt").write_text(text, encoding="utf-8")
    skipped = Skipped()
    texts = [Source(tmp_path / "0.txt"), Source(tmp_path / "1.txt")]
    list(CorpusMaker(options, {"texts": texts}, skipped).make(tmp_path / "sets", None))
    assert [place.path.name for place in skipped.places] == ["0.txt"]
    assert sorted(of_splits(lines_in(tmp_path / "sets/en"))) == sorted(FORTY)


def test_a_corpus_that_fails_leaves_nothing(tmp_path):
    with pytest.raises(NothingLeft, match="No sentence is left for dev"):
        prepared(tmp_path, ["a b\n"], PLAIN)
    assert list((tmp_path / "sets").iterdir()) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"layout": "lines"}, "lm_corpus.layout"),
        ({"shares": {"train": 0.5, "dev": 0.25, "test": 0.5}}, "lm_corpus.shares must be shares with the sum 1"),
        ({"shares": {"train": 1}}, "lm_corpus.shares must be a number for train, dev and test"),
        ({"lengths": [3, 2]}, "lm_corpus.lengths"),
        ({"n_words": 0}, "lm_corpus.n_words"),
        ({"max_unknown_share": 5}, "lm_corpus.max_unknown_share"),
        ({"vocabulary_splits": ["test"]}, "lm_corpus.vocabulary_splits"),
        ({"vocabulary_splits": []}, "lm_corpus.vocabulary_splits"),
        ({"unknown": "left_out"}, "lm_corpus.unknown"),
        ({"most_words": {"train": 0, "dev": 1, "test": 1}}, "lm_corpus.most_words.train"),
    ],
)
def test_an_option_out_of_its_range_is_refused_with_its_key(changes, message):
    with pytest.raises((BadValue, UnknownChoice), match=message):
        CorpusOptions.of({**SETTINGS, **changes}, language="xx", seed=1)
