"""One epoch of every sentence encoder and objective on lang=mini tells more than how often each label occurs."""

import numpy as np
import pytest
from scipy.stats import entropy

from polyprobe.models.base.task_model import run_frozen
from polyprobe.models.batches.target_units import END_ID
from polyprobe.runs.directory import RunDirectory
from polyprobe.splits import SPLITS
from polyprobe.training.door import training_settings
from polyprobe.training.run import chosen_inputs
from polyprobe.training.training_run import TrainingRun
from tests.training.five_tasks import composed

LEARNING = [
    *(("bilstm_max", objective) for objective in ("autoencoder", "nmt", "seq2tree", "skipthought", "nli")),
    *(("bilstm_last", "nmt"), ("gated_convnet", "skipthought"), ("gated_convnet", "nli")),
]
WRITTEN = ("task.hidden_size=24", "task.merges=30", "model.objective.longest=5")
RMS = 1.3  # of running words in vectors of task=word_vectors
PARTS = {"nli": 0.3, "seq2tree": 0.04}  # of train; of the others 0.1
CORPORA = {"nli": "nli", "nmt": "nmt_ana"}
FILES = (("parallel", "mini"), ("nli", "tsv"))
SHARE = "{{train: [0, {}], dev: [0, 0.02], test: [0, 0.02]}}"
RATES = {
    ("bilstm", "text"): 0.01,
    ("bilstm", "nli"): 0.002,
    ("gated", "text"): 0.5,
    ("gated", "nli"): 0.02,
}  # a short epoch


@pytest.fixture(scope="module")
def vectors(mini_folder, tmp_path_factory):
    """Writes random vectors for the words of lang=mini."""
    files = [mini_folder / name / "mini" / f"{split}.{end}" for name, end in FILES for split in SPLITS]
    words = sorted({word for path in files for word in path.read_text(encoding="utf-8").split()})
    rows = np.random.default_rng(1).normal(0, RMS, (len(words), 24)).round(3).tolist()
    path = tmp_path_factory.mktemp("vectors") / "words.vec"
    lines = [f"{word} {' '.join(map(str, row))}\n" for word, row in zip(words, rows, strict=True)]
    path.write_text(f"{len(words)} 24\n{''.join(lines)}", encoding="utf-8")
    return path


def trained(model, objective, vectors, data, work, *more):
    """Trains for one epoch; returns the run."""
    small = ["model.encoder.hidden_size=24", "model.encoder.n_layers=2", "trainer.max_epochs=1", "trainer.threads=1"]
    kind = "nli" if objective == "nli" else "text"
    small += [f"model.optimizer.lr={RATES[model.partition('_')[0], kind]}"]
    written = [] if objective == "nli" else [*WRITTEN]
    part = SHARE.format(PARTS.get(objective, 0.1))
    corpus = f"+data.corpora.{CORPORA.get(objective, objective)}.shares={part}"
    batch = f"task.datamodule.batch_{'pairs=4' if objective == 'nli' else 'sentences=6'}"
    read = ["encoder=static_vectors", f"encoder.path={vectors}", "lang.generator=null", f"paths.data={data}"]
    said = ["task=sentence", f"objective={objective}", f"model={model}", "lang=mini", f"paths.work={work}"]
    settings = training_settings(composed(*said, *small, *written, corpus, batch, *read, *more))
    directory = RunDirectory(work / "run")
    run = TrainingRun(settings, chosen_inputs(settings.inputs), directory)
    directory.path.mkdir()
    directory.begin({})
    run.fit_and_test(None)
    return run


def loss_on_train(run):
    """Returns the loss of a trained model, nats per label of train."""
    coder, train = run.datamodule.coder, run.datamodule.train
    batches = list(coder.gold_batches(train))
    n_labels = sum(batch.n_items for batch in batches)
    return sum(float(run_frozen(run.model, run.model.loss, one)) * one.n_items for one in batches) / n_labels


def prior_loss(data):
    """Returns the loss of a model that knows how often each label is in train, and nothing of the input."""
    if hasattr(data, "units"):
        counts = np.bincount(np.concatenate([one.unit_ids for one in data.coded_train]), minlength=len(data.units))
        counts[END_ID] += len(data.coded_train)
    else:
        counts = np.bincount([one.label_id for one in data.coded_train])
    return entropy(counts)


@pytest.mark.parametrize(("model", "objective"), LEARNING)
def test_an_epoch_ends_below_the_prior_of_labels(model, objective, vectors, mini_folder, tmp_path):
    run = trained(model, objective, vectors, mini_folder, tmp_path)
    assert loss_on_train(run) < prior_loss(run.datamodule)
