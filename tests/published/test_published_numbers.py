"""The numbers of published/*.csv: complete, each once, of known names, and as the articles print them."""

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from polyprobe.runs.names.conf_folders import choice_files, choice_settings
from polyprobe.runs.results import ResultRow

FOLDER = Path(__file__).parents[2] / "published"
TOTALS = {
    # Type level: 55 tests with a majority and five vectors; 24 of further languages. Token level: 32 with six vectors.
    "linspector": {
        "5": 5 * 9,
        "8": 18 * 5,
        "9": 55 * 6,
        "10": 23 * 5,
        "11": 32 * 7,
        "A.1": 55 * 2,
        "A.2": 55 * 2,
        "A.3": 18 * 2 * 3,
        "C.1": 24 * 6,
        "text 6.2": 2 * 3,
    },
    # 6 baselines and 24 encoders by 10 tests; 26 and three cited encoders by 11 tasks, two of the cited without SST5.
    "senteval": {"2": 30 * 10, "3": 19, "4": 30 * 10, "5": 26 * 11 + 11 + 2 * 10},
    # Five transformers, then four count baselines, by 14 Russian and 10 English tests; statistics of two times seven
    # tests: 16 counts each, then shares of labels (6, of WC one and their number, 2 four times, and 5 or 7 depths).
    "rusenteval": {
        **{"3": 70, "4": 50, "5": 70, "6": 50, "7": 56, "8": 40, "9": 56, "10": 40},
        "11": 2 * 7 * 16 + 2 * (6 + 2 + 4 * 2) + 5 + 7,
    },
    # Five languages by 7 constructions: with averages and perplexities of two models; without the dashes of BERT.
    "clams": {
        "1": 2 * 5 * 9,
        "2": 35 - 5,
        "3": 2 * 15,
        "4": 2 * 4 * 8,
        "5": 2 * 5 * 7,
        "6": 5 * 7,
        "7": 13 * 2 + 4 * 7,
        "figure 3": 5 * 3,
        "text on figure 3": 4,
    },
}
UNITS = {"percent": 100.0, "bleu": 100.0, "fraction": 1.0, "correlation": 1.0}  # the largest value of each
OTHER_UNITS = {"count", "perplexity"}
OTHER_PROBES = {"score_regression"}
STAGES = {
    "training",
    "test",
    "baseline",
    "probing",
    "coverage",
    "downstream_task",
    "minimal_sets",
    "minimal_set_groups",
    "",
}
TASKS = {*choice_files("task")}
# Of English, where animate and inanimate subjects are joined.
JOINED_TESTS = {"obj_rel_within", "obj_rel_across", "prep", "obj_rel_no_comp_within", "obj_rel_no_comp_across"}
FURTHER_TESTS = {"sent_comp", "simple_reflexives", "reflexive_sent_comp", "reflexives_across"}
AVERAGES = {"average_agreement", "average_reflexives"}

