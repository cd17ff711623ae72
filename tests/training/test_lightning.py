"""What Lightning's users bring: arguments of the Trainer, callbacks, and a run that is prolonged."""

import json
import shutil
import signal
import sys

import pytest
import pytorch_lightning as pl

from polyprobe.errors import PolyprobeError
from polyprobe.models.base.lightning_process import chosen_callbacks
from polyprobe.runs.names.conf_folders import choice_files, choice_settings
from polyprobe.training import training_run
from polyprobe.training.door import training_settings
from polyprobe.training.run import TrainingStudy, train
from tests.commands.forked import run_script
from tests.commands.scripts import only_run, small_training
from tests.foreign_runs import with_config
from tests.training.five_tasks import composed, settings, trained
from tests.training.same_runs import assert_same, unfinished_copy

WATCHING = [
    ["+trainer.profiler=simple", "+trainer.log_every_n_steps=1", "+trainer.enable_progress_bar=false"],
    ["callbacks=learning_rate_monitor"],
    ["callbacks=rich_progress", "+callbacks.kept._target_=pytorch_lightning.callbacks.ModelCheckpoint"],
]
COUNTED = [
    ["+trainer.limit_train_batches=3"],
    ["+trainer.gradient_clip_val=1"],
    ["+trainer.deterministic=true"],
    ["callbacks=early_stopping"],
    ["+callbacks.mine._target_=mine.Counter"],
    ["debug=limit"],
]
OWN = """
import pytorch_lightning as pl

class Counter(pl.Callback):
    n_batches = 0

    def on_train_batch_end(self, trainer, *_):
        self.n_batches += 1

    def state_dict(self):
        return {"n_batches": self.n_batches}

    def load_state_dict(self, state):
        self.n_batches = state["n_batches"]

    def on_train_end(self, trainer, module):
        print(f"batches of training: {self.n_batches}")
"""


@pytest.fixture
def own_module(tmp_path, monkeypatch):
    """A user's folder with mine.py, which is the working directory."""
    (tmp_path / "mine.py").write_text(OWN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    yield
    sys.modules.pop("mine", None)


def test_what_changes_numbers_is_in_the_name_of_a_run_and_nothing_else(small_data, tmp_path):
    def name(*typed):
        return TrainingStudy(training_settings(composed(*settings("pos", small_data, tmp_path, *typed)))).name

    assert {name(*typed) for typed in [[], *WATCHING]} == {name()}
    assert len({name(), *(name(*typed) for typed in COUNTED)}) == len(COUNTED) + 1


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("+trainer.profilr=simple", 'argument of trainer "profilr" is unknown. Did you mean profiler?'),
        ("+trainer.accumulate_grad_batches=2", "trainer.accumulate accumulates gradients"),
        ("+trainer.callbacks=[x]", r"\+callbacks.<name>._target_=… add callbacks"),
        ("callbacks=early_stopping callbacks.early_stopping.monitor=dev/acc", "Did you mean dev/accuracy?"),
    ],
)
def test_an_argument_that_trainer_lacks_or_that_another_key_sets_is_refused(typed, words, small_data, tmp_path):
    with pytest.raises(PolyprobeError, match=words):
        TrainingStudy(training_settings(composed(*settings("pos", small_data, tmp_path, *typed.split()))))


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (["+callbacks.mine._target_=mine.Countr"], 'mine has no "Countr". Did you mean Counter?'),
        (["+callbacks.mine._target_=mine.Counter", "+callbacks.mine.option=3"], "mine.Counter does not take these"),
        (["probe_each_epoch=[Cas]"], "Did you mean Case?"),
    ],
)
def test_names_are_checked_before_the_corpus_is_read(typed, words, small_data, tmp_path, own_module, monkeypatch):
    monkeypatch.setattr(training_run, "make_datamodule", None)
    with pytest.raises(PolyprobeError, match=words):
        trained("pos", small_data, tmp_path, *typed)


