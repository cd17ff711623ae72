"""All pairs of layers of several runs are compared, as a user does it."""

import csv
import json
import os
import shutil

import pytest

from tests.commands.forked import run_script
from tests.commands.scripts import on_small_data, small_training
from tests.offline_dashboards import offline_run

FEW = ["sample=40", "resamples=10", "permutations=1"]


@pytest.fixture(scope="module")
def work(small_data, tmp_path_factory):
    """A work folder with probed labellers of two seeds at two epochs, and two probing runs of character n-grams."""
    work = tmp_path_factory.mktemp("similarity")
    few = ["tests=[Number,Case]", "probe.max_epochs=1", "trainer.threads=1"]
    for seed in (1, 2):
        finished("train", *small_training(small_data, work, f"seed={seed}", "trainer.max_epochs=2"))
        model = work / "runs" / "train" / run_of_seed(work, seed)
        of_model = ["encoder=checkpoint", f"encoder.run={model}", "encoder.epochs=[0,2]"]
        finished("probe", *on_small_data(small_data, work), *of_model, *few)
    for width in (8, 12):
        options = ["encoder=char_ngrams", f"encoder.width={width}"]
        finished("probe", *on_small_data(small_data, work), *options, *few)
    return work


def run_of_seed(work, seed):
    (found,) = [path.name for path in (work / "runs" / "train").iterdir() if f"-s{seed}-" in path.name]
    return found


@pytest.fixture
def runs(work):
    """Returns the names of the runs that probed the two labellers, and of the other two."""
    names = sorted(path.name for path in (work / "runs" / "probe").iterdir())
    return sorted(names, key=lambda name: "checkpoint" not in name)