Place = tuple[str, str, str]
# Typed from the articles.
SAMPLES: dict[str, dict[Place, str]] = {
    "linspector": {
        ("5", "German", "ambiguous"): "25.92",
        ("8", "NER: TWNERTC (down-sampled)", "dev tokens"): "91300",
        ("8", "XNLI: Russian", "test OOV"): "7.75",
        ("9", "Turkish TagCount", "GloVe-BPE"): "85.6",
        ("10", "German SRL", "word2vec"): "60.60",
        ("10", "Turkish DEP", "D-ELMo"): "62.97",
        ("11", "Russian Voice", "baseline"): "69.5",
        ("A.1", "Turkish Polarity", "dev"): "56.4",
        ("A.3", "German UD", "word2vec test"): "12.36",
        ("C.1", "French Tense", "D-ELMo"): "94",
    },
    "senteval": {
        ("2", "BoV-fastText", "TreeDepth"): "37.1",
        ("2", "BiLSTM-last SkipThought", "ObjNum"): "77.1",
        ("2", "Majority vote", "SentLen"): "20.0",
        ("2", "BiLSTM-max Seq2Tree", "TopConst"): "89.6",
        ("3", "NMT En-De", "GatedConvNet"): "17.0",
        ("3", "Seq2Tree", "BiLSTM-Att"): "58.4",
        ("4", "NB-bi-tfidf", "SOMO"): "39.9",
        ("4", "BiLSTM-last NMT En-Fi", "CoordInv"): "65.9",
        ("5", "BiLSTM-max NMT En-Fi", "CR"): "81.1",
        ("5", "Chance", "TREC"): "21.2",
    },
    "rusenteval": {
        ("3", "ConjType", "M-BART"): "98.8",
        ("3", "SubjGender", "XLM-R"): "79.4",
        ("4", "BShift", "MiniLM"): "79.3",
        ("4", "TopConst", "M-BERT"): "88",
        ("5", "Gapping", "XLM-R"): "96.0",
        ("6", "WC", "LABSE"): "92.7",
        ("7", "Gapping", "TF-IDF Char"): "82.7",
        ("8", "WC", "fastText"): "18.1",
        ("11", "SubjNumber: tokens/sentence", "RuSentEval dev"): "9.99",
        ("11", "WC: unique tokens", "RuSentEval test"): "30800",
    },
    "clams": {
        ("1", "perplexity", "German mono"): "46.31",
        ("1", "subj_rel", "Hebrew multi"): "0.84",
        ("1", "long_vp_coord", "German multi"): "0.73",
        ("2", "subj_rel", "Hebrew"): "0.61",
        ("3", "sent_comp", "BERT base"): "0.83",
        ("3", "average_reflexives", "mBERT"): "0.83",
        ("6", "subj_rel", "Russian"): "10080",
        ("7", "subj_rel", "German mBERT"): "5406",
        ("figure 3", "French", "C_WALS"): "0.439",
        ("text on figure 3", "mBERT", "five languages"): "-0.9",
    },
}


