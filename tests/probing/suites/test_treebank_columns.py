"""Tests from columns of CoNLL-U: which words are rows, how many of a label, in which split."""

import re
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyprobe.display.terminal import Terminal
from polyprobe.errors import BadValue, MalformedLine, PolyprobeError, UnknownChoice
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.items import Form, TokenInContext
from polyprobe.probing.door import probe_settings
from polyprobe.probing.listed import probing_tests
from polyprobe.probing.suites.availability import available_tests
from polyprobe.probing.suites.own import own_suite
from polyprobe.probing.suites.tests import files_of_test, load_test
from polyprobe.probing.suites.treebank_columns import split_of
from polyprobe.splits import SPLITS
from tests.runs.composed import composed

LANG = {"code": "xx", "name": "X", "generator": None}
SHIPPED = {
    "where": None,
    "absent": "left_out",
    "several": "kept",
    "least_per_label": 1,
    "most_per_label": None,
    "split": None,
    "shares": [80, 10, 10],
    "split_seed": 1,
}
# ennes of 1-2 and the empty node 2.1 are no words; "em" has no case, "talot" two.
SENTENCE = (
    "# sent_id = a\n1-2\tennes\t_\t_\t_\t_\t_\t_\t_\t_\n1\ten\tei\tAUX\tV\tNumber=Sing\t2\taux\t_\t_\n"
    "2\tnes\tnes\tNOUN\tN\tCase=Gen|Number=Sing\t0\troot\t_\tGloss=x|SpaceAfter\n2.1\ttyhjä\t_\t_\t_\tCase=Ela\t_\t_\t_\t_\n"
    "3\ttalot\ttalo\tNOUN\tN\tCase=Acc,Nom|Number=Plur\t2\tobj\t_\t_\n\n"
)


def word(number, form, lemma=None, upos="NOUN", feats="_"):
    return f"{number}\t{form}\t{lemma or form}\t{upos}\t_\t{feats}\t0\troot\t_\t_\n"


def sentence(*words):
    return "".join(word(number, *one) for number, one in enumerate(words, start=1)) + "\n"


def write_splits(folder, text):
    folder.mkdir(exist_ok=True)
    for split in SPLITS:
        (folder / f"xx-ud-{split}.conllu").write_text(text, encoding="utf-8")
    return folder


def suite_of(path, column="feats.Case", level="token", **options):
    of_both = {"name": "own", "level": level, "lowercase": False, "column": column}
    return own_suite(str(path), "conllu", [], 0, None, False, **of_both, **SHIPPED | options)


def loaded(path, column="feats.Case", level="token", handler=refuse, **options):
    return load_test(suite_of(path, column, level, **options), LANG, column, path.parent, None, handler)


def rows(split):
    """The words of a split's items with their labels' numbers."""
    return [(items[0], label) for items, label in zip(split.items, split.label_ids, strict=True)]


def labels(test, split="train"):
    return [test.labels[number] for number in getattr(test, split).label_ids]


def test_a_row_is_a_syntactic_word_in_its_sentence(tmp_path):
    test = loaded(write_splits(tmp_path / "ud", SENTENCE))
    words = ("en", "nes", "talot")
    assert [items[0] for items in test.train.items] == [TokenInContext(words, 1), TokenInContext(words, 2)]
    assert labels(test) == ["Gen", "Acc,Nom"]
    assert test.train.lines == (4, 6)
    assert test.note == "skipped 3 words without feats.Case"