@pytest.mark.parametrize("choice", choice_files("callbacks"))
def test_every_choice_of_callbacks_can_be_built(choice):
    named = choice_settings("callbacks", choice)
    filled = {name: {**one, "monitor": "dev/las"} if "monitor" in one else one for name, one in named.items()}
    assert len(chosen_callbacks(filled)) == len(named)


def test_what_lightning_refuses_while_it_trains_is_one_paragraph(small_data, tmp_path):
    typed = [
        "+callbacks.es._target_=pytorch_lightning.callbacks.EarlyStopping",
        "+callbacks.es.monitor=train/los",
        "+trainer.limit_train_batches=2",
    ]
    with pytest.raises(PolyprobeError, match=r"conditioned on metric `train/los` which is not available"):
        trained("pos", small_data, tmp_path, *typed)


def test_a_finished_run_says_what_has_no_effect_on_it(small_data, tmp_path, capsys):
    finished = trained("pos", small_data, tmp_path, "trainer.max_epochs=1")
    typed = ["logger=wandb_offline", "+trainer.profiler=simple", "callbacks=model_summary"]
    assert trained("pos", small_data, tmp_path, "trainer.max_epochs=1", *typed) == finished
    unused = "\nlogger=wandb_offline, trainer.profiler, callbacks.model_summary: without effect"
    assert unused in capsys.readouterr().out


def test_what_is_no_callback_is_refused():
    with pytest.raises(PolyprobeError, match="Linear is not a pytorch_lightning"):
        chosen_callbacks({"mine": {"_target_": "torch.nn.Linear", "in_features": 1, "out_features": 1}})


def test_a_run_that_a_callback_has_stopped_stays_stopped_when_it_resumes(small_data, tmp_path):
    stopping = ["callbacks=early_stopping", "callbacks.early_stopping.patience=1", "trainer.max_epochs=9"]
    never_better = ["callbacks.early_stopping.min_delta=1.0"]
    run = trained("pos", small_data, tmp_path / "whole", *stopping, *never_better)
    n_epochs = len((run / "metrics.csv").read_text(encoding="utf-8").splitlines()) - 2
    assert n_epochs == 2
    copy = unfinished_copy(run, tmp_path / "copy")
    assert trained("pos", small_data, tmp_path / "copy", *stopping, *never_better) == copy
    assert_same(copy, run)


def test_a_callback_of_ones_own_runs_and_its_state_is_restored(small_data, tmp_path, own_module, capsys):
    typed = ["+callbacks.mine._target_=mine.Counter", "+trainer.limit_train_batches=2", "trainer.max_epochs=2"]
    run = trained("pos", small_data, tmp_path / "whole", *typed)
    assert "batches of training: 4" in capsys.readouterr().out
    copy = unfinished_copy(run, tmp_path / "copy")
    for file in copy.glob("*/02.ckpt*"):
        file.unlink()
    trained("pos", small_data, tmp_path / "copy", *typed)
    assert "batches of training: 4" in capsys.readouterr().out
    assert_same(copy, run)