def finished(script, *arguments):
    done = run_script(script, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def arguments(work, small_data, runs, *more):
    where = [f"paths.work={work}", f"paths.data={small_data}"]
    return ["job=similarity", f"runs=[{','.join(runs)}]", *where, *FEW, *more]


def compare(work, small_data, runs, *more):
    return run_script("analyze", *arguments(work, small_data, runs, *more))


def rows_of(said, work):
    (line,) = [line for line in said.splitlines() if line.startswith("results ")]
    file = work / "runs" / "analyze" / line.rpartition("analyze/")[2]
    return file.parent, [json.loads(row) for row in file.read_text(encoding="utf-8").splitlines()]


def test_models_of_two_seeds_and_a_probed_encoder_are_compared_on_the_same_items(work, small_data, runs):
    done = compare(work, small_data, runs[:3], "logger=wandb_offline")
    assert done.returncode == 0, done.stderr
    folder, rows = rows_of(done.stdout, work)
    # Five layers: encoding at two epochs of two models, and char_ngrams. cka has 10 pairs, maxcorr each twice.
    assert [sum(row["metric"] == measure for row in rows) for measure in ("cka", "maxcorr")] == [10, 20]
    first_test = {"linspector_type", rows[0]["test"], "test"}
    assert all({row["suite"], row["test"], row["split"]} == first_test and row["n"] == 40 for row in rows)
    assert all(row["interval_low"] <= row["value"] <= row["interval_high"] for row in rows)
    assert all(row["permuted"] < 0.5 for row in rows)
    assert "Encoders by cka" in done.stdout
    with open(folder / "similarity.csv", encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 30
    assert {path.stem.partition("-")[0] for path in (folder / "pictures").glob("*.png")} == {"cka", "maxcorr"}
    shown = offline_run(folder)
    assert (shown.job_type, shown.tags) == ("similarity", ["mini", "linspector_type", "checkpoint", "char_ngrams"])
    assert {"similarity/_type", "report/_type"} <= set(shown.history[0])


def test_the_same_comparison_again_is_shown_and_not_made(work, small_data, runs):
    first = compare(work, small_data, runs[2:])
    folder, rows = rows_of(first.stdout, work)
    assert first.returncode == 0, first.stderr
    before = (folder / "results.jsonl").stat().st_mtime_ns
    again = compare(work, small_data, runs[2:])
    assert "is finished; its results" in again.stdout
    assert (
        first.stdout[first.stdout.index("Encoders by cka") :] == again.stdout[again.stdout.index("Encoders by cka") :]
    )
    assert (folder / "results.jsonl").stat().st_mtime_ns == before
    assert len(rows) == 3  # one pair by cka, both directions by maxcorr


def test_a_run_made_again_with_other_vectors_is_another_comparison(work, small_data, runs, tmp_path):
    own = copied(work, tmp_path)
    before = compare(own, small_data, runs[2:])
    options = ["encoder=char_ngrams", "encoder.width=10", "tests=[Number,Case]", "probe.max_epochs=1"]
    finished("probe", *on_small_data(small_data, own), *options, "trainer.threads=1")
    (made,) = {path.name for path in (own / "runs" / "probe").iterdir()} - set(runs)
    shutil.rmtree(own / "runs" / "probe" / runs[3])
    os.rename(own / "runs" / "probe" / made, own / "runs" / "probe" / runs[3])
    again = compare(own, small_data, runs[2:])
    assert again.returncode == 0, again.stderr
    assert "starting" in again.stdout
    assert rows_of(again.stdout, own)[1][0]["value"] != rows_of(before.stdout, own)[1][0]["value"]


def copied(work, folder):
    """Copies a work folder without its comparisons."""
    return shutil.copytree(work, folder / "copy", ignore=lambda path, names: {"analyze"} & set(names), symlinks=True)


def test_lines_of_a_file_are_compared_by_encoders_of_sentences(work, small_data, runs, tmp_path):
    text = tmp_path / "lines.txt"
    text.write_text("".join(f"Word{number} is number {number} .\n" for number in range(12)), encoding="utf-8")
    done = compare(work, small_data, runs[1:3], f"items={text}")
    assert done.returncode == 0, done.stderr
    assert "lines.txt has 12 distinct items: all are used" in done.stdout
    assert {(row["suite"], row["test"], row["n"]) for row in rows_of(done.stdout, work)[1]} == {
        ("text", "lines.txt", 12)
    }


def test_the_vectors_of_a_run_may_be_gone_but_not_its_encoder_too(work, small_data, runs, tmp_path):
    own = copied(work, tmp_path)
    options = [*on_small_data(small_data, own), "suite=linspector_token", "tests=[Case]", "probe.max_epochs=1"]
    model = own / "runs" / "train" / run_of_seed(own, 1)
    finished("probe", *options, "trainer.threads=1", "encoder=checkpoint", f"encoder.run={model}")
    (probed,) = [path.name for path in (own / "runs" / "probe").iterdir() if "token" in path.name]
    os.rename(model, tmp_path / "gone")
    done = compare(own, small_data, [probed])
    assert done.returncode == 0, done.stderr  # from the cache alone
    shutil.rmtree(own / "cache" / "encodings")
    refused = compare(own, small_data, [probed], "seed=2")
    assert refused.returncode == 1
    assert "vectors are not in the cache, and its encoder cannot be opened" in refused.stderr
    assert "starting" not in refused.stdout


@pytest.mark.parametrize(
    ("chosen", "more", "words"),
    [
        ([2], [], "has one layer, char_ngrams: there is nothing to compare it with"),
        ([2, 2], [], "is named twice"),
        ([2, 3], ["tests=[Cas]"], "Did you mean Case"),
        ([2, 3], ["sample=3"], "Expected at least 8"),
        ([2, 3], ["measures=[ckaa]"], "Did you mean cka"),
        ([2, 3], ["items=absent.txt"], "there is no file absent.txt"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_paragraph_and_leaves_nothing(
    work, small_data, runs, chosen, more, words
):
    before = sorted((work / "runs").glob("analyze/*"))
    done = compare(work, small_data, [runs[number] for number in chosen], *more)
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted((work / "runs").glob("analyze/*")) == before


def test_a_misspelt_run_layer_or_epoch_names_those_that_there_are(work, small_data, runs):
    for named, words in {
        runs[2][:-1]: f"Did you mean {runs[2]}",
        f"{runs[0]}:encodin": "Did you mean encoding",
        f"{runs[2]}:5": "Known: char_ngrams",
    }.items():
        done = compare(work, small_data, [named, runs[3]])
        assert done.returncode == 1
        assert words in done.stderr
        assert "Traceback" not in done.stderr


def test_runs_of_other_tests_have_no_items_in_common(work, small_data, runs, tmp_path):
    own = copied(work, tmp_path)
    options = ["encoder=char_ngrams", "encoder.width=8", "probe.max_epochs=1", "trainer.threads=1"]
    finished("probe", *on_small_data(small_data, own), *options, "tests=[POS]")
    (pos,) = {path.name for path in (own / "runs" / "probe").iterdir()} - set(runs)
    done = compare(own, small_data, [runs[3], pos])
    assert done.returncode == 1
    assert "The runs have no test in common" in done.stderr
