"""Files that a run leaves, changed at random: told in a line, or of no effect; never a traceback, never a wrong number.

`POLYPROBE_MUTATIONS=500 pytest tests/runs/test_mutations.py -s` makes 500 of each kind, and says how many were noticed.
"""

import contextlib
import functools
import io
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from polyprobe.analysis.door import analyze
from polyprobe.analysis.output.tables import show
from polyprobe.analysis.reports.finished_run import report_run
from polyprobe.encoders.cache.store import VectorCache, encoded
from polyprobe.encoders.char_ngrams import CharNgrams
from polyprobe.items import Form
from polyprobe.predictors.base.predictor import KeptBlocks
from polyprobe.probing.bank.jobs import ProbeOutcome
from polyprobe.probing.bank.outcome_cache import KeptOutcomes
from polyprobe.probing.door import probe_settings
from polyprobe.probing.minimal_sets.settings import MinimalSetSettings
from polyprobe.probing.settings import ProbingSettings
from polyprobe.runs.command.sweep_job import user_error
from polyprobe.training.run import train
from tests.probed import probe, score_minimal_sets
from tests.runs.composed import composed
from tests.runs.tiny_runs import TinyRuns, tiny_runs

N_MUTATIONS = int(os.environ.get("POLYPROBE_MUTATIONS", "12"))
LEFT_OUT = "Skipped: "


def mutated(content: bytes, seed: int) -> bytes:
    """Returns the content of a file with one thing changed at random, never the content itself: what a disk, a copy
    that was cut off or a hand may do."""
    generator = np.random.default_rng([seed, len(content)])
    while True:
        begin, end = sorted(generator.integers(len(content) + 1, size=2))
        digits = [place for place, byte in enumerate(content) if chr(byte).isdigit()]
        flipped, lines = bytearray(content), content.splitlines(keepends=True)
        flipped[begin % len(content)] ^= 1 << generator.integers(8)
        line = generator.integers(len(lines))
        found = {
            "a bit flipped": bytes(flipped),
            "cut off": content[:begin],
            "a part lost": content[:begin] + content[end:],
            "a part of zeros": content[:begin] + bytes(end - begin) + content[end:],
            "something added": content[:begin] + generator.bytes(generator.integers(1, 9)) + content[begin:],
            "a line lost": b"".join([*lines[:line], *lines[line + 1 :]]),
            "a line doubled": b"".join([*lines[: line + 1], *lines[line:]]),
        }
        if digits:
            place = digits[generator.integers(len(digits))]
            found["a digit changed"] = content[:place] + b"%d" % generator.integers(10) + content[place + 1 :]
        changed = found[list(found)[generator.integers(len(found))]]
        if changed != content:
            return changed


@pytest.fixture(scope="session")
def runs(small_data, tmp_path_factory) -> TinyRuns:
    with contextlib.redirect_stdout(io.StringIO()):
        made = tiny_runs(small_data, tmp_path_factory.mktemp("mutated"))
    torch.set_flush_denormal(False)
    return made


_composed = functools.cache(composed)


def analyzed(runs: TinyRuns, *overrides: str) -> None:
    show(analyze(_composed("analyze", f"paths.work={runs.work}", *overrides)))


def trained_again(runs: TinyRuns) -> None:
    show(report_run(train(runs.configs["trained"]).path))


def probed_again(runs: TinyRuns) -> None:
    config = runs.configs["probed"]
    show(report_run(probe(ProbingSettings.of(probe_settings(config))).path))


def scored_again(runs: TinyRuns) -> None:
    config = runs.configs["scored"]
    show(report_run(score_minimal_sets(MinimalSetSettings.of(probe_settings(config))).path))


def collected(runs: TinyRuns) -> None:
    analyzed(runs)


def compared(runs: TinyRuns) -> None:
    analyzed(runs, "job=compare", f"runs=[{runs.probed.name},{runs.probed_again.name}]")


def set_scores_compared(runs: TinyRuns) -> None:
    analyzed(runs, "job=compare", f"runs=[{runs.scored.name},{runs.scored_too.name}]")


def tabled(runs: TinyRuns) -> None:
    analyzed(runs, "job=table", f"runs=[{runs.probed.name},{runs.probed_again.name}]")


def first(folder: Path, pattern: str) -> Path:
    return sorted(folder.glob(pattern))[0]


FILES: dict[str, tuple[Callable[[TinyRuns], Path], list[Callable[[TinyRuns], None]]]] = {
    "run.json of a training run": (lambda runs: runs.trained.path / "run.json", [trained_again, collected]),
    "run.json of a probing run": (lambda runs: runs.probed.path / "run.json", [probed_again, compared, tabled]),
    "run.json of a run of minimal sets": (
        lambda runs: runs.scored.path / "run.json",
        [scored_again, set_scores_compared],
    ),
    "config.yaml of a training run": (lambda runs: runs.trained.config, [trained_again, probed_again]),
    "config.yaml of a run of minimal sets": (lambda runs: runs.scored.config, [scored_again, set_scores_compared]),
    "results.jsonl of a training run": (lambda runs: runs.trained.results, [trained_again, collected]),
    "results.jsonl of a probing run": (lambda runs: runs.probed.results, [probed_again, tabled]),
    "metrics.csv": (lambda runs: runs.trained.metrics, [trained_again, probed_again]),
    "a checkpoint": (lambda runs: runs.trained.epochs / "01.ckpt", [probed_again]),
    "the digest of a checkpoint": (lambda runs: runs.trained.epochs / "01.ckpt.sha256", [probed_again]),
    "predictions": (lambda runs: first(runs.probed.predictions, "*.npz"), [compared, probed_again]),
    "set scores": (lambda runs: first(runs.scored.set_scores, "*.npz"), [set_scores_compared, scored_again]),
}