@pytest.mark.parametrize(
    ("column", "options", "expected"),
    [
        ("upos", {}, ["AUX", "NOUN", "NOUN"]),
        ("deprel", {}, ["aux", "root", "obj"]),
        ("lemma", {}, ["ei", "nes", "talo"]),
        ("misc.Gloss", {"absent": "none"}, ["none", "x", "none"]),
        ("feats.Case", {"absent": "none"}, ["none", "Gen", "Acc,Nom"]),
        ("feats.Case", {"absent": "none", "several": "left_out"}, ["none", "Gen"]),
        ("feats.Number", {}, ["Sing", "Sing", "Plur"]),
        ("feats.Number", {"where": {"upos": "NOUN"}}, ["Sing", "Plur"]),
        ("upos", {"where": {"feats.Number": ["Sing", None]}}, ["AUX", "NOUN"]),
        ("lemma", {"where": {"feats.Case": None, "upos": ["AUX", "NOUN"]}, "split": "files"}, "nothing"),
        ("deprel", {"where": {"feats.Case": [None, "Acc,Nom"]}}, ["aux", "obj"]),
    ],
)
def test_the_label_is_what_the_column_says(tmp_path, column, options, expected):
    path = write_splits(tmp_path / "ud", SENTENCE)
    if expected == "nothing":
        with pytest.raises(PolyprobeError, match="one label is left, ei"):
            loaded(path, column, **options)
    else:
        assert labels(loaded(path, column, **options)) == expected


def test_a_form_of_one_label_is_one_row_of_the_type_level(tmp_path):
    folder = write_splits(tmp_path / "ud", sentence(("a", "a", "X"), ("b", "b", "Y"), ("a", "a", "X")))
    (folder / "xx-ud-test.conllu").write_text(
        sentence(("b", "b", "Y"), ("c", "c", "X"), ("d", "d", "Y"), ("d", "d", "X"))
    )
    (folder / "xx-ud-dev.conllu").write_text(sentence(("e", "e", "X"), ("f", "f", "Y")))
    test = loaded(folder, "upos", "type", split="files")
    found = {split: [items[0] for items in getattr(test, split).items] for split in SPLITS}
    assert found == {"train": [Form("a"), Form("b")], "dev": [Form("e"), Form("f")], "test": [Form("c")]}
    assert test.note == "skipped 1 form with several labels"


def test_a_file_alone_is_dealt_out_and_a_folder_goes_by_the_names_of_its_files(tmp_path):
    text = "".join(sentence((f"a{n}", "a", "X"), (f"b{n}", "b", "Y")) for n in range(20))
    folder = write_splits(tmp_path / "ud", text)
    assert [len(getattr(loaded(folder, "upos"), split).items) for split in SPLITS] == [40, 40, 40]
    dealt = loaded(folder / "xx-ud-train.conllu", "upos")
    assert [len(getattr(dealt, split).items) for split in SPLITS] == [32, 4, 4]
    (folder / "xx-ud-dev.conllu").unlink()
    (folder / "xx-ud-test.conllu").unlink()
    with pytest.raises(BadValue, match=r"suite\.split must be sentence or lemma.*\(xx-ud-train\.conllu\), got 'files'"):
        loaded(folder, "upos", split="files")
    halves = loaded(folder, "upos", shares=[2, 1, 1])
    assert [len(getattr(halves, split).items) for split in SPLITS] == [20, 10, 10]


@pytest.mark.parametrize(
    ("name", "split"),
    [("train", "train"), ("tr_imst-ud-dev", "dev"), ("de_gsd_test", "test"), ("latest", None), ("contrain", None)],
)
def test_the_name_of_a_file_says_its_split(tmp_path, name, split):
    assert split_of(tmp_path / f"{name}.conllu") == split


def test_rare_labels_are_left_out_and_frequent_ones_drawn(tmp_path):
    text = "".join(sentence((f"a{n}", "a", "X"), (f"b{n}", "b", "Y")) for n in range(30)) + sentence(("c", "c", "Z"))
    path = tmp_path / "one.conllu"
    path.write_text(text)
    test = loaded(path, "upos", least_per_label=2, most_per_label=20)
    assert Counter(label for split in SPLITS for label in labels(test, split)) == {"X": 20, "Y": 20}
    assert test.note == "skipped 1 label of fewer than 2 rows"


