"""Tables of what was found in minimal sets: one model by every rule, several side by side."""

import itertools
from dataclasses import asdict

import numpy as np
import pytest

from polyprobe.analysis.output.tables import marked, show
from polyprobe.analysis.reports.finished_run import report_run
from polyprobe.analysis.reports.side_by_side import scores_side_by_side
from polyprobe.analysis.tables.minimal_sets import minimal_set_tables
from polyprobe.errors import PolyprobeError
from polyprobe.runs.results import ResultRow, write_rows
from tests.analysis.handmade import as_read, score
from tests.analysis.handmade_minimal_sets import (
    minimal_set_run,
    rows_of_minimal_sets,
    set_scores,
)

THREE_OF_FOUR = [2.0, 1.0, 1.0, -1.0] * 10
ALL = [1.0] * 40


def printed(capsys) -> list[str]:
    return [line.strip() for line in capsys.readouterr().out.splitlines()]


def line_of(lines: list[str], construction: str) -> list[str]:
    return next(line.split() for line in lines if line.startswith(construction))


def shown(capsys, work, *references) -> list[str]:
    show(scores_side_by_side(work, list(references)))
    return printed(capsys)


def test_one_model_is_set_out_by_every_rule_with_margins(tmp_path, capsys):
    show(report_run(minimal_set_run(tmp_path, "run", set_scores("vp_coord", {"model": THREE_OF_FOUR}))))
    lines = printed(capsys)
    assert lines[0] == "Accuracy in minimal sets (%): fr, clams, lstm"
    header = "n accuracy focus per token per character margin (bits) median"
    assert " ".join(lines[2].split()) == f"construction {header}"
    expected = ["vp_coord", "40", "75.0", "(50.0", "to", "100.0)", "25.0", "75.0", "75.0", "0.75", "1.00"]
    assert line_of(lines, "vp_coord") == expected
    assert not any("tie" in line or "seed" in line for line in lines)


def test_ties_and_unscored_sets_are_shown_where_there_are_any(tmp_path, capsys):
    left_out = np.array(["unknown focus"] * 2 + [""] * 38)
    tied = [0.0] * 4 + [1.0] * 36
    scores = set_scores("vp_coord", {"model": tied}, left_out=left_out), set_scores("prep_anim", {"model": ALL})
    show(report_run(minimal_set_run(tmp_path, "run", *scores, ties="half")))
    lines = printed(capsys)
    assert lines[2].split()[-2:] == ["ties", "unscored"]
    assert line_of(lines, "vp_coord")[-2:] == ["2", "5.0"]
    assert line_of(lines, "prep_anim")[-2:] == ["0", "0.0"]
    assert "unscored: share of sets without a score." in lines
    assert "A tie counts as half correct." in lines


def test_seeds_have_a_mean_and_a_deviation(tmp_path, capsys):
    scores = set_scores("vp_coord", {"s1": ALL, "s2": [1.0] * 20 + [-1.0] * 10 + [0.0] * 10})
    show(report_run(minimal_set_run(tmp_path, "run", scores)))
    lines = printed(capsys)
    assert line_of(lines, "vp_coord")[1:4] == ["40", "75.0", "±35.4"]
    assert line_of(lines, "vp_coord")[-1] == "5"  # ties, the mean over both seeds
    assert "±: standard deviation over seeds (2)." in lines


def test_the_average_is_that_of_constructions_not_of_sets(tmp_path, capsys):
    scores = set_scores("vp_coord", {"s1": THREE_OF_FOUR}), set_scores("prep_anim", {"s1": ALL[:10]})
    show(report_run(minimal_set_run(tmp_path, "run", *scores)))
    assert line_of(printed(capsys), "average")[1] == "87.5"