def said(action: Callable[[TinyRuns], None], runs: TinyRuns) -> str:
    """Returns what an action prints; what it writes into pictures and tables is made of the same rows."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        action(runs)
    torch.set_flush_denormal(False)
    return out.getvalue()


def is_noticed(action: Callable[[TinyRuns], None], runs: TinyRuns, sound: str) -> bool:
    """Does what a command does; says whether the damage was told, after checking that all else is as without it."""
    try:
        found = said(action, runs)
    except Exception as error:
        told = user_error(error)  # as every command does
        if told is None:
            raise
        assert "\n" not in str(told), str(told)
        return True
    lines = found.splitlines()
    if not any(line.startswith(LEFT_OUT) for line in lines):
        assert found == sound
        return False
    others = [line for line in lines if line not in sound.splitlines()]  # the other runs are as they were
    assert all(line.startswith(LEFT_OUT) or " rows in " in line or set(line) <= set(" ─━-") for line in others), found
    return True


@pytest.mark.parametrize("kind", FILES)
def test_a_changed_file_is_told_or_changes_nothing_that_is_shown(kind, runs, capfd):
    find, actions = FILES[kind]
    path = find(runs)
    content = path.read_bytes()
    sound = [said(action, runs) for action in actions]
    n_noticed = 0
    try:
        for seed in range(N_MUTATIONS):
            action, expected = actions[seed % len(actions)], sound[seed % len(actions)]
            path.write_bytes(mutated(content, seed))
            try:
                n_noticed += is_noticed(action, runs, expected)
            except BaseException as error:
                error.add_note(f"{kind}, mutation {seed}, {action.__name__}")
                raise
    finally:
        path.write_bytes(content)
    assert n_noticed > N_MUTATIONS / 4, "most of what is mutated here is read"
    with capfd.disabled():
        if "POLYPROBE_MUTATIONS" in os.environ:
            print(f"\n{kind}: {n_noticed} of {N_MUTATIONS} noticed, {N_MUTATIONS - n_noticed} harmless")


ITEMS = [Form(f"sana{number}") for number in range(40)]


def vectors_kept(folder: Path) -> Callable[[], list[np.ndarray]]:
    encoder = CharNgrams(8, 1, 2, False, False, 1)
    return lambda: [encoded(encoder, ITEMS, VectorCache(folder=folder)).matrix(0)]


def outcome_kept(folder: Path) -> Callable[[], list[np.ndarray]]:
    kept, labels = KeptOutcomes(folder, {"probe": "mlp"}), np.arange(60) % 3
    made = ProbeOutcome(
        *(5, 3, 0.75, (0.9, 0.5, 0.4)), dev_predictions=labels, test_predictions=labels[::-1], test_losses=labels / 7
    )

    def read() -> list[np.ndarray]:
        outcome = kept.read("Case/encoding 1")
        if outcome is None:
            kept.write("Case/encoding 1", outcome := made)
        plain = np.array([outcome.epochs, outcome.best_epoch, outcome.dev_accuracy, *outcome.train_losses])
        return [plain, outcome.dev_predictions, outcome.test_predictions, outcome.test_losses]

    return read


def block_kept(folder: Path) -> Callable[[], list[np.ndarray]]:
    scores = {"sums": np.arange(40) / 3, "focuses": np.arange(40) / 7, "n_tokens": np.arange(40)}

    def read() -> list[np.ndarray]:
        (block,) = KeptBlocks(folder).blocks(["0a1b"], lambda number: scores)
        assert set(block) == set(scores)
        return [block[name] for name in scores]

    return read


@pytest.mark.parametrize(
    ("keep", "pattern"),
    [(vectors_kept, "*/*.block"), (outcome_kept, "*/*.npz"), (block_kept, "*.npz")],
    ids=["a block of the encoding cache", "a kept outcome of a probe", "a kept block of scores"],
)
def test_a_changed_file_of_the_cache_is_made_anew_or_read_as_it_was(keep, pattern, tmp_path, capfd, request):
    read = keep(tmp_path / "cache")
    expected = [np.array(one) for one in read()]
    (path,) = (tmp_path / "cache").glob(pattern)
    content = path.read_bytes()
    n_noticed = 0
    for seed in range(10 * N_MUTATIONS):
        damaged = mutated(content, seed)
        path.write_bytes(damaged)
        for found, one in zip(read(), expected, strict=True):
            np.testing.assert_array_equal(found, one, err_msg=f"mutation {seed}")
        n_noticed += path.read_bytes() != damaged
        path.write_bytes(content)
    assert n_noticed > N_MUTATIONS / 4, "most of what is mutated here is read"
    with capfd.disabled():
        if "POLYPROBE_MUTATIONS" in os.environ:
            print(f"\n{request.node.callspec.id}: {n_noticed} of {10 * N_MUTATIONS} noticed and made anew")
