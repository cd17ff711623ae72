"""A run that somebody else made runs nothing: each attack would leave a marker file, and none is there."""

import pickle
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from huggingface_hub import HfApi, constants
from submitit.core.utils import DelayedSubmission

from polyprobe.analysis.output.tables import show
from polyprobe.analysis.reports.finished_run import draw_run, report_run
from polyprobe.analysis.reports.finished_sweep import report_sweep
from polyprobe.analysis.results.collection import collect
from polyprobe.encoders.cache.store import VectorCache
from polyprobe.encoders.checkpoint import CheckpointEncoder
from polyprobe.encoders.inputs.vector_source import VectorSource
from polyprobe.errors import PolyprobeError
from polyprobe.items import Form
from polyprobe.models.base.checkpoint_file import DamagedCheckpoint
from polyprobe.predictors.lstm import LSTMPredictor, RandomPredictor
from polyprobe.predictors.word_level.trained_run import words_of_run
from polyprobe.runs.command.sweep import Sweep
from polyprobe.runs.directory import FOLDERS, RunDirectory
from polyprobe.runs.record.run_record import DamagedRun
from tests.analysis.finished_runs import predicted
from tests.encoders import saved_run as saved_labeller
from tests.foreign_runs import changed, tagger_over_vectors, with_config
from tests.predictors import saved_run as saved_language_model
from tests.predictors.saved_run import NETWORK_OPTIONS


@pytest.fixture
def marker(tmp_path):
    return tmp_path / "it-ran"


def names_that_write(marker: Path) -> dict[str, dict]:
    """Returns the arguments with which each of these would leave the marker."""
    text = {"path": str(marker), "text": "it ran"}
    atomic = "polyprobe.formats.files.atomic.write_text"
    return {
        atomic: text,
        "polyprobe.models.base.checkpoint_file.write_text": text,  # imported there
        "polyprobe.models.base.checkpoint_file.write_digest": {"path": str(marker), "digest": "0"},
        "polyprobe.formats.files.arrays.write_arrays": {"path": str(marker), "arrays": {}},
        "polyprobe.analysis.output.tables.write_table": {"path": str(marker), "header": [], "rows": []},
        "polyprobe.named.built": {"settings": {"_target_": atomic, **text}, "key": "encoder"},
        "polyprobe.named.os.system": {"command": f"touch {marker}"},
        "os.system": {"command": f"touch {marker}"},
        "os.mkdir": {"path": str(marker)},
    }


def attacks(marker: Path, of_another_place: str) -> list[dict]:
    others = [{"_target_": of_another_place}]
    return [{"_target_": name, **options} for name, options in names_that_write(marker).items()] + others


def refused(call: Callable[[], object], attack: dict, marker: Path, error: type = DamagedCheckpoint) -> None:
    """Checks that a call names what is asked for and leaves no marker."""
    with pytest.raises(error, match=re.escape(f'"{attack["_target_"]}"')):
        call()
    assert not list(marker.parent.glob(f"{marker.name}*"))


def opened(run: Path, work: Path, **inputs) -> CheckpointEncoder:
    return CheckpointEncoder(run, None, None, "token", inputs, work / "cache")


ENCODER = "polyprobe.encoders.random.RandomVectors"


def test_no_name_of_a_model_or_of_its_parts_calls_anything(marker, tmp_path):
    run = saved_labeller.write_run(tmp_path, epochs=(0,))
    whole = (run / "epochs/00.ckpt").read_bytes()
    places = [("model", None), ("model", "optimizer"), ("model", "rate_decay"), ("model", "hidden_size"),
              ("inputs", "reader"), ("inputs", "roles")]  # fmt: skip
    for entry, place in places:
        for attack in attacks(marker, ENCODER):

            def put(content: dict) -> None:
                saved = content["polyprobe"]
                saved.update({entry: attack}) if place is None else saved[entry].update({place: attack})  # noqa: B023

            (run / "epochs/00.ckpt").write_bytes(whole)
            changed(run / "epochs/00.ckpt", put)
            refused(lambda: opened(run, tmp_path), attack, marker)


def test_no_name_of_an_encoder_calls_anything_nor_one_below_it(marker, tmp_path):
    for number, attack in enumerate(attacks(marker, "polyprobe.models.tagger.Tagger")):
        lower = tagger_over_vectors(tmp_path / f"lower-{number}", {"settings": attack, "number": "float32"})
        refused(lambda: opened(lower, tmp_path), attack, marker)  # noqa: B023
        upper = {"settings": {**BELOW, "run": str(lower), "inputs": {}, "cache": "x"}, "number": "float32"}
        run = tagger_over_vectors(tmp_path / f"upper-{number}", upper)
        refused(lambda: opened(run, tmp_path), attack, marker)  # noqa: B023