def test_the_deviation_and_the_note_of_the_average_are_those_of_the_run(tmp_path, capsys):
    scores = set_scores("vp_coord", {"s1": ALL, "s2": ALL}), set_scores("prep_anim", {"s1": ALL, "s2": ALL})
    folder = minimal_set_run(tmp_path, "run", *scores)
    rows = [row for one in scores for row in rows_of_minimal_sets(one, "wrong")]
    whole = {"lang": "fr", "suite": "clams", "split": "test", "predictor": "lstm", "n_seeds": 2}
    note = "mean over 2 constructions; the first word is scored after <eos>"
    rows.append(ResultRow("minimal_sets", metric="accuracy", value=1.0, n=80, sd=0.02, note=note, **whole))
    write_rows(folder / "results.jsonl", "run", rows)
    show(report_run(folder))
    lines = printed(capsys)
    assert line_of(lines, "average")[1:3] == ["100.0", "±2.0"]
    assert "average: unweighted mean over the 2 constructions with a score." in lines
    assert "lstm: the first word is scored after <eos>." in lines


def test_models_of_one_language_stand_side_by_side_the_best_marked(tmp_path, capsys):
    minimal_set_run(tmp_path, "clams-fr-lstm-1", set_scores("vp_coord", {"s1": THREE_OF_FOUR}))
    minimal_set_run(tmp_path, "clams-fr-ngram-2", set_scores("vp_coord", {"model": ALL}), predictor="ngram")
    lines = shown(capsys, tmp_path, "clams-fr-lstm-1", "clams-fr-ngram-2")
    assert lines[0] == "Accuracy in minimal sets (%): fr, clams, lstm ngram"
    assert lines[2].split() == ["construction", "n", "lstm", "ngram"]
    assert line_of(lines, "vp_coord") == [
        "vp_coord",
        "40",
        "75.0†",
        *["(50.0", "to", "100.0)"],
        "•100.0",
        *["(34.2", "to", "100.0)"],  # of 2 lemmas
    ]
    assert "At 0 and 100 % the interval is Wilson's, (low to high)." in lines
    assert {"† single seed.", "lstm: clams-fr-lstm-1", "ngram: clams-fr-ngram-2"} <= set(lines)


def test_languages_stand_side_by_side_without_a_best(tmp_path, capsys):
    minimal_set_run(tmp_path, "fr", set_scores("vp_coord", {"s1": ALL}), set_scores("prep_anim", {"s1": ALL}))
    scores = set_scores("vp_coord", {"s1": THREE_OF_FOUR}), set_scores("simple_npi", {"s1": ALL[:10]})
    minimal_set_run(tmp_path, "en", *scores, lang="en")
    lines = shown(capsys, tmp_path, "fr", "en")
    assert lines[2].split() == ["construction", "fr", "en"]
    assert line_of(lines, "prep_anim")[-1] == "-"
    assert line_of(lines, "simple_npi")[1] == "-"
    assert not any("•" in line or line.startswith("average") for line in lines)


def test_the_average_of_several_columns_is_over_what_all_have(tmp_path, capsys):
    names = "vp_coord", "prep_anim", "simple_agrmt"
    minimal_set_run(tmp_path, "fr", *(set_scores(name, {"s1": ALL}) for name in names))
    minimal_set_run(tmp_path, "en", *(set_scores(name, {"s1": THREE_OF_FOUR}) for name in names[:2]), lang="en")
    lines = shown(capsys, tmp_path, "fr", "en")
    assert line_of(lines, "average") == ["average", "100.0", "75.0"]
    assert "average: unweighted mean over the 2 constructions that every column has." in lines


def test_runs_of_the_same_kind_are_distinguished_by_their_models(tmp_path, capsys):
    for name in ("gpt2@0123456789ab", "gpt2-fr@abcdef012345"):
        minimal_set_run(
            tmp_path, name.partition("@")[0], set_scores("vp_coord", {"s1": ALL}), predictor="causal", model=name
        )
    lines = shown(capsys, tmp_path, "gpt2", "gpt2-fr")
    assert lines[0] == "Accuracy in minimal sets (%): fr, clams, causal"
    assert "causal, gpt2@0123456789ab: gpt2" in lines
    assert "causal, gpt2-fr@abcdef012345: gpt2-fr" in lines


