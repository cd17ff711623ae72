"""What `list=` prints, on files of a few lines."""

import pytest

from polyprobe.display.terminal import Terminal
from polyprobe.errors import BadValue, Impossible, PolyprobeError, UnknownChoice
from polyprobe.probing.door import probe_settings
from polyprobe.probing.listed import listed as listing
from tests.runs.composed import composed

NO_LINES = str.maketrans("│┃", "  ")


@pytest.fixture
def listed(tmp_path, capsys):
    """Prints a list about a data folder; returns its lines, cells by blanks."""

    def printed(*arguments):
        settings = composed("probe", *arguments, f"paths.data={tmp_path}", f"paths.work={tmp_path / 'work'}")
        for one in listing(probe_settings(settings)):
            Terminal().print(one)
        assert not (tmp_path / "work").exists()
        return [line.translate(NO_LINES).split() for line in capsys.readouterr().out.splitlines()]

    return printed


def write(folder, text, *path):
    file = folder.joinpath(*path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


GAPPING = "tr\t0\ta b a\ntr\t0\tc d\ntr\t1\tA\nva\t1\tb c d\nte\t0\ta\nte\t1\te f\n"


def test_the_files_of_a_test_are_counted_split_by_split_and_together(listed, tmp_path):
    write(tmp_path, GAPPING, "rusenteval", "gapping.txt")
    lines = listed("suite=rusenteval", "lang=ru", "list=statistics")
    assert ["Gapping", "train", "3", "6", "5", "2.00"] in lines  # a and A are two words
    assert ["dev", "1", "3", "3", "3.00"] in lines
    assert ["test", "2", "3", "3", "1.50"] in lines
    assert ["overall", "6", "12", "7", "2.00"] in lines


def test_labels_have_their_shares_of_all_and_the_majority_that_of_train(listed, tmp_path):
    write(tmp_path, GAPPING, "rusenteval", "gapping.txt")
    lines = listed("suite=rusenteval", "lang=ru", "list=statistics")
    assert ["Gapping", "2/1", "0", "50.0,", "1", "50.0", "0", "66.7", "50.0"] in lines
    assert "Not present, so not counted: SentLen, WC" in " ".join(" ".join(line) for line in lines)


def test_of_forms_the_distinct_ones_are_counted_both_of_a_pair(listed, tmp_path):
    for split, text in {"train": "talo\tA\ntalot\tB\ntalo\tA\n", "dev": "yö\tA\n", "test": "öiden\tB\n"}.items():
        write(tmp_path, text, "linspector", "type", "finnish", "Number", f"{split}.txt")
        write(tmp_path, "a\tb\tX\nc\td\tX\n", "linspector", "type", "finnish", "SameFeat", f"{split}.txt")
    lines = listed("suite=linspector_type", "lang=fi", "tests=[Number,SameFeat]", "list=statistics")
    assert ["Number", "train", "3", "2"] in lines
    assert ["overall", "5", "4"] in lines
    assert ["SameFeat", "train", "2", "4"] in lines
    assert ["Number", "2/1", "A", "60.0,", "B", "40.0", "A", "66.7", "0.0"] in lines


def treebank(*sentences):
    """A treebank with Case=Acc at each b, no case at full stops, and Case=Nom at all other words."""
    cases = {"b": "Case=Acc", ".": "_"}
    blocks = [
        "".join(
            f"{n}\t{word}\t{word}\tNOUN\t_\t{cases.get(word, 'Case=Nom')}\t0\troot\t_\t_\n"
            for n, word in enumerate(sentence.split(), start=1)
        )
        for sentence in sentences
    ]
    return "".join(f"{block}\n" for block in blocks)


def test_a_sentence_with_a_row_for_each_of_its_words_is_counted_once(listed, tmp_path):
    for split, sentences in {"train": ["a b .", "c ."], "dev": ["a b ."], "test": ["d e f ."]}.items():
        write(tmp_path, treebank(*sentences), "ud", f"x-{split}.conllu")
    own = ["suite=own", "lang=fi", f"suite.path={tmp_path / 'ud'}", "suite.format=conllu", "suite.level=token"]
    lines = listed("lang=tr", *own, "suite.column=feats.Case", "suite.split=files", "list=statistics")
    assert ["feats.Case", "train", "3", "2", "5", "4", "2.50"] in lines  # a b . and c .: the first has two rows
    assert ["dev", "2", "1", "3", "3", "3.00"] in lines
    assert ["overall", "8", "3", "9", "7", "3.00"] in lines  # a b . is in train and in dev


def test_statistics_of_files_that_are_not_here_are_refused_and_nothing_is_fetched(listed):
    with pytest.raises(Impossible, match=r"No file of suite=rusenteval for lang=ru .* list=true names them"):
        listed("suite=rusenteval", "lang=ru", "list=statistics")


def test_languages_stand_beside_each_other_by_test(listed, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    for split in ("train", "dev", "test"):
        write(tmp_path, "talo\tA\n", "linspector", "type", "finnish", "Number", f"{split}.txt")
    lines = listed("suite=linspector_type", "list=languages")
    (header,) = (line for line in lines if "fi" in line and "tr" in line)
    marks = {
        line[0]: dict(zip(header[1:], line[1:], strict=True))
        for line in lines
        if line[:1] in (["Number"], ["Polarity"])
    }
    assert (marks["Number"]["fi"], marks["Number"]["de"], marks["Number"]["tr"]) == ("x", "o", ".")
    assert (marks["Polarity"]["fi"], marks["Polarity"]["tr"]) == (".", "o")
    assert "files of 1 are in" in " ".join(" ".join(line) for line in lines)


def test_minimal_sets_are_counted_by_language(listed, tmp_path):
    write(tmp_path, "True\ta b\nFalse\ta c\n" * 3, "clams", "eval", "fr", "simple_agrmt.txt")
    lines = listed("suite=clams", "predictor=lstm", "predictor.run=x", "list=languages")
    (line,) = (line for line in lines if line[:1] == ["simple_agrmt"])
    assert "3" in line[1:]


def test_ones_own_files_are_not_listed_by_languages(listed, tmp_path):
    write(tmp_path, "good,bad\nhen eats,hen eat\n", "mine.csv")
    own = f"suite.path={tmp_path / 'mine.csv'}"
    with pytest.raises(PolyprobeError, match=r"suite=pairs has the files of suite\.path, whatever the language"):
        listed("suite=pairs", own, "predictor=lstm", "predictor.run=x", "list=languages")


def test_another_word_is_refused_with_the_choices(listed):
    with pytest.raises(
        UnknownChoice, match=r'list "statistic" is unknown\. Did you mean statistics\? Known: .*languages'
    ):
        listed("suite=rusenteval", "list=statistic")


@pytest.mark.parametrize(
    "arguments", [("suite=clams", "list=statistics"), ("suite=senteval_downstream", "list=languages")]
)
def test_what_a_suite_has_nothing_of_is_refused(listed, arguments):
    with pytest.raises(PolyprobeError, match=r"Expected list=true"):
        listed(*arguments)


@pytest.mark.parametrize("suite", ["rusenteval", "clams", "senteval_downstream"])
@pytest.mark.parametrize("tests", ["[]", "Case"])
def test_no_test_or_a_word_in_place_of_a_list_is_refused(listed, suite, tests):
    with pytest.raises(BadValue, match=r"tests must be a list such as \[Case,Tense\]"):
        listed(f"suite={suite}", "lang=ru", "list=true", f"tests={tests}")
