"""A tiny run of `train.py task=lm`, as that command leaves it."""

import json
from pathlib import Path

import torch
import yaml

from polyprobe.formats.files.digest import file_digest
from polyprobe.models.base.checkpoint_file import build_model, write_digest
from polyprobe.predictors.base.predictor import Question

TEXT = ("the dogs bark loudly", "a dog barks loudly", "the dog that the cats love barks", "the cats sleep", "a b b")
WORDS = sorted({word for line in TEXT for word in line.split()})
QUESTIONS = tuple(
    Question(tuple(text.split()))
    for text in (
        "the dog barks", "the dog bark", "the dog barks loudly", "the dog", "dogs", "a", "ζζζζ barks", "a ζζζζ b",
        "the dogs that the cats love bark loudly", "the dogs that the cats love barks loudly", "the the the",
        *(" ".join(WORDS[(number * step) % len(WORDS)] for step in range(1 + number % 7)) for number in range(40)),
    )
)  # fmt: skip
ALIKE = Question(("a", "ξξ", "b")), Question(("a", "ζζζ", "b"))
UNKNOWN = Question(("ξξ", "barks"))
NETWORK_OPTIONS = {"start": True, "first": True, "end": False, "unknown": "scored", "split_off": ["."], "device": "cpu"}
CHANGES = (
    {"start": False, "first": False}, {"first": False}, {"end": True}, {"unknown": "left_out"}, {"split_off": []},
)  # fmt: skip
"""Options of a network, each of which must change its fingerprint."""
MODEL = {
    "_target_": "polyprobe.models.language_model.LanguageModel",
    "word_size": 6, "hidden_size": 7, "n_layers": 2, "dropout": 0.5, "tied": False, "first_range": 1.0,
    "clip_norm": 0.25,
    "optimizer": {"_target_": "torch.optim.SGD", "_partial_": True, "lr": 2.0},
    "rate_decay": {"_target_": "polyprobe.models.base.rate_decay.LoweredWithoutGain", "factor": 0.25},
}  # fmt: skip


def write_run(folder: Path, epochs=(0, 2), status="finished", task="lm", words=WORDS, lang="en", seed=5) -> Path:
    """Writes a run whose model of epoch k is initialised with seed k; the best epoch is the last."""
    run = folder / "run"
    (run / "epochs").mkdir(parents=True, exist_ok=True)
    for epoch in epochs:
        write_checkpoint(run / "epochs" / f"{epoch:02}.ckpt", {**MODEL, "seed": epoch}, {"words": list(words)})
    about = {"task": {"name": task}, "data": {"corpus": "small"}, "lang": {"code": lang, "generator": None}}
    config = {"seed": seed, **about}
    (run / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    record = {"status": status, "best_epoch": max(epochs, default=0)}
    (run / "run.json").write_text(json.dumps(record), encoding="utf-8")
    (run / "results.jsonl").write_text("", encoding="utf-8")
    return run


def write_checkpoint(path: Path, settings: dict, inputs: dict) -> None:
    model = build_model(settings, inputs)
    torch.save({"polyprobe": {"model": settings, "inputs": inputs}, "state_dict": model.state_dict()}, path)
    write_digest(path, file_digest(path))