@pytest.mark.parametrize("kind", [LSTMPredictor, RandomPredictor, words_of_run])
def test_no_name_of_a_language_model_calls_anything(kind, marker, tmp_path):
    run = saved_language_model.write_run(tmp_path)
    options = {**NETWORK_OPTIONS, **({"epoch": 2} if kind is LSTMPredictor else {"seed": 1})}
    for attack in attacks(marker, ENCODER):
        for path in (run / "epochs").glob("*.ckpt"):
            changed(path, lambda content: content["polyprobe"].update(model=attack, inputs={}))  # noqa: B023
        refused(lambda: kind(run, "x") if kind is words_of_run else kind(run, **options), attack, marker)


def test_nothing_in_a_configuration_is_resolved(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", "secret")
    lang = {"code": "${oc.env:SECRET}", "generator": None}
    run = with_config(saved_language_model.write_run(tmp_path), lang=lang)
    assert LSTMPredictor(run, **NETWORK_OPTIONS, epoch=2).languages == ("${oc.env:SECRET}",)


def test_a_configuration_with_an_object_of_python_in_it_is_damaged(marker, tmp_path):
    run = saved_language_model.write_run(tmp_path)
    (run / "config.yaml").write_text(f"seed: !!python/object/apply:os.system ['touch {marker}']\n", encoding="utf-8")
    with pytest.raises(PolyprobeError, match=r"config\.yaml is damaged"):
        LSTMPredictor(run, **NETWORK_OPTIONS, epoch=2)
    assert not marker.exists()


def over_a_checkpoint(run: Path, lower: Path, work: Path, cache: Path, inputs: dict) -> Path:
    """Writes a tagger that reads the lowest layer of another one, and says where the encodings are to be."""
    options = {"run": str(lower), "epochs": [0], "layers": ["words"], "level": "token"}
    below = CheckpointEncoder(**options, inputs={}, cache=work / "cache")
    settings = {
        "_target_": "polyprobe.encoders.checkpoint.CheckpointEncoder",
        **options,
        "inputs": inputs,
        "cache": str(cache),
    }
    tagger_over_vectors(run, {"settings": settings, "number": "float32"})
    of_training = {"fingerprint": VectorSource(below, VectorCache(folder=work)).fingerprint, "reads_context": True}
    changed(run / "epochs/00.ckpt", lambda content: content["polyprobe"]["inputs"]["reader"].update(of_training))
    return run


def test_encodings_are_kept_where_the_user_says_and_nowhere_else(tmp_path):
    outside = tmp_path / "outside"
    lowest = tagger_over_vectors(tmp_path / "lowest")
    lower = over_a_checkpoint(tmp_path / "lower", lowest, tmp_path, outside, {})
    upper = over_a_checkpoint(tmp_path / "upper", lower, tmp_path, outside, {"cache": str(outside)})
    encoder = opened(upper, tmp_path)
    assert [part[0].shape for part in encoder.encode([Form("talo")])] == [(1, 4)]
    assert not outside.exists()
    assert (tmp_path / "cache").is_dir()


def test_a_run_that_reads_its_own_vectors_is_refused(tmp_path):
    settings = {
        "_target_": "polyprobe.encoders.checkpoint.CheckpointEncoder", "run": str(tmp_path / "run"), "epochs": [0],
        "layers": ["words"], "level": "token", "inputs": {}, "cache": str(tmp_path / "cache"),
    }  # fmt: skip
    run = tagger_over_vectors(tmp_path / "run", {"settings": settings, "number": "float32"})
    with pytest.raises(PolyprobeError, match="its own vectors"):
        opened(run, tmp_path)


def led_out(run: RunDirectory, place: str, outside: Path) -> str:
    """Puts a link in the place of a folder of a run, what was there behind it; returns the pattern of its refusal."""
    folder = run.path / place
    folder.parent.mkdir(exist_ok=True)
    if folder.is_dir():
        folder.rename(outside)
    else:
        outside.mkdir()
    folder.symlink_to(outside)
    return rf"^{re.escape(str(folder))}: it is a symbolic link to {re.escape(str(outside))}\. .*Remove the link"


@pytest.mark.parametrize("place", [*FOLDERS, "predictions/data"])
def test_a_folder_of_a_run_that_is_a_link_is_neither_drawn_nor_written_to(place, tmp_path):
    run, outside = predicted(tmp_path, "run", [[1, 1, 0, 1], [1, 0, 0, 1]]), tmp_path / "outside"
    words = led_out(run, place, outside)
    before = sorted(outside.iterdir())
    works = {
        "report": lambda: show(report_run(run.path)), "draw": lambda: show(draw_run(run.path)),
        "arrays": lambda: run.arrays(run.predictions), "open": lambda: run.open("seed: 1\n"),
    }  # fmt: skip
    for work in works.values():
        with pytest.raises(DamagedRun, match=words):
            work()
    assert sorted(outside.iterdir()) == before
    assert [line for line in collect(tmp_path).left_out if re.match(words, line)]


def test_a_link_that_leads_nowhere_is_no_folder_of_a_run(tmp_path):
    run = RunDirectory(tmp_path / "run")
    run.path.mkdir()
    run.pictures.symlink_to(tmp_path / "nowhere")
    with pytest.raises(DamagedRun, match="symbolic link"):
        run.open("seed: 1\n")
    assert not (tmp_path / "nowhere").exists()


def test_a_run_that_is_reached_through_a_link_is_drawn_and_opened(tmp_path):
    run = predicted(tmp_path / "work", "run", [[1, 1, 0, 1], [1, 0, 0, 1]])
    (run.path / "epochs").mkdir()
    (run.path / "epochs/00.ckpt").touch()
    (run.path / "best").symlink_to("epochs/00.ckpt")
    (tmp_path / "linked").symlink_to(tmp_path / "work")
    (tmp_path / "run").symlink_to(run.path)
    for path in (tmp_path / "linked/runs/probe/run", tmp_path / "run"):
        show(report_run(path))
        with RunDirectory(path).opened("seed: 1\n"):
            pass
    assert (run.errors / "Case.tsv").is_file()


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """What the hub is asked for; it has nothing, and nothing was fetched before."""
    names = []
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))

    def model_info(_, name, **__):
        names.append(name)
        raise ConnectionError("no network")

    monkeypatch.setattr(HfApi, "model_info", model_info)
    return names


