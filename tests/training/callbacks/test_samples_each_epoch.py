"""What a model writes from a few sentences after every epoch: kept, written to samples.tsv and sent to W&B."""

from types import SimpleNamespace

import pytest
from pytorch_lightning.loggers import WandbLogger

from polyprobe.formats.texts.sentence_lines import TargetedSentence
from polyprobe.runs.directory import RunDirectory
from polyprobe.training.callbacks.samples_each_epoch import SamplesEachEpoch, spread

FIRST, SECOND = TargetedSentence(("a", "b"), ("c",), 1), TargetedSentence(("d",), ("e", "f"), 2)
TRAINER = SimpleNamespace(is_global_zero=True)


class Received(WandbLogger):
    """Stands for a dashboard: keeps what it is sent."""

    def __init__(self):
        self.sent = []

    def log_table(self, key, columns, data, step):
        self.sent.append((key, columns, data, step))


def history(n_epochs: int) -> SimpleNamespace:
    return SimpleNamespace(rows=[{}] * n_epochs, logger=Received())


def model(*words: str) -> SimpleNamespace:
    """Writes the same words for every sentence."""
    return SimpleNamespace(answers=lambda sentences: [words for _ in sentences])


@pytest.fixture
def samples(tmp_path):
    return SamplesEachEpoch(RunDirectory(tmp_path), history(1), [FIRST, SECOND])


def test_every_epoch_is_answered_once_and_written_and_sent(samples, tmp_path):
    samples.on_train_start(TRAINER, model())
    samples.history.rows.append({})
    samples.on_train_epoch_end(TRAINER, model("c", "c"))
    samples.publish()
    assert (tmp_path / "samples.tsv").read_text(encoding="utf-8") == (
        "epoch\tsentence\ttarget\tanswer\n0\ta b\tc\t\n0\td\te f\t\n1\ta b\tc\tc c\n1\td\te f\tc c\n"
    )
    columns = ["epoch", "sentence", "target", "answer"]
    assert samples.history.logger.sent == [
        ("samples", columns, [[0, "a b", "c", ""], [0, "d", "e f", ""]], 0),
        ("samples", columns, [[1, "a b", "c", "c c"], [1, "d", "e f", "c c"]], 1),
    ]


def test_a_resumed_run_writes_and_sends_earlier_samples_and_answers_nothing_anew(samples, tmp_path):
    samples.on_train_start(TRAINER, model("c"))
    resumed = SamplesEachEpoch(RunDirectory(tmp_path), history(1), [FIRST, SECOND])
    resumed.load_state_dict(samples.state_dict())
    samples.directory.samples.unlink()
    resumed.on_train_start(TRAINER, model("other"))
    assert (tmp_path / "samples.tsv").read_text(encoding="utf-8").splitlines()[1:] == ["0\ta b\tc\tc", "0\td\te f\tc"]
    assert resumed.history.logger.sent == samples.history.logger.sent


def test_without_sentences_and_in_other_processes_nothing_is_done(samples, tmp_path):
    samples.on_train_start(SimpleNamespace(is_global_zero=False), model("c"))
    none = SamplesEachEpoch(RunDirectory(tmp_path), history(1), [])
    none.on_train_start(TRAINER, None)
    none.publish()
    assert list(tmp_path.iterdir()) == []
    assert none.state_dict() == samples.state_dict() == {"samples": []}


def test_a_tab_within_a_word_ends_no_cell(samples):
    samples.on_train_start(TRAINER, model("c\tc", "d"))
    assert [sample.answer for sample in samples.samples] == ["c c d"] * 2


def test_sentences_are_taken_at_equal_distances():
    dev = list(range(10))
    assert spread(dev, 3) == [0, 3, 6]
    assert spread(dev[:2], 5) == [0, 1]
    assert spread(dev, 0) == spread([], 3) == []
