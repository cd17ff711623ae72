"""A language model scored on minimal sets after every epoch, as probe.py scores its checkpoints."""

import csv
import shutil

import pytest
import yaml
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from polyprobe.errors import Impossible, PolyprobeError, UnknownChoice
from polyprobe.models.language_model import LanguageModel
from polyprobe.probing.door import probe_settings
from polyprobe.probing.minimal_sets.settings import MinimalSetSettings
from polyprobe.runs.command.script import CONF
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names import conf_folders
from polyprobe.training.door import probing_tests_and_suites, training_settings
from polyprobe.training.run import train_language_model
from tests.commands.scripts import on_small_data, with_mini
from tests.probed import score_minimal_sets
from tests.training.five_tasks import composed

SMALL = [
    "task=lm",
    "data.corpus=mini",
    "model.word_size=8",
    "model.hidden_size=8",
    "model.optimizer.lr=5",
    "trainer.threads=1",
]
EPOCHS = 2
TEXT = ("Kayık siyahtı", "Bugün çanta siyahtı", "eski anahtarı satıyorum", "Bugün eski kayık siyahtı", "çanta eski")
SETS = {
    "simple_agrmt": "True\tKayık siyahtı\nFalse\tsiyahtı Kayık\nTrue\tBugün çanta\nFalse\tçanta Bugün\n",
    "prep_anim": "True\teski anahtarı satıyorum\nFalse\teski eski satıyorum\nFalse\teski zzz satıyorum\n",
}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A text of lang=mini, with minimal sets as published ones lie."""
    folder = tmp_path_factory.mktemp("scored")
    (folder / "corpora").mkdir()
    lines = [TEXT[number % 5 * (number % 7) % 5] for number in range(150)]
    (folder / "corpora/mini.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    write_sets(folder, "mini", SETS)
    return folder


def write_sets(data, lang, sets):
    (data / f"clams/eval/{lang}").mkdir(parents=True, exist_ok=True)
    for name, text in sets.items():
        (data / f"clams/eval/{lang}/{name}.txt").write_text(text, encoding="utf-8")


def overrides(data, work, *more):
    scored = ["probe_each_epoch=[clams]", f"trainer.max_epochs={EPOCHS}"]
    return [*SMALL, *scored, *on_small_data(data, work), *more]


def scored_by_probe(run, data, work, epoch):
    """Returns what probe.py says of an epoch."""
    command = ["suite=clams", "predictor=lstm", f"predictor.run={run}", f"predictor.epoch={epoch}"]
    with initialize_config_dir(str(CONF), version_base="1.3"):
        config = compose("probe", [*command, *on_small_data(data, work)], return_hydra_config=True)
    choices = dict(config.hydra.runtime.choices)
    plain = OmegaConf.masked_copy(config, [key for key in config if key != "hydra"])
    config = {**OmegaConf.to_container(plain, resolve=True), "choices": choices}
    return score_minimal_sets(MinimalSetSettings.of(probe_settings(config))).rows()


def accuracies(rows):
    return [{**row, "run": ""} for row in rows if row["stage"] == "minimal_sets" and row["metric"] == "accuracy"]


@pytest.fixture(scope="module")
def whole_run(data, tmp_path_factory) -> RunDirectory:
    return train_language_model(composed(*overrides(data, tmp_path_factory.mktemp("whole"))))


def test_the_numbers_of_an_epoch_are_those_of_probe_on_its_checkpoint(whole_run, data, tmp_path):
    ours = accuracies(whole_run.rows())
    assert {(row["test"], row["epoch"]) for row in ours} == {
        (test, epoch) for test in (*SETS, "") for epoch in range(EPOCHS + 1)
    }
    for epoch in (0, EPOCHS):
        theirs = accuracies(scored_by_probe(whole_run.path, data, tmp_path, epoch))
        assert {row.pop("options") for row in theirs} == {f"epoch={epoch}"}  # what was typed
        sources = [row.pop("sources") for row in theirs]  # a training keeps those of its corpus alone
        assert all(sources)
        assert [row for row in ours if row["epoch"] == epoch] == theirs


def test_the_history_has_the_accuracies_of_every_epoch(whole_run):
    with open(whole_run.path / "metrics.csv", encoding="utf-8", newline="") as file:
        history = list(csv.DictReader(file))
    averaged = [row for row in accuracies(whole_run.rows()) if "seed" not in row]
    for row in averaged:
        name = f"clams/mini/{row['test'] or 'mean'}"
        if row["value"] is None:  # all of its sets have an OOV critical word
            assert not history[row["epoch"]].get(name)
        else:
            assert float(history[row["epoch"]][name]) == row["value"]


def interrupted(step, model, *batch):
    if model.trainer.current_epoch == 1:
        raise KeyboardInterrupt
    return step(model, *batch)


def test_a_run_that_was_cut_off_ends_with_the_same_numbers(whole_run, data, tmp_path, monkeypatch):
    config = composed(*overrides(data, tmp_path))
    step = LanguageModel.training_step
    monkeypatch.setattr(LanguageModel, "training_step", lambda *given: interrupted(step, *given))
    with pytest.raises(KeyboardInterrupt):
        train_language_model(config)
    monkeypatch.undo()
    run = RunDirectory(tmp_path / "runs/train" / whole_run.name)
    assert not run.is_finished
    train_language_model(config)
    for name in ("results.jsonl", "metrics.csv"):
        assert (run.path / name).read_bytes() == (whole_run.path / name).read_bytes()


@pytest.fixture
def copied(whole_run, data, tmp_path):
    """The finished run beside data of its own: its folder, its command line."""
    shutil.copytree(data, tmp_path / "data")
    shutil.copytree(whole_run.path, tmp_path / "runs/train" / whole_run.name, symlinks=True)
    return RunDirectory(tmp_path / "runs/train" / whole_run.name), overrides(tmp_path / "data", tmp_path)


def test_a_finished_run_shows_its_results_while_text_and_sets_are_the_same(copied):
    run, arguments = copied
    before = run.results.read_bytes()
    assert train_language_model(composed(*arguments)).path == run.path
    assert run.results.read_bytes() == before


@pytest.mark.parametrize("is_finished", [True, False])
def test_a_run_goes_on_with_the_sets_that_it_was_begun_with_alone(copied, is_finished, tmp_path):
    run, arguments = copied
    if not is_finished:
        run.results.unlink()
    write_sets(tmp_path / "data", "mini", {"prep_anim": "True\teski anahtar\nFalse\teski eski\n"})
    with pytest.raises(PolyprobeError, match=r"^minimal sets: clams/mini/prep_anim changed since .* was started\."):
        train_language_model(composed(*arguments))


def test_a_run_goes_on_with_sets_prepared_as_before_alone(copied, tmp_path, monkeypatch):
    _, arguments = copied
    shutil.copytree(CONF, tmp_path / "conf")
    settings = yaml.safe_load((CONF / "suite/clams.yaml").read_text(encoding="utf-8"))
    (tmp_path / "conf/suite/clams.yaml").write_text(yaml.safe_dump({**settings, "end_of_sentence": None}))
    config = composed(*arguments)
    monkeypatch.setattr(conf_folders, "CONF", tmp_path / "conf")
    with pytest.raises(PolyprobeError, match=r"^minimal sets: clams/mini as prepared changed since"):
        train_language_model(config)


def test_each_language_of_a_joined_model_is_scored_on_its_own_sets(tmp_path):
    texts = {"en": "the dog barks\nthe dogs bark\n", "fr": "le chien dort\nle chat dort\n"}
    sets = {"en": "True\tthe dog barks\nFalse\tthe dog bark\n", "fr": "True\tle chien dort\nFalse\tle dort chien\n"}
    for lang, text in texts.items():
        write_sets(tmp_path, lang, {"simple_agrmt": sets[lang], "vp_coord": "no set\n"})
        (tmp_path / "lm" / lang).mkdir(parents=True)
        for split in ("train", "valid", "test"):
            (tmp_path / f"lm/{lang}/{split}.txt").write_text(text, encoding="utf-8")
    two = [
        "lang=en",
        "data.corpus=small",
        "data.languages=[en,fr]",
        "task.datamodule.least_word_count=1",
        "trainer.max_epochs=1",
    ]
    asked = ["probe_each_epoch=[clams/simple_agrmt]", f"paths.data={tmp_path}", f"paths.work={tmp_path}"]
    rows = accuracies(train_language_model(composed(*SMALL, *two, *asked)).rows())
    assert {row["lang"] for row in rows} == {"en", "fr"}
    assert {row["test"] for row in rows} == {"simple_agrmt", ""}


def test_suites_stand_apart_from_probing_tests():
    assert probing_tests_and_suites(["Case", "clams"]) == (["Case"], {"clams": None})
    two = ["clams/vp_coord", "clams/prep_anim", "blimp"]
    assert probing_tests_and_suites(two) == ([], {"clams": ["vp_coord", "prep_anim"], "blimp": None})
    assert probing_tests_and_suites(["clams/vp_coord", "clams", "clams/vp_coord"]) == ([], {"clams": None})


def test_an_unknown_construction_is_refused_before_anything_is_written(data, tmp_path):
    with pytest.raises(UnknownChoice, match=r'"simple" is unknown\. Did you mean simple_agrmt'):
        train_language_model(composed(*overrides(data, tmp_path, "probe_each_epoch=[clams/simple]")))
    assert not (tmp_path / "runs").exists()


def test_a_model_of_another_task_is_not_scored(mini_folder, tmp_path):
    work = with_mini(mini_folder, tmp_path / "work")
    with pytest.raises(Impossible, match=r"Expected task=lm"):
        training_settings(composed("task=pos", "probe_each_epoch=[clams]", f"paths.work={work}"))