@pytest.mark.parametrize(
    ("options", "error", "found"),
    [
        ({"column": "feats.Cas"}, UnknownChoice, 'suite.column "feats.Cas" is unknown. Did you mean feats.Case'),
        ({"column": "X:Y"}, UnknownChoice, 'suite.column "X:Y" is unknown. Known: '),
        ({"column": "case"}, PolyprobeError, 'suite.column "case" is unknown. As a feature: feats.case. Known: deprel'),
        ({"column": 3}, BadValue, "suite.column must be a column or a list"),
        ({"where": {"feats.Numbr": "Sing"}}, UnknownChoice, 'suite.where "feats.Numbr" is unknown. Did you mean'),
        ({"where": {"upos": True}}, BadValue, 'suite.where upos must be a value, null or a list of them; Yes'),
        ({"where": {"upos": ["NOUN", "AXU"]}}, UnknownChoice, 'suite.where upos "AXU" is unknown. Did you mean AUX?'),
        ({"where": {"upos": "AUX"}}, PolyprobeError, "nothing is left. No word of suite.where={'upos': 'AUX'} "),
        ({"least_per_label": 4}, PolyprobeError, "nothing is left. The words have Gen (3), Acc,Nom (3); labels of"),
        ({"split": "sentence", "level": "type"}, BadValue, "suite.split must be lemma or files with suite.level=type"),
        ({"level": "sentence"}, BadValue, "suite.level must be type or token with suite.format=conllu, got 'sentence'"),
        ({"shares": [1, 1]}, BadValue, "suite.shares must be three numbers above 0"),
        ({"split": "lemma", "shares": [98, 1, 1]}, PolyprobeError, "dev has no row, split by lemma"),
    ],
)  # fmt: skip
def test_what_makes_no_test_is_refused(tmp_path, options, error, found):
    path = write_splits(tmp_path / "ud", SENTENCE)
    with pytest.raises(error, match=re.escape(found)):
        loaded(path, **options)


def test_a_column_belongs_to_this_format_alone_and_a_folder_needs_files(tmp_path):
    (tmp_path / "a.txt").write_text("tr\tA\ta b\n")
    with pytest.raises(BadValue, match=r"suite\.column must be null with suite\.format=senteval"):
        own_suite(str(tmp_path), "senteval", [], 0, None, False, "own", "sentence", False, column="upos", **SHIPPED)
    with pytest.raises(PolyprobeError, match=r"has no file \*\.conllu\. Expected a file \*\.conllu, or a folder"):
        suite_of(tmp_path)


def test_a_bad_sentence_is_refused_or_left_out(tmp_path):
    bad = SENTENCE.replace("Case=Gen|", "Case|")
    folder = write_splits(tmp_path / "ud", SENTENCE)
    (folder / "xx-ud-dev.conllu").write_text(bad + SENTENCE, encoding="utf-8")
    with pytest.raises(MalformedLine, match=r'xx-ud-dev\.conllu, line 4: FEATS is "Case\|Number=Sing"'):
        loaded(folder)
    handler = Skipped()
    assert len(loaded(folder, handler=handler).dev.items) == 2
    assert len(handler.places) == 1


def test_several_columns_are_a_test_each_and_are_listed_with_their_sizes(tmp_path, capsys):
    folder = write_splits(tmp_path / "ud", SENTENCE)
    suite = suite_of(folder, ["upos", "feats.Case"])
    assert [one.name for one in available_tests(suite, LANG, tmp_path)] == ["upos", "feats.Case"]
    typed = ("suite=own", f"suite.path={folder}", "suite.format=conllu", "suite.level=token", "lang=fi")
    paths = (f"paths.data={tmp_path / 'data'}", f"paths.work={tmp_path / 'work'}")
    for one in probing_tests(probe_settings(composed("probe", *typed, "suite.column=[upos,feats.Case]", *paths))):
        Terminal().print(one)
    lines = [re.findall(r"[\w.]+", line) for line in capsys.readouterr().out.splitlines()]
    assert ["upos", "3", "3", "3", "present"] in lines
    assert ["feats.Case", "2", "2", "2", "present"] in lines