TRANSFORMER = {
    "_target_": "polyprobe.encoders.transformer.encoder.TransformerEncoder", "model": "attacker/tracker",
    "revision": None,
    "layers": [0], "word_pooling": "mean", "sentence_pooling": "mean", "lowercase": False, "dotless_i": False,
    "token_budget": None, "number_type": "float32", "device": "cpu", "over_long": "split", "weights": "pretrained",
    "seed": 1,
}  # fmt: skip
BELOW = {
    "_target_": "polyprobe.encoders.checkpoint.CheckpointEncoder",
    "epochs": [0],
    "layers": ["words"],
    "level": "token",
}


def over_a_transformer(folder: Path) -> Path:
    """Writes a run that names a transformer, and one above it whose file says the options of the lower one, too."""
    lower = tagger_over_vectors(folder / "lower", {"settings": TRANSFORMER, "number": "float32"})
    options = {"run": str(lower), "inputs": {"model": "attacker/tracker"}, "cache": str(folder / "cache")}
    tagger_over_vectors(folder / "upper", {"settings": {**BELOW, **options}, "number": "float32"})
    return lower


@pytest.mark.parametrize("run", ["lower", "upper"])
def test_a_name_of_a_model_in_a_file_asks_no_network(run, asked, tmp_path):
    over_a_transformer(tmp_path)
    with pytest.raises(PolyprobeError, match=r"nothing is fetched .*\+encoder\.inputs\.model=attacker/tracker"):
        opened(tmp_path / run, tmp_path)
    assert asked == []


def test_a_model_that_the_user_names_is_asked_of_the_hub(asked, tmp_path):
    lower = over_a_transformer(tmp_path)
    with pytest.raises(PolyprobeError, match="no network"):
        opened(lower, tmp_path, model="owner/trusted")
    with pytest.raises(PolyprobeError, match="no network"):
        opened(tmp_path / "upper", tmp_path, inputs={"model": "owner/below"})
    assert asked == ["owner/trusted", "owner/below"]


def test_an_untrained_encoder_of_any_size_is_not_built(tmp_path):
    settings = {
        "_target_": "polyprobe.encoders.untrained.UntrainedEncoder", "model": "bilstm_max", "seed": 1, "path": "x",
        "network": {"hidden_size": 10**6, "n_layers": 50}, "lowercase": False, "dotless_i": False, "cache": "x",
    }  # fmt: skip
    run = tagger_over_vectors(tmp_path / "run", {"settings": settings, "number": "float32"})
    with pytest.raises(PolyprobeError, match="its model reads the vectors of an untrained encoder"):
        opened(run, tmp_path)


class Touching:
    """What touches a file when it is unpickled."""

    def __init__(self, path: Path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_pickles_of_a_sweep_are_read_by_its_launcher_and_by_nothing_else(marker, tmp_path):
    sweep = Sweep(tmp_path / "work/runs/sweeps/tiny")
    sweep.begin(["seed"], [["task=pos", "seed=1"]])
    folder = sweep.folder / ".submitit/7"
    folder.mkdir(parents=True)
    for name in ("7_submitted.pkl", "7_0_result.pkl"):
        (folder / name).write_bytes(pickle.dumps(Touching(marker)))
    report_sweep(sweep.folder)
    collect(tmp_path / "work")
    assert not marker.exists()
    with pytest.raises(AssertionError, match="should be"):
        DelayedSubmission.load(folder / "7_submitted.pkl")  # as submitit does in a job
    assert marker.exists()
