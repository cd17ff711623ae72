"""Neurons and similarity by two and three processes: what one finds, byte for byte."""

import shutil

import pytest

from polyprobe.analysis.door import neuron_study, similarity_study
from polyprobe.encoders import checkpoint
from polyprobe.encoders.cache import store
from tests.commands.forked import run_script
from tests.commands.scripts import on_small_data, only_run, small_training
from tests.runs.composed import composed
from tests.several_ranks import done_by, noted, shares

GRID = ["probe=neurons", "probe.l1=[0,0.001]", "probe.l2=[0.0001]", "probe.max_epochs=2"]
FEW = ["rankings=[weights,random]", "shares=[0.1,0.3,0.5]", "shown_items=2"]
BLOCK = 8  # items


@pytest.fixture(scope="module")
def probed(small_data, tmp_path_factory):
    """A work folder with a labeller of one epoch and the neurons of its two layers."""
    work = tmp_path_factory.mktemp("probed")
    finished("train", *small_training(small_data, work, "trainer.max_epochs=1"))
    of_model = ["encoder=checkpoint", f"encoder.run={only_run(work, 'train')}", "suite=linspector_token"]
    finished("probe", *on_small_data(small_data, work), *of_model, *GRID, "tests=[Case]", "trainer.threads=1")
    return work


def finished(script, *arguments):
    done = run_script(script, *arguments)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def by(probed, small_data, tmp_path, monkeypatch):
    """Does a job of analyze.py by n processes, in a copy of the work folder whose caches are empty."""
    for module in (store, checkpoint):
        monkeypatch.setattr(module, "BLOCK_ITEMS", BLOCK)

    def done(n, study, *typed):
        work = tmp_path / str(n)
        shutil.copytree(probed, work, symlinks=True)
        shutil.rmtree(work / "cache/encodings")
        config = composed("analyze", *typed, "trainer=cpu", "trainer.threads=1", *on_small_data(small_data, work)[1:])
        run = done_by(n, lambda: study(config))
        kinds = ("results.jsonl", "*.csv", "similarities/*")
        of_run = {path.name: path.read_bytes() for kind in kinds for path in sorted(run.glob(kind))}
        caches = sorted(path for path in (work / "cache").rglob("*") if path.suffix in (".block", ".npz"))
        return run.name, of_run, {path.name: path.read_bytes() for path in caches}

    return done


@pytest.mark.parametrize("job", ["neurons", "similarity"])
def test_several_processes_encode_together_and_find_what_one_finds(job, by, probed, monkeypatch, tmp_path):
    run = only_run(probed, "probe").name
    study, typed = {
        "neurons": (neuron_study, ["job=neurons", f"run={run}", *FEW]),
        "similarity": (similarity_study, ["job=similarity", f"runs=[{run}]", "sample=300"]),
    }[job]
    alone = by(1, study, *typed)
    n_blocks = [name.endswith(".block") for name in alone[2]].count(True)
    for n in (2, 3):
        with noted(monkeypatch, tmp_path / f"of{n}", n, (store, "write_block")) as diaries:
            assert by(n, study, *typed) == alone
        blocks = shares(*diaries)
        assert (len(blocks), sum(blocks.values())) == (n, n_blocks)
