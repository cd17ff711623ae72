"""Accuracy in minimal sets and morphological complexity, by hand and as published (Mueller et al. 2020, Figure 3)."""

import csv

import pytest

from polyprobe.analysis.correlations.complexity import (
    LanguageAccuracy,
    complexity_figure,
    complexity_table,
    correlate_complexity,
    correlation_of,
)
from polyprobe.analysis.output.tables import show
from polyprobe.errors import PolyprobeError
from polyprobe.runs.names.conf_folders import shipped
from tests.analysis.handmade import as_read, score
from tests.analysis.handmade_minimal_sets import minimal_set_run, rows_of_minimal_sets, set_scores
from tests.analysis.told import csv_files

MARKS = ("C_WALS", "LSTM", "mBERT")


def published(model: str) -> list[LanguageAccuracy]:
    with (shipped("published") / "clams.csv").open(encoding="utf-8", newline="") as file:
        figure = [cell for cell in csv.DictReader(file) if cell["table"] == "figure 3"]
    columns = {
        name: {cell["lang"]: float(cell["value"]) for cell in figure if cell["column"] == name} for name in MARKS
    }
    return [
        LanguageAccuracy("clams", model, lang, complexity, columns[model][lang], 7, "")
        for lang, complexity in columns["C_WALS"].items()
    ]


def test_the_coefficients_of_figure_3_are_the_published_ones():
    assert correlation_of(published("LSTM")).rho == pytest.approx(0.4)
    assert any("de 1.00" in note for note in complexity_table(published("LSTM"), "Bentz et al. 2016").notes)
    assert correlation_of(published("mBERT")).rho == pytest.approx(-0.9)


def test_none_of_them_is_significant_by_the_exact_test():
    assert correlation_of(published("LSTM")).p_exact == pytest.approx(62 / 120)
    assert correlation_of(published("mBERT")).p_exact == pytest.approx(10 / 120)
    without_german = [one for one in published("LSTM") if one.language != "de"]
    assert correlation_of(without_german).p_exact == pytest.approx(2 / 24)


def accuracy(share: float) -> list[float]:
    return [1.0] * round(20 * share) + [-1.0] * round(20 * (1 - share))


@pytest.fixture
def work(tmp_path):
    """Runs in four languages; English has a construction more."""
    for lang, share in {"en": 0.6, "fr": 0.7, "ru": 0.8, "he": 0.9}.items():
        tests = [
            set_scores("vp_coord", {"s1": accuracy(share)}),
            set_scores("prep_anim", {"s1": accuracy(share - 0.2)}),
        ]
        if lang == "en":
            tests.append(set_scores("npi", {"s1": accuracy(0)}))
        minimal_set_run(tmp_path, f"clams-{lang}", *tests, lang=lang)
    (tmp_path / "wals.csv").write_text(
        "language,complexity,source\nen,0.3,x\nfr,0.4,x\nru,0.45,x\nhe,0.5,x\nfi,0.6,x\n"
    )
    return tmp_path


def test_runs_are_correlated_over_the_constructions_that_all_have(work, capsys):
    (path,) = csv_files(correlate_complexity(work, work / "wals.csv", None))
    with open(path, encoding="utf-8", newline="") as file:
        rows = {row["language"]: row for row in csv.DictReader(file)}
    assert {lang: float(row["accuracy"]) for lang, row in rows.items()} == pytest.approx(
        {"en": 0.5, "fr": 0.6, "ru": 0.7, "he": 0.8}
    )
    assert (rows["en"]["n_constructions"], rows["en"]["run"]) == ("2", "clams-en")
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert "Spearman's rho: 1.00, n = 4, p = 0.0833 (two-sided, exact)." in lines
    assert sorted(file.name for file in path.parent.iterdir()) == [
        f"complexity-clams-lstm.{ending}" for ending in ("csv", "pdf", "png")
    ]


def test_named_runs_alone_are_correlated(work, capsys):
    references = ["clams-en", "clams-ru", "clams-fr"]
    (path,) = csv_files(correlate_complexity(work, work / "wals.csv", references))
    assert path.read_text().count("\n") == 4
    assert "Without one language" not in capsys.readouterr().out


def test_each_suite_and_kind_of_predictor_is_correlated_alone(work):
    for lang in ("en", "fr", "ru"):
        minimal_set_run(
            work, f"ngram-{lang}", set_scores("vp_coord", {"model": accuracy(0.5)}), lang=lang, predictor="ngram"
        )
    paths = csv_files(correlate_complexity(work, work / "wals.csv", None))
    assert sorted(path.stem for path in paths) == ["complexity-clams-lstm", "complexity-clams-ngram"]


def test_a_language_with_two_runs_is_asked_for_one(work):
    minimal_set_run(work, "again", set_scores("vp_coord", {"s1": accuracy(0.5)}), lang="fr")
    with pytest.raises(PolyprobeError, match=r"fr has again, clams-fr\. Only one .* choose with runs="):
        show(correlate_complexity(work, work / "wals.csv", None))


def test_one_epoch_is_chosen_of_a_curve(work):
    minimal_set_run(work, "curve", set_scores("vp_coord", {"s1/0": accuracy(0), "s1/8": accuracy(1)}), lang="fr")
    others = ["clams-en", "clams-ru"]
    with pytest.raises(PolyprobeError, match="fr has curve:0, curve:8"):
        show(correlate_complexity(work, work / "wals.csv", [*others, "curve"]))
    (path,) = csv_files(correlate_complexity(work, work / "wals.csv", [*others, "curve:8"]))
    assert "clams,lstm,fr,0.4,1.0,1,curve" in path.read_text()


def test_curves_of_training_runs_play_no_part(work):
    rows = rows_of_minimal_sets(set_scores("vp_coord", {"s1/0": accuracy(0), "s1/8": accuracy(1)}), "wrong")
    as_read([score("training", "perplexity", 90.0, epoch=8), *rows], work / "runs" / "train" / "lm-fr", "lm-fr")
    (path,) = csv_files(correlate_complexity(work, work / "wals.csv", None))
    assert "lm-fr" not in path.read_text()


def test_the_picture_names_every_language_and_the_coefficient():
    figure = complexity_figure(published("LSTM"))
    assert [text.get_text() for text in figure.axes[0].texts] == ["en", "de", "fr", "ru", "he"]
    assert "rho = 0.40, n = 5, p = 0.5167 (two-sided, exact)" in figure.get_suptitle()


def test_too_few_languages_are_refused(work):
    with pytest.raises(
        PolyprobeError, match=r"No suite .* has runs of minimal sets of 3 languages .* It has en, fr, ru, he, fi\."
    ):
        show(correlate_complexity(work, work / "wals.csv", ["clams-en", "clams-fr"]))


def test_no_name_of_a_foreign_run_becomes_a_path(tmp_path):
    away = "../../../marker"
    for lang in ("en", "fr", "ru"):
        sets = set_scores("vp_coord", {"s1": accuracy(0.5)})
        minimal_set_run(tmp_path / "work", f"run-{lang}", sets, lang=lang, predictor=away, suite=away)
    (tmp_path / "wals.csv").write_text("language,complexity\nen,0.3\nfr,0.4\nru,0.45\n")
    (path,) = csv_files(correlate_complexity(tmp_path / "work", tmp_path / "wals.csv", None))
    assert path.resolve().parent == tmp_path / "work" / "correlations"
    assert {file.parent for file in tmp_path.rglob("*marker*")} == {path.parent}
