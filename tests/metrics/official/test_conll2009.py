import pytest

from polyprobe.errors import MalformedLine
from polyprobe.metrics.official.conll2009 import score_files
from polyprobe.metrics.official.scorers import RefusedByScorer


def row(number: int, pred: str = "_", *roles: str, head: int = 0, deprel: str = "ROOT", form: str = "w") -> str:
    fill = "Y" if pred != "_" else "_"
    columns = [number, form, "l", "l", "N", "N", "_", "_", head, head, deprel, deprel, fill, pred, *roles]
    return "\t".join(map(str, columns)) + "\n"


GOLD = row(1, "_", "A0") + row(2, "go.01", "_") + row(3, "_", "A1") + "\n"


@pytest.fixture
def scores(tmp_path):
    def score(system: str, gold: str = GOLD) -> dict:
        (tmp_path / "gold.conll").write_text(gold, encoding="utf-8")
        (tmp_path / "system.conll").write_text(system, encoding="utf-8")
        return score_files(tmp_path / "gold.conll", tmp_path / "system.conll")

    return score


def test_a_wrong_role_is_right_only_unlabelled(scores):
    found = scores(row(1, "_", "A0") + row(2, "go.01", "_") + row(3, "_", "A2") + "\n")
    assert found["semantic"]["labeled_precision"] == {
        "correct_args": 1,
        "correct_preds": 1,
        "total_args": 2,
        "total_preds": 1,
        "percent": 66.67,
    }
    assert found["semantic"]["unlabeled_f1"] == 100.0
    assert found["semantic"]["proposition_f1"] == 0.0
    assert found["semantic"]["exact"] == {"correct": 0, "total": 1, "percent": 0.0}


def test_role_f1_leaves_the_predicates_out(scores):
    found = scores(row(1, "_", "A0") + row(2, "go.01", "_") + row(3, "_", "_") + "\n")
    assert found["arguments_only"] == {
        "correct": 1,
        "system": 1,
        "gold": 2,
        "precision": 100.0,
        "recall": 50.0,
        "f1": 66.6667,
    }


@pytest.mark.parametrize(
    ("ours", "is_right"),
    [("stay.1", True), ("go.02", False), ("go.01.a", False), ("01", True), ("go.0x1", False)],
)
def test_only_what_follows_the_single_dot_is_compared(scores, ours, is_right):
    found = scores(row(1, "_", "A0") + row(2, ours, "_") + row(3, "_", "A1") + "\n")
    assert found["semantic"]["labeled_precision"]["correct_preds"] == int(is_right)
    assert found["arguments_only"]["correct"] == 2


def test_arguments_of_an_unmatched_predicate_count_for_nothing(scores):
    found = scores(row(1, "_", "A0") + row(2, "_", "_") + row(3, "go.01", "A1") + "\n")
    assert found["semantic"]["unlabeled_precision"]["correct_args"] == 0
    assert found["semantic"]["unlabeled_precision"]["total_args"] == 2


def test_a_column_without_predicate_is_not_read(scores):
    found = scores(row(1, "_", "A0", "A0") + row(2, "go.01", "_", "A1") + row(3, "_", "A1", "_") + "\n")
    assert found["semantic"]["labeled_f1"] == 100.0


def test_syntax_needs_head_and_relation(scores):
    found = scores(
        row(1, head=2, deprel="subj") + row(2, head=0, deprel="root") + "\n",
        gold=row(1, head=2, deprel="obj") + row(2, head=1, deprel="root") + "\n",
    )
    assert found["syntactic"]["las"] == {"correct": 0, "total": 2, "percent": 0.0}
    assert found["syntactic"]["uas"]["correct"] == 1
    assert found["syntactic"]["label_accuracy"]["percent"] == 50.0


def test_a_no_break_space_does_not_end_a_column(scores):
    words = row(1, "go.01", "_", form="10\u00a0000") + "\n"
    assert scores(words, gold=words)["semantic"]["labeled_f1"] == 100.0


def test_the_last_row_is_left_out_of_semantics_when_no_blank_line_follows(scores):
    assert scores(GOLD.rstrip("\n") + "\n", gold=GOLD.rstrip("\n") + "\n")["arguments_only"]["gold"] == 1


def test_differing_forms_are_warned_of_and_scored(scores, caplog):
    found = scores(row(1, "go.01", "_", form="a") + "\n", gold=row(1, "go.01", "_", form="b") + "\n")
    assert found["semantic"]["labeled_f1"] == 100.0
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    ("system", "line"),
    [
        (GOLD.rstrip("\n") + "\n", 4),
        (GOLD + GOLD, 5),
        (row(1, "_", "A0") + "\n" + row(2, "go.01", "_") + row(3, "_", "A1"), 2),
        (row(1, "_", "A0") + row(2, "go.01", "_", "_") + row(3, "_", "A1") + "\n", 2),
    ],
    ids=["ends early", "ends late", "breaks elsewhere", "ragged"],
)
def test_what_the_scorer_stops_on_is_refused_with_its_line(scores, system, line):
    with pytest.raises(RefusedByScorer, match=f", line {line}: "):
        scores(system)


def test_a_row_without_all_columns_is_malformed(scores):
    with pytest.raises(MalformedLine, match="2 columns"):
        scores("1\tgo\n\n", gold="1\tgo\n\n")
