"""What two and three processes find together is what one finds, byte for byte; each piece is done by one of them."""

from pathlib import Path

import pytest

from polyprobe.encoders.base import context_encoder
from polyprobe.encoders.cache import store
from polyprobe.predictors.base.predictor import KeptBlocks
from polyprobe.predictors.causal import predictor as causal
from polyprobe.predictors.word_level import in_memory as word_level
from polyprobe.probing.bank.outcome_cache import KeptOutcomes
from polyprobe.probing.door import probe_settings
from polyprobe.probing.downstream.task_outcomes import KeptTaskOutcomes
from polyprobe.probing.run import study_of
from tests.encoders.tiny_transformers import write_transformer
from tests.predictors.saved_run import WORDS, write_run
from tests.predictors.tiny_causal import write_causal
from tests.probing.downstream import small_tasks
from tests.runs.composed import composed
from tests.several_ranks import cached, done_by, files, noted, shares

BLOCK = 16  # items


@pytest.fixture
def small_blocks(monkeypatch):
    """An encoder hands over blocks as small as those of the cache, as it does with those of 4,096 items."""
    for module in (store, context_encoder):
        monkeypatch.setattr(module, "BLOCK_ITEMS", BLOCK)


def all_by(n: int, folder: Path, *typed: str):
    """Does a command by n processes in a work folder of its own; returns the name of the run and what it left."""
    work = folder / str(n)
    config = composed("probe", *typed, "trainer.threads=1", f"paths.work={work}")
    run = done_by(n, lambda: study_of(probe_settings(config)))
    assert not list(work.rglob("*.claim"))
    return run.name, files(run), cached(work)


@pytest.fixture
def own_test(tmp_path):
    """A test of 96 one-word sentences, and a tiny transformer of three layers."""
    write_transformer(tmp_path / "bert", "bert")
    lines = [
        f"{split}\t{label}\tei talo {number} {split} {label}\n"
        for split in ("tr", "va", "te")
        for number in range(16)
        for label in ("Neg", "Pos")
    ]
    (tmp_path / "Polarity.txt").write_text("".join(lines))
    suite = [
        "suite=own", "lang=fi", f"suite.path={tmp_path / 'Polarity.txt'}", "suite.format=senteval",
        "suite.level=sentence",
    ]  # fmt: skip
    return [*suite, "encoder=transformer", f"encoder.model={tmp_path / 'bert'}", "probe.max_epochs=3"]


@pytest.mark.parametrize(
    "kind",
    [["probe=mlp", "probe.keep=true", "probe.scale=standard"]],
    ids=["kept"],
)
def test_probes_of_layers_seeds_and_baselines(kind, own_test, small_blocks, monkeypatch, tmp_path):
    typed = [*own_test, *kind, "baselines=all", "seeds=2"]
    alone = all_by(1, tmp_path, *typed)
    of_layers, n_blocks = 3 * 2, 2 * 96 // BLOCK  # layers by seeds; items of the encoder and the random one
    for n in (2, 3):
        with noted(monkeypatch, tmp_path / f"of{n}", n, (store, "write_block"), (KeptOutcomes, "write")) as diaries:
            assert all_by(n, tmp_path, *typed) == alone
        blocks, probes = map(shares, diaries)
        assert (len(blocks), sum(blocks.values())) == (n, n_blocks)
        assert (len(probes), sum(probes.values())) == (n, 3 * of_layers)


def test_probes_of_counts(own_test, monkeypatch, tmp_path):
    typed = [*own_test[:5], "encoder=tfidf", "probe=mlp", "probe.max_epochs=2", "baselines=all", "seeds=3"]
    alone = all_by(1, tmp_path, *typed)
    for n in (2, 3):
        with noted(monkeypatch, tmp_path / f"of{n}", n, (KeptOutcomes, "write")) as diaries:
            assert all_by(n, tmp_path, *typed) == alone
        by_process = shares(*diaries).values()
        assert max(by_process) < sum(by_process) == 6


def test_downstream_tasks(monkeypatch, tmp_path):
    small_tasks.write_reviews(tmp_path / "data")
    small_tasks.write_similarities(tmp_path / "data")
    small_tasks.write_benchmark(tmp_path / "data")
    typed = [
        "suite=senteval_downstream", "lang=en", "tests=[MR,CR,STSB,STS14]", "seeds=2", "encoder=char_ngrams",
        "encoder.width=40", f"paths.data={tmp_path / 'data'}", *small_tasks.QUICK,
    ]  # fmt: skip
    alone = all_by(1, tmp_path, *typed)
    for n in (2, 3):
        with noted(monkeypatch, tmp_path / f"of{n}", n, (KeptTaskOutcomes, "write")) as diaries:
            assert all_by(n, tmp_path, *typed) == alone
        assert len(shares(*diaries)) == n


@pytest.mark.parametrize("kind", ["lstm", "causal"])
def test_minimal_sets(kind, monkeypatch, tmp_path):
    monkeypatch.setattr(word_level, "BLOCK_ROWS", 8)
    monkeypatch.setattr(causal, "_BLOCK_PREFIXES", 8)
    model = write_run(tmp_path) if kind == "lstm" else write_causal(tmp_path, "gpt2")
    pairs = [(one, other) for one in WORDS for other in WORDS if one != other]
    sets = tmp_path / "pairs.txt"
    sets.write_text("".join(f"True\t{one} {other}\nFalse\t{other} {one} {one}\n" for one, other in pairs))
    key = "run" if kind == "lstm" else "model"
    typed = [
        "suite=own", "lang=en", f"suite.path={sets}", "suite.format=clams", f"predictor={kind}",
        f"predictor.{key}={model}", "predictor.device=cpu",
    ]  # fmt: skip
    alone = all_by(1, tmp_path, *typed)
    n_blocks = len([path for path in alone[2] if path.startswith("cache/scores")])
    for n in (2, 3):
        with noted(monkeypatch, tmp_path / f"of{n}", n, (KeptBlocks, "write")) as diaries:
            assert all_by(n, tmp_path, *typed) == alone
        blocks = shares(*diaries)
        assert (len(blocks), sum(blocks.values())) == (n, n_blocks)


def test_devices_do_not_change_the_name_of_a_run(own_test, tmp_path):
    names = []
    for trainer in ([], ["trainer=ddp", "trainer.devices=3"]):
        config = composed("probe", *own_test, *trainer, f"paths.work={tmp_path}")
        study = study_of(probe_settings(config))
        names.append(study.name)
    assert names[0] == names[1]
