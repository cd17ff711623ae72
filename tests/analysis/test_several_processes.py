"""Neurons and similarity by two and three processes: what one finds, byte for byte."""

import shutil

import pytest

from polyprobe.analysis.door import neuron_study, similarity_study
from polyprobe.encoders import checkpoint
from polyprobe.encoders.cache import store
from polyprobe.probing.bank.outcome_cache import KeptOutcomes
from tests.commands.forked import run_script
from tests.commands.scripts import on_small_data, only_run, small_training
from tests.runs.composed import composed
from tests.several_ranks import done_by, noting, shares

GRID = ["probe=neurons", "probe.l1=[0,0.001]", "probe.l2=[0.0001]", "probe.max_epochs=2"]
FEW = ["of_neurons.rankings=[weights,random]", "of_neurons.shares=[0.1,0.3,0.5]", "of_neurons.shown_items=2"]
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
        shutil.rmtree(work / "cache/probes", ignore_errors=True)
        config = composed("analyze", *typed, "trainer=cpu", "trainer.threads=1", *on_small_data(small_data, work)[1:])
        run = done_by(n, lambda: study(config))
        kinds = ("results.jsonl", "*.csv", "similarities/*")
        of_run = {path.name: path.read_bytes() for kind in kinds for path in sorted(run.glob(kind))}
        caches = sorted(path for path in (work / "cache").rglob("*") if path.suffix in (".block", ".npz"))
        return run.name, of_run, {path.name: path.read_bytes() for path in caches}

    return done


@pytest.mark.parametrize("n", [2, 3])
def test_neurons(n, by, probed, monkeypatch, tmp_path):
    typed = [f"neurons={only_run(probed, 'probe').name}", *FEW]
    alone = by(1, neuron_study, *typed)
    noting(monkeypatch, store, "write_block", tmp_path / "blocks", n)
    noting(monkeypatch, KeptOutcomes, "write", tmp_path / "probes", n)
    assert by(n, neuron_study, *typed) == alone
    n_blocks, n_probes = ([name.endswith(end) for name in alone[2]].count(True) for end in (".block", ".npz"))
    assert (len(shares(tmp_path / "blocks")), sum(shares(tmp_path / "blocks").values())) == (n, n_blocks)
    assert (len(shares(tmp_path / "probes")), sum(shares(tmp_path / "probes").values())) == (n, n_probes)


@pytest.mark.parametrize("n", [2, 3])
def test_similarity(n, by, probed, monkeypatch, tmp_path):
    typed = [f"similarity=[{only_run(probed, 'probe').name}]", "of_similarity.sample=300"]
    alone = by(1, similarity_study, *typed)
    noting(monkeypatch, store, "write_block", tmp_path / "blocks", n)
    assert by(n, similarity_study, *typed) == alone
    n_blocks = [name.endswith(".block") for name in alone[2]].count(True)
    assert (len(shares(tmp_path / "blocks")), sum(shares(tmp_path / "blocks").values())) == (n, n_blocks)
