"""The files of a run with anything in them: the run is used as they say, or refused in one line that names the file."""

import datetime
import json
from functools import partial
from itertools import product

import pytest
import yaml

from polyprobe.errors import PolyprobeError
from polyprobe.predictors.base.predictor import NothingKept, Question
from polyprobe.predictors.lstm import LSTMPredictor
from polyprobe.probing.task_score_by_epoch import downstream_rows
from tests.foreign_runs import DELETED, places, with_wrong
from tests.predictors.saved_run import NETWORK_OPTIONS, write_run

WRONG = (None, True, -1, 2**70, 0.5, float("nan"), "x", "../x", [], [1], ["x"], {}, {"x": {}}, {1: 2},
         datetime.date(2020, 1, 1), {"_target_": "os.system", "seed": 1}, DELETED)  # fmt: skip
ONE_IN = 3  # of the changes; all of them hold as well


def use(run):
    """Scores a sentence by a language model's run, and reads its score for probing curves."""
    trained = LSTMPredictor(run, **NETWORK_OPTIONS, epoch="best")
    assert trained.languages
    assert len(trained.answer([Question(("the", "dog"))], NothingKept()).log_probabilities)
    downstream_rows(run, [0, 2])


@pytest.fixture
def run(tmp_path):
    found = write_run(tmp_path)
    (found / "metrics.csv").write_text("epoch,dev/perplexity\n0,10.5\n2,9.5\n", encoding="utf-8")
    config = yaml.safe_load((found / "config.yaml").read_text(encoding="utf-8"))
    (found / "config.yaml").write_text(yaml.safe_dump({**config, "monitor": "dev/perplexity"}), encoding="utf-8")
    return found


def refusal(run) -> str | None:
    """Returns the words of a refusal."""
    try:
        use(run)
    except PolyprobeError as error:
        return str(error)
    return None


@pytest.mark.parametrize(
    ("name", "read", "write"),
    [("config.yaml", yaml.safe_load, yaml.safe_dump), ("run.json", json.loads, partial(json.dumps, default=str))],
)
def test_whatever_stands_at_any_place_is_used_or_refused(name, read, write, run):
    content = read((run / name).read_text(encoding="utf-8"))
    assert refusal(run) is None
    refusals = []
    for place, wrong in list(product(places(content), WRONG))[::ONE_IN]:
        (run / name).write_text(write(with_wrong(content, place, wrong)), encoding="utf-8")
        try:
            refusals.append(refusal(run))
        except Exception as error:
            raise AssertionError(f"{place} as {wrong!r}") from error
    words = [one for one in refusals if one]
    assert len(words) > len(refusals) / 2
    assert not any("\n" in one for one in words)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "3",
        "- a",
        "{",
        "a: !!python/name:os.system",
        "a: 2020-13-45",
        "[" * 500,
        "a: \ud800",
        "a: &a [*a]",
        "\x00",
        "? {a: b}\n: c",
    ],
)
def test_a_configuration_that_is_none_is_refused(text, run):
    (run / "config.yaml").write_bytes(text.encode("utf-8", "surrogatepass"))
    assert "config.yaml is damaged" in refusal(run)
