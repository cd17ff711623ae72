"""One probing run over the checkpoints of a transformer's training: a curve, with baselines that are computed once."""

import pytest

from polyprobe.probing.door import probe_settings
from polyprobe.probing.settings import ProbingSettings
from tests.encoders.tiny_transformers import write_transformer
from tests.probed import probe
from tests.runs.composed import composed

ROWS = "".join(f"{word}\t{label}\n" for label, end in (("Sing", ""), ("Plur", "t")) for word in
               (f"{stem}{end}" for stem in ("talo", "katu", "auto", "kala", "pata", "sana")))  # fmt: skip
STEPS = (1000, 200)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("curves")
    for step in STEPS:
        write_transformer(folder / f"tiny/step{step}", "bert", step)
    (folder / "tests/Number").mkdir(parents=True)
    for split in ("train", "dev", "test"):
        (folder / f"tests/Number/{split}.txt").write_text(ROWS)
    return folder


def probed(folder, *options):
    suite = ["suite=own", "lang=fi", f"suite.path={folder / 'tests'}", "suite.format=linspector", "suite.level=type"]
    work = [f"paths.work={folder / 'work'}", "trainer.threads=1", "probe.max_epochs=2", "baselines=all"]
    config = composed("probe", *suite, "encoder=transformer", "encoder.layers=[0,2]", *work, *options)
    return probe(ProbingSettings.of(probe_settings(config))).rows()


def scores(rows, **columns):
    chosen = [row for row in rows if (row["stage"], row["metric"]) == ("probing", "accuracy")]
    return {(row.get("epoch"), row["layer"]): row for row in chosen}


def test_a_curve_has_for_each_checkpoint_what_its_own_run_has(folder):
    rows = scores(probed(folder, f"encoder.folders=[{','.join(str(folder / f'tiny/step{step}') for step in STEPS)}]"))
    assert list(rows) == [(epoch, layer) for epoch in sorted(STEPS) for layer in ("layer_0", "layer_2")]
    assert {row["model"] for row in rows.values()} == {f"{folder.name}/tiny"}
    for step in STEPS:
        alone = scores(probed(folder, f"encoder.model={folder / f'tiny/step{step}'}"))
        for layer in ("layer_0", "layer_2"):
            assert rows[step, layer]["value"] == alone[None, layer]["value"]


def test_the_fresh_encoder_is_the_same_at_every_epoch(folder):
    rows = scores(probed(folder, f"encoder.folders=[{','.join(str(folder / f'tiny/step{step}') for step in STEPS)}]"))
    for layer in ("layer_0", "layer_2"):
        assert len({rows[step, layer]["random"] for step in STEPS}) == 1