def test_whatever_makes_other_rows_makes_another_version(tmp_path):
    folder = write_splits(tmp_path / "ud", SENTENCE)

    def version(column="feats.Case", level="token", **options):
        return files_of_test(suite_of(folder, column, level, **options), LANG, column, tmp_path, None).version

    versions = [
        version(),
        version("upos"),
        version(level="type"),
        version(where={"upos": "NOUN"}),
        version(absent="none"),
        version(split_seed=2),
    ]
    assert len(set(versions)) == len(versions)
    assert version() == versions[0]
    (folder / "xx-ud-dev.conllu").write_text(SENTENCE * 2, encoding="utf-8")
    assert version() != versions[0]


FORMS = st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("klmno"), st.sampled_from("XYZ"))
TREEBANK = st.lists(st.lists(FORMS, min_size=1, max_size=4), min_size=6, max_size=40)


@settings(max_examples=60, deadline=None)
@given(TREEBANK, st.sampled_from(["sentence", "lemma"]), st.integers(0, 3), st.sampled_from([None, 3, 8]))
def test_dealing_out_keeps_sentences_or_lemmas_together(tmp_path_factory, treebank, by, seed, most):
    path = tmp_path_factory.mktemp("ud") / "one.conllu"
    path.write_text("".join(sentence(*words) for words in treebank))
    try:
        test = loaded(path, "upos", split=by, split_seed=seed, most_per_label=most, shares=[2, 1, 1])
    except PolyprobeError as error:
        if not re.search("one label|has no row", str(error)):
            raise
        return
    expected = Counter(upos for words in treebank for *_, upos in words)
    found = Counter(label for split in SPLITS for label in labels(test, split))
    assert found == {label: n if most is None else min(n, most) for label, n in expected.items()}
    again = loaded(path, "upos", split=by, split_seed=seed, most_per_label=most, shares=[2, 1, 1])
    for split in SPLITS:
        assert rows(getattr(again, split)) == rows(getattr(test, split))
        assert list(getattr(test, split).lines) == sorted(getattr(test, split).lines)
    if by == "sentence":
        sentences = [{items[0].words for items in getattr(test, split).items} for split in SPLITS]
        assert all(one.isdisjoint(other) for one, other in combinations(sentences, 2))
    else:
        text = path.read_text().splitlines()
        lemmas = [{text[line - 1].split("\t")[2] for line in getattr(test, split).lines} for split in SPLITS]
        assert all(one.isdisjoint(other) for one, other in combinations(lemmas, 2))


@settings(max_examples=60, deadline=None)
@given(TREEBANK, st.integers(0, 3))
def test_no_form_of_the_type_level_is_in_two_splits(tmp_path_factory, treebank, seed):
    path = tmp_path_factory.mktemp("ud") / "one.conllu"
    path.write_text("".join(sentence(*words) for words in treebank))
    try:
        test = loaded(path, "upos", "type", split_seed=seed, shares=[2, 1, 1])
    except PolyprobeError as error:
        if not re.search("nothing is left|one label|has no row", str(error)):
            raise
        return
    of_form = {}
    for words in treebank:
        for form, _, upos in words:
            of_form.setdefault(form, set()).add(upos)
    found = [(items[0].form, label) for split in SPLITS for items, label in
             zip(getattr(test, split).items, labels(test, split), strict=True)]  # fmt: skip
    assert sorted(found) == sorted((form, *upos) for form, upos in of_form.items() if len(upos) == 1)


def test_a_further_column_of_conllu_plus_is_a_test(tmp_path):
    lines = (f"1\tw{n}\tNOUN\t{'XY'[n % 2]}\n2\tend\tX\t_\n\n" for n in range(20))
    (tmp_path / "a.conllu").write_text("# global.columns = ID FORM UPOS MY:LABEL\n" + "".join(lines), encoding="utf-8")
    test = load_test(suite_of(tmp_path / "a.conllu", "MY:LABEL"), LANG, "MY:LABEL", tmp_path, None, refuse)
    assert test.labels == ("X", "Y")
    assert sum(len(getattr(test, split).items) for split in SPLITS) == 20