def cells(paper: str) -> list[dict[str, str]]:
    with (FOLDER / f"{paper}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def cells_of_all() -> list[tuple[str, dict[str, str]]]:
    return [(paper, cell) for paper in TOTALS for cell in cells(paper)]


def suite_tests() -> dict[str, set[str]]:
    settings = {name: choice_settings("suite", name) for name in choice_files("suite")}
    tests = {name: {*(one.get("tests") or ()), *one.get("tasks", {})} for name, one in settings.items()}
    tests["clams"] |= JOINED_TESTS | FURTHER_TESTS | AVERAGES
    return tests


@pytest.mark.parametrize("paper", TOTALS)
def test_every_table_has_all_its_numbers(paper: str):
    assert Counter(cell["table"] for cell in cells(paper)) == TOTALS[paper]


@pytest.mark.parametrize("paper", TOTALS)
def test_the_numbers_of_a_table_stand_together(paper: str):
    tables = [cell["table"] for cell in cells(paper)]
    assert [table for place, table in enumerate(tables) if tables[:place][-1:] != [table]] == list(TOTALS[paper])


@pytest.mark.parametrize("paper", TOTALS)
def test_every_number_stands_once(paper: str):
    places = Counter((cell["table"], cell["row"], cell["column"]) for cell in cells(paper))
    assert [place for place, times in places.items() if times > 1] == []


@pytest.mark.parametrize("paper", TOTALS)
def test_no_two_numbers_are_of_the_same_row_of_ours(paper: str):
    """A number of one table may be that of another."""
    printed = ("row", "column", "n", "value", "unit", "tolerance", "why", "cannot", "printed_by", "note")
    own = [cell for cell in cells(paper) if cell["experiment"]]
    times = Counter(tuple(one for key, one in cell.items() if key not in printed) for cell in own)
    assert [key for key, one in times.items() if one > 1] == []


def test_every_name_is_known():
    tests, known = suite_tests(), {*(field for field in ResultRow.__slots__)}
    probes, encoders = {*choice_files("probe")} | OTHER_PROBES, {*choice_files("encoder")}
    for paper, cell in cells_of_all():
        where = paper, cell["table"], cell["row"], cell["column"]
        assert cell["lang"] in {*choice_files("lang"), ""}, where
        assert cell["suite"] in {*tests, *TASKS, ""}, where
        assert cell["test"] in {*tests.get(cell["suite"], ()), ""}, where
        assert cell["encoder"] in {*encoders, ""}, where
        assert cell["probe"] in {*probes, ""}, where
        assert cell["stage"] in STAGES, where
        assert cell["experiment"] in {*choice_files("experiment"), ""}, where
        assert cell["of"] in known | {""}, where


def test_tests_of_suites_are_named():
    """An average over constructions alone has no name."""
    suites = {"linspector_type", "linspector_token", "senteval", "senteval_downstream", "rusenteval"}
    made = [cell for _, cell in cells_of_all() if cell["suite"] in suites and cell["experiment"] != "linspector_sets"]
    assert [cell for cell in made if not cell["test"] and cell["table"] != "5"] == []


def test_every_choice_is_of_a_group_or_a_setting():
    groups = {"lang", "encoder", "predictor", "suite", "probe", "task", "model", "objective", "decoder"}
    for paper, cell in cells_of_all():
        for typed in cell["choices"].split():
            key, equals, choice = typed.partition("=")
            assert equals, (paper, typed)
            assert key in groups or "." in key or key == "tests", (paper, typed)
            if key in groups - {"encoder", "model"}:
                assert choice in choice_files(key), (paper, typed)


def test_every_number_can_be_read():
    for paper, cell in cells_of_all():
        where = paper, cell["table"], cell["row"], cell["column"]
        assert re.fullmatch(r"-?\d+(\.\d+)?", cell["value"]), where
        assert cell["unit"] in {*UNITS, *OTHER_UNITS}, where
        assert abs(float(cell["value"])) <= UNITS.get(cell["unit"], 10**8), where
        assert re.fullmatch(r"(\d+(\.\d+)?)?", cell["tolerance"]), where
        assert re.fullmatch(r"\d*", cell["n"]), where
        assert bool(cell["tolerance"]) == bool(cell["why"]), where


def test_what_no_command_computes_says_why():
    """Counts of sets need no tolerance, and what has no command has a reason."""
    for paper, cell in cells_of_all():
        where = paper, cell["table"], cell["row"], cell["column"]
        assert bool(cell["cannot"]) or bool(cell["printed_by"]) or bool(cell["experiment"]), where
        assert not (cell["printed_by"] and (cell["cannot"] or cell["experiment"])), where
        assert re.fullmatch(r"(python (probe|generate|analyze)\.py .+)?", cell["printed_by"]), where
        assert not (cell["cannot"] and cell["tolerance"]), where


@pytest.mark.parametrize("paper", TOTALS)
def test_numbers_are_those_of_the_article(paper: str):
    found = {(cell["table"], cell["row"], cell["column"]): cell["value"] for cell in cells(paper)}
    assert {place: found.get(place) for place in SAMPLES[paper]} == SAMPLES[paper]


def test_keys_are_those_of_our_rows():
    """The best layer of an encoder, a corpus that is not the default, a training of which a checkpoint was probed."""
    found = {(paper, cell["table"], cell["row"], cell["column"]): cell for paper, cell in cells_of_all()}
    parsed = found["linspector", "10", "Finnish DEP", "MUSE"]
    assert (parsed["corpus"], parsed["metric"], parsed["test"]) == ("tdt", "las_without_punctuation", "")
    checkpoint = found["senteval", "2", "BiLSTM-max NMT En-De", "WC"]
    assert checkpoint["choices"] == "encoder=checkpoint"
    assert checkpoint["training"] == "senteval_table3_nmt decoder=lstm model=bilstm_max data.target=de"
    majority = found["linspector", "9", "Finnish Case", "baseline"]
    assert (majority["of"], majority["encoder"], majority["tolerance"]) == ("majority", "", "0.05")
    spread = found["clams", "1", "subj_rel", "German mono"]
    assert (spread["test"], spread["n"], spread["value"], spread["tolerance"]) == ("subj_rel", "11200", "0.94", "0.08")