def test_learning_rates_are_in_the_metrics_and_a_profile_in_the_run(small_data, tmp_path):
    run = trained("pos", small_data, tmp_path, "callbacks=learning_rate_monitor", "+trainer.profiler=simple")
    assert "lr-Adam" in (run / "metrics.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
    assert "run_training_epoch" in (run / "fit-profile.txt").read_text(encoding="utf-8")


def test_epochs_without_validation_have_no_scores_and_are_not_the_best(small_data, tmp_path):
    typed = ["+trainer.check_val_every_n_epoch=2", "trainer.max_epochs=3"]
    run = trained("pos", small_data, tmp_path, *typed)
    rows = [json.loads(line) for line in (run / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sorted({row["epoch"] for row in rows if row["stage"] == "training"}) == [0, 2]


def test_a_fast_dev_run_leaves_nothing(small_data, tmp_path):
    typed = small_training(small_data, tmp_path / "work", "debug=fdr", task="pos")
    done = run_script("train", *typed)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("nothing is kept\n")
    assert done.stdout.count("fast_dev_run-") == 1  # where it starts
    assert not (tmp_path / "work/runs").exists()


def test_the_handler_of_sigterm_stays_that_of_the_process(small_data, tmp_path, monkeypatch):
    found = []
    train_start = pl.LightningModule.on_train_batch_start
    monkeypatch.setattr(
        pl.LightningModule,
        "on_train_batch_start",
        lambda *arguments: (found.append(signal.getsignal(signal.SIGTERM)), train_start(*arguments))[1],
    )
    before = signal.signal(signal.SIGTERM, ours := lambda *_: None)
    try:
        trained("pos", small_data, tmp_path, "trainer.max_epochs=1")
    finally:
        signal.signal(signal.SIGTERM, before)
    assert set(found) == {ours}


@pytest.mark.parametrize("shorter", ["finished", "interrupted"])
def test_a_longer_run_continues_from_a_shorter_one_and_ends_with_the_same_bytes(shorter, small_data, tmp_path):
    def command(work, n_epochs):
        more = ["probe_each_epoch=[Case]", "probe.max_epochs=2", f"trainer.max_epochs={n_epochs}"]
        done = run_script("train", *small_training(small_data, tmp_path / work, *more, task="pos"))
        assert done.returncode == 0, done.stderr
        return done.stdout

    command("short", 2)
    first = only_run(tmp_path / "short", "train")
    if shorter == "interrupted":
        unfinished_copy(first, tmp_path / "prolonged")
    else:
        command("prolonged", 2)
    assert "continuing from epoch 2 of" in command("prolonged", 4)
    assert "continuing" not in command("whole", 4)
    whole = only_run(tmp_path / "whole", "train")
    assert_same(tmp_path / "prolonged/runs/train" / whole.name, whole)


@pytest.mark.parametrize(
    ("shorter", "longer"),
    [
        (["trainer.max_epochs=1"], ["trainer.max_epochs=2", "model.dropout=0.1"]),
        (["trainer.max_epochs=3", "trainer.keep=best"], ["trainer.max_epochs=4"]),  # which keeps all
        (["trainer.max_epochs=1"], ["trainer.max_epochs=2", "+trainer.max_steps=100"]),
    ],
)
def test_a_run_is_not_prolonged_where_a_setting_differs(shorter, longer, small_data, tmp_path, capsys):
    for typed in (shorter, longer):
        train(composed(*settings("pos", small_data, tmp_path / "work", *typed)))
    assert "continuing" not in capsys.readouterr().out


def test_a_run_is_not_prolonged_on_other_data(small_data, tmp_path, capsys):
    data = shutil.copytree(small_data, tmp_path / "data")
    train(composed(*settings("pos", data, tmp_path / "work", "trainer.max_epochs=1")))
    for file in data.rglob("*train*"):
        sentences = file.read_text(encoding="utf-8").rstrip("\n").split("\n\n")
        file.write_text("\n\n".join([*sentences[:-1], ""]), encoding="utf-8")
    train(composed(*settings("pos", data, tmp_path / "work", "trainer.max_epochs=2")))
    assert "continuing" not in capsys.readouterr().out


def test_what_another_run_says_of_callbacks_is_never_built(small_data, tmp_path, capsys):
    shorter = trained("pos", small_data, tmp_path / "work", "trainer.max_epochs=1")
    marker = tmp_path / "it-ran"
    attack = {"mine": {"_target_": "os.system", "command": f"touch {marker}"}}
    with_config(shorter, callbacks=attack)
    trained("pos", small_data, tmp_path / "work", "trainer.max_epochs=2")
    assert "continuing from epoch 1" in capsys.readouterr().out
    assert not marker.exists()
