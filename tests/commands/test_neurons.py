"""The neurons of a trained model are probed, ranked and kept, as a user does it."""

import csv
import json
import shutil
from dataclasses import replace

import pytest

from polyprobe.formats.files.digest import file_digest, read_sealed, write_sealed
from polyprobe.runs.array_records import NeuronWeights
from polyprobe.runs.directory import RunDirectory
from tests.commands.forked import run_script
from tests.commands.scripts import on_small_data, only_run, small_training
from tests.offline_dashboards import offline_run

GRID = ["probe=neurons", "probe.l1=[0,0.001]", "probe.l2=[0.0001]", "probe.max_epochs=2"]
FEW = ["rankings=[weights,probeless,random]", "shares=[0.1,0.5]", "shown_items=2"]


@pytest.fixture(scope="module")
def work(small_data, tmp_path_factory):
    """A work folder with a labeller and the neurons of its two layers, probed at two epochs."""
    work = tmp_path_factory.mktemp("neurons")
    finished("train", *small_training(small_data, work, "trainer.max_epochs=1"))
    of_model = ["encoder=checkpoint", f"encoder.run={only_run(work, 'train')}", "suite=linspector_token"]
    finished("probe", *on_small_data(small_data, work), *of_model, *GRID, "tests=[Case]", "baselines=all")
    return work


def finished(script, *arguments):
    done = run_script(script, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def neurons_of(work, small_data, *more):
    run = only_run(work, "probe").name
    where = [f"paths.work={work}", f"paths.data={small_data}"]
    return run_script("analyze", "job=neurons", f"run={run}", *where, *FEW, *more)


def test_neurons_are_ranked_kept_counted_and_shown_again(work, small_data):
    done = neurons_of(work, small_data, "show=[bilstm:3]")
    assert done.returncode == 0, done.stderr
    folder = only_run(work, "analyze")
    rows = [json.loads(line) for line in (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {row["stage"] for row in rows} == {"neurons"}
    on_test = [row for row in rows if row["metric"] == "accuracy" and row["split"] == "test"]
    ablations = [row["ablation"] for row in on_test]
    # At the last epoch two sizes of two rankings and of a random one.
    assert {name: ablations.count(name) for name in ablations} == {
        "all": 2,
        "top_zeroed": 4,
        "bottom_zeroed": 4,
        "random_zeroed": 2,
    }
    full = [row for row in on_test if row["ablation"] == "all"]
    assert [row["epoch"] for row in full] == [0, 1]
    assert all(row["selectivity"] == pytest.approx(row["value"] - row["control"]) for row in full)
    assert all(row["interval_low"] <= row["value"] <= row["interval_high"] for row in on_test)
    for name in ("neurons", "layers", "activations"):
        assert (folder / f"{name}.csv").stat().st_size > 0
    assert {file.name for file in (folder / "pictures").glob("*.png")} == {"layer_shares.png", "layers_by_epoch.png"}
    with open(folder / "activations.csv", encoding="utf-8", newline="") as file:
        assert "bilstm:3" in {row["neuron"] for row in csv.DictReader(file)}
    again = neurons_of(work, small_data, "show=[bilstm:3]", "logger=wandb_offline")
    shown = offline_run(folder)
    assert (shown.job_type, shown.tags[0]) == ("neurons", "mini")
    assert {"neurons/_type", "report/_type"} <= set(shown.history[0])
    assert "is finished; its results" in again.stdout
    shown = done.stdout.partition("Accuracy (%)")[2]
    assert shown
    assert shown in again.stdout


def test_several_runs_are_refused_before_anything_is_read(tmp_path):
    done = run_script("analyze", f"paths.work={tmp_path}", "job=neurons", "run=[a,b]")
    assert done.returncode == 1
    assert "run must be one run, by its name or folder, got ['a', 'b']." in done.stderr


@pytest.fixture
def own_work(work, tmp_path):
    """A copy of the work folder in which nothing was looked at yet."""
    return shutil.copytree(work, tmp_path / "own", ignore=shutil.ignore_patterns("analyze"))


def test_a_run_with_other_weights_than_those_that_were_looked_at_is_told(own_work, small_data):
    asked = ["rankings=[weights]", "shares=[0.1]"]
    assert neurons_of(own_work, small_data, *asked).returncode == 0
    probed = RunDirectory(only_run(own_work, "probe"))
    (file,) = probed.neurons.glob("*.npz")
    reseal(probed, file, weights=NeuronWeights.read(file).weights * 2)
    done = neurons_of(own_work, small_data, *asked)
    assert done.returncode == 1
    assert "neurons/Case.npz changed since" in done.stderr


def reseal(run, file, **changes):
    """Changes weights, and makes run.json vouch for them."""
    changed = replace(NeuronWeights.read(file), **changes)
    file.unlink()
    written = changed.write(run.neurons)
    record = read_sealed(run.provenance)
    of_others = {name: digest for name, digest in record["files"].items() if name != f"neurons/{file.name}"}
    files = {**of_others, f"neurons/{written.name}": file_digest(written)}
    write_sealed(run.provenance, {**record, "files": files})


def test_all_neurons_score_what_the_probe_of_the_run_scored(work, small_data):
    assert neurons_of(work, small_data, "show=[bilstm:3]").returncode == 0
    found, probed = (
        [json.loads(line) for line in (only_run(work, kind) / "results.jsonl").read_text(encoding="utf-8").splitlines()]
        for kind in ("analyze", "probe")
    )
    full = [row["value"] for row in found if row.get("ablation") == "all"]
    assert full == pytest.approx([row["value"] for row in probed if row["stage"] == "probing" and "n_seeds" in row])


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("rankings=[weight]", "Did you mean weights?"),
        ("shares=[1.5]", "shares must be a share above 0 and at most 1, got 1.5."),
        ("show=[bilstn:3]", "Did you mean bilstm?"),
        ("show=[bilstm:99999]", "show must be a neuron of bilstm: 0 to "),
        ("tests=[Kase]", "Did you mean Case?"),
    ],
)
def test_what_there_is_not_is_refused_before_any_work(asked, said, work, small_data):
    before = set((work / "runs").glob("analyze/*"))
    done = neurons_of(work, small_data, *asked.split())
    assert done.returncode == 1
    assert said in done.stderr
    assert set((work / "runs").glob("analyze/*")) == before


def test_a_run_without_weights_of_neurons_says_which_has_them(work, small_data):
    run = only_run(work, "train").name
    done = run_script("analyze", f"paths.work={work}", "job=neurons", f"run={run}")
    assert done.returncode == 1
    assert "it was not made with probe=neurons. Expected a run of python probe.py probe=neurons" in done.stderr
