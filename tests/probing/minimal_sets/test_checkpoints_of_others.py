"""Checkpoints of a causal or masked transformer's training, scored on minimal sets as epochs."""

import pytest

from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.probing.door import probe_settings
from polyprobe.probing.minimal_sets.settings import MinimalSetSettings
from tests.predictors.tiny_causal import write_causal
from tests.predictors.tiny_masked import write_masked
from tests.probed import score_minimal_sets
from tests.runs.composed import composed

SETS = "".join(f"True\tthe {a} bark\nFalse\tthe {a} barks\n" for a in ("dogs", "cats", "small dogs"))


def written(kind, folder, seed):
    if kind == "masked":
        return write_masked(folder, "bert", seed)
    return write_causal(folder.with_name(f"{folder.name}-made"), "llama", seed).rename(folder)


@pytest.fixture(scope="module", params=["causal", "masked"])
def made(request, tmp_path_factory):
    """Returns the kind of predictor and the folders of two checkpoints, in the order in which a shell lists them."""
    root = tmp_path_factory.mktemp("tiny") / "training"
    root.mkdir()
    return request.param, [written(request.param, root / f"step{step}", step) for step in (1000, 200)]


def asked(kind, tmp_path, *options):
    (tmp_path / "dogs.txt").write_text(SETS)
    own = ["suite=own", f"suite.path={tmp_path / 'dogs.txt'}", "suite.format=clams", "lang=en", "trainer.threads=1"]
    more = ["predictor.score=pll"] if kind == "masked" else []
    config = composed("probe", *own, f"predictor={kind}", *more, *options, f"paths.work={tmp_path / 'work'}")
    return probe_settings(config)


def scored(kind, tmp_path, *options):
    return score_minimal_sets(MinimalSetSettings.of(asked(kind, tmp_path, *options)))


def of_all(folders):
    return f"predictor.folders=[{','.join(map(str, folders))}]"


def values(run):
    rows = [row for row in run.rows() if row["metric"] == "accuracy" and row.get("test")]
    return {row.get("epoch"): (row["value"], row["margin"], row["model"]) for row in rows}


def test_each_epoch_has_the_scores_of_its_checkpoint_alone(made, tmp_path):
    kind, folders = made
    run = scored(kind, tmp_path, of_all(folders))
    alone = {folder: values(scored(kind, tmp_path, f"predictor.model={folder}"))[None] for folder in folders}
    assert values(run) == {200: alone[folders[1]], 1000: alone[folders[0]]}
    assert list(values(run)) == [200, 1000]
    assert values(run)[200][2] == "training/step200"
    assert run.record()["models"][0]["model"] == "training"  # the label of all
    assert (run.pictures.parent / "results.jsonl").is_file()


def test_the_average_over_constructions_is_by_epoch(made, tmp_path):
    kind, folders = made
    run = scored(kind, tmp_path, of_all(folders))
    assert [row["epoch"] for row in run.rows() if row["metric"] == "accuracy" and not row.get("test")] == [200, 1000]


def test_other_epochs_of_the_same_checkpoints_are_another_run(made, tmp_path):
    kind, folders = made
    names = [scored(kind, tmp_path, of_all(folders)).name]
    later = [tmp_path / f"step{step}" for step in (1000, 300)]
    for folder, link in zip(folders, later, strict=True):
        link.symlink_to(folder)
    names.append(scored(kind, tmp_path, of_all(later)).name)
    assert names[0] != names[1]
    assert names[0] == scored(kind, tmp_path, of_all(folders[::-1])).name


def test_checkpoints_of_two_models_are_refused(made, tmp_path):
    kind, folders = made
    other = written("masked" if kind == "causal" else "causal", tmp_path / "step5", 1)
    same = written(kind, tmp_path / "step6", 1000)
    with pytest.raises(PolyprobeError):
        scored(kind, tmp_path, of_all([*folders, other]))
    with pytest.raises(PolyprobeError, match="have the same weights"):
        scored(kind, tmp_path, of_all([*folders, same]))


def test_another_vocabulary_is_refused(tmp_path):
    folders = [write_causal(tmp_path / name, name).rename(tmp_path / f"step{step}")
               for step, name in enumerate(("llama", "gpt2"))]  # fmt: skip
    with pytest.raises(PolyprobeError, match=r"predictor\.folders.* differ in model_type \(llama, gpt2\)"):
        scored("causal", tmp_path, of_all(folders))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["predictor.folders=[]"], r"predictor\.folders must be a list of names"),
        ([f"predictor.folders=[{__file__}/step1]"], f"there is no folder {__file__}/step1"),
        (["predictor.revisions=[step1]"], r"predictor\.model must be the name of a model"),
        ([], r"predictor\.model must be given: a folder"),
    ],
)
def test_a_wrong_list_is_refused(tmp_path, options, words):
    with pytest.raises(PolyprobeError, match=words):
        scored("causal", tmp_path, *options)


def test_random_weights_have_no_checkpoints(made, tmp_path):
    kind, folders = made
    with pytest.raises(BadValue, match=r"predictor\.weights must be pretrained"):
        scored(kind, tmp_path, of_all(folders), "predictor.weights=random", "predictor.seed=[1,2]")