def test_other_numbers_of_sets_in_one_line_are_refused(tmp_path):
    minimal_set_run(tmp_path, "a", set_scores("vp_coord", {"s1": ALL}))
    minimal_set_run(tmp_path, "b", set_scores("vp_coord", {"s1": ALL[:10]}))
    with pytest.raises(PolyprobeError, match="vp_coord: a has 40 sets, b has 10"):
        show(scores_side_by_side(tmp_path, ["a", "b"]))


def test_a_training_run_shows_the_first_the_best_and_the_last_epoch_of_each_language(tmp_path, capsys):
    rows = [score("training", "perplexity", value, epoch=epoch) for epoch, value in enumerate((900, 80, 70, 90))]
    rows.append(score("test", "perplexity", 70.0, epoch=2))
    for epoch, lang in itertools.product(range(4), ("fr", "de")):
        rows += rows_of_minimal_sets(set_scores("vp_coord", {f"s1/{epoch}": ALL}), "wrong", lang=lang)
    as_read(rows, tmp_path / "run", "run")
    show(report_run(tmp_path / "run"))
    lines = printed(capsys)
    table = lines[lines.index("Accuracy in minimal sets (%): fr de, clams, lstm") :]
    assert table[2].split() == ["fr"] * 3 + ["de"] * 3
    assert table[3].split() == ["construction", *["epoch", "0", "epoch", "2", "epoch", "3"] * 2]
    assert (tmp_path / "run" / "pictures" / "minimal_sets.png").is_file()


def group_row(test: str, value: float, run: str = "run", **columns) -> dict:
    row = ResultRow(
        stage="minimal_set_groups",
        lang="en",
        suite="blimp",
        metric="accuracy",
        value=value,
        n=2000,
        split="test",
        test=test,
        grouping="phenomenon",
        predictor="lstm",
        **columns,
    )
    return {"run": run, **{name: found for name, found in asdict(row).items() if found is not None}}


def test_groups_of_constructions_have_a_table_of_their_own_below():
    one = {**group_row("adjunct_island", 0.25), "stage": "minimal_sets", "n": 1000}
    del one["grouping"]
    groups = [group_row("island_effects", 0.5, interval_low=0.4, interval_high=0.6), group_row("binding", 0.75)]
    main, below = minimal_set_tables([one, *groups])
    assert main.title == "Accuracy in minimal sets (%): en, blimp, lstm"
    assert [line[:3] for line in main.rows] == [["adjunct_island", "1000", "25.0"]]
    assert below.title == "Accuracy in minimal sets by phenomenon (%): en, blimp, lstm"
    assert [line[:3] for line in below.rows] == [
        ["island_effects", "2000", "50.0 (40.0 to 60.0)"],
        ["binding", "2000", "75.0"],
        ["average", "", "62.5"],
    ]


def test_groups_of_other_constructions_have_no_best_column_and_no_part_in_the_average():
    one, both = {"constructions": "adjunct_island"}, {"constructions": "adjunct_island+wh_island"}
    rows = [
        group_row("island_effects", 0.25, **one),
        group_row("binding", 0.5, constructions="principle_A"),
        group_row("ellipsis", 0.75, constructions="ellipsis_n_bar"),
        group_row("island_effects", 1.0, run="other", **both),
        group_row("binding", 0.75, run="other", constructions="principle_A"),
        group_row("ellipsis", 0.5, run="other", constructions="ellipsis_n_bar"),
    ]
    (table,) = minimal_set_tables(rows)
    assert [line[2:] for line in table.rows] == [
        ["25.0", "100.0"],
        ["50.0", marked("75.0", True)],
        [marked("75.0", True), "50.0"],
        [marked("62.5", True), marked("62.5", True)],
    ]
    assert "island_effects: the columns cover different constructions, so no best one is marked." in table.notes
    assert "average: unweighted mean over the 2 groups that every column has of the same constructions." in table.notes
