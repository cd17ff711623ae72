"""The files that the golden set's commands read: a part of lang=mini, models of random weights, rows of one's own."""

import shutil
from pathlib import Path

import numpy as np
import torch
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM

from tests.encoders.saved_elmo import allennlp_arrays, write_allennlp
from tests.encoders.tiny_transformers import ARCHITECTURES, write_transformer

# What is kept of files in these folders of lang=mini, by split: so many blocks, lines or rows. Others: as they are.
SENTENCES = {"train": 48, "dev": 16, "test": 16}
BLOCKS = {"srl": SENTENCES, "ud": SENTENCES, "um": SENTENCES, "ner": SENTENCES}
BLOCKS["ordered"] = {"train": 12, "dev": 4, "test": 4}
LINES = {
    "nli": {"train": 61, "dev": 31, "test": 31},
    "linspector": {"train": 160, "dev": 60, "test": 60},
    "corpora": {"": 600},
    "clams": {"": 240},
    "parallel": SENTENCES,
    "trees": SENTENCES,
}
ROWS = {"tr": 80, "va": 40, "te": 40}
GOOD, BAD, NOUNS = ("good", "fine", "warm"), ("poor", "dull", "cold"), ("film", "plot", "song", "cast", "tale")


def write_material(root: Path, mini: Path) -> None:
    """Writes `data`, a small copy of the corpora of lang=mini, and `given`, all that a user would bring along."""
    shutil.copytree(Path(__file__).with_name("files"), root, dirs_exist_ok=True)
    for path in sorted(one for one in mini.rglob("*") if one.is_file() and one.name != "manifest.tsv"):
        _write(root / "data" / path.relative_to(mini), _part(path, path.relative_to(mini).parts[0]))
    given = root / "given"
    words = [line.split()[0] for line in (mini / "frequency/mini.txt").read_text(encoding="utf-8").splitlines()]
    _write_models(given)
    _write(given / "words.vec", _vectors(words[:400], 8, " ", f"{400} 8\n"))
    _write_rows(given, mini)
    _write_downstream(root / "data/senteval/downstream")
    _write_damaged(root)


def _part(path: Path, kind: str) -> str:
    text = path.read_text(encoding="utf-8")
    if kind == "senteval" and path.suffix == ".txt":
        rows = text.splitlines(keepends=True)
        return "".join(row for part, n in ROWS.items() for row in [row for row in rows if row.startswith(part)][:n])
    for limits, separator in ((BLOCKS, "\n\n"), (LINES, "\n")):
        for split, n in limits.get(kind, {}).items() if path.suffix != ".avg" else ():
            if split in str(path.relative_to(path.parents[2])):
                return separator.join(text.split(separator)[:n]) + separator
    return text


def _write_models(given: Path) -> None:
    write_transformer(given / "bert", "bert")
    write_allennlp(given / "elmo", allennlp_arrays(1))
    for name, kind in (("gpt2", AutoModelForCausalLM), ("bert", AutoModelForMaskedLM)):
        tokenizer, config = ARCHITECTURES[name]()
        if name == "bert":
            tokenizer.add_special_tokens({"mask_token": "[MASK]"})
            config.vocab_size = len(tokenizer)
        with torch.random.fork_rng():
            torch.manual_seed(4)
            kind.from_config(config).save_pretrained(given / f"{name}_lm")
        tokenizer.save_pretrained(given / f"{name}_lm")
    shutil.copytree(given / "gpt2_lm", given / "gpt2_step2")


def _write_rows(given: Path, mini: Path) -> None:
    """Writes rows of one's own with a table of their vectors, and a treebank."""
    rows = [f"{part}\t{n % 2}\tword{n % 7} here{n}" for part in ("tr", "va", "te") for n in range(30)]
    _write(given / "own/Odd.txt", "\n".join(rows) + "\n")
    _write(given / "table.tsv", _vectors([row.split("\t")[2] for row in rows[:30]], 5, "\t"))
    shutil.copytree(mini / "ud/mini", given / "treebank")


def _write_downstream(folder: Path) -> None:
    """Writes MR, CR, TREC and STSBenchmark as SentEval has them, with words that give the label away."""
    said = {words: [f"the {NOUNS[n % 5]} number {n} is {words[n % 3]}\n" for n in range(30)] for words in (GOOD, BAD)}
    for name in ("MR/rt-polarity", "CR/custrev"):
        _write(folder / f"{name}.pos", "".join(said[GOOD]))
        _write(folder / f"{name}.neg", "".join(said[BAD]))
    labels = {"NUM": "many", "LOC": "where", "HUM": "who", "ABBR": "stand", "DESC": "why", "ENTY": "what"}
    for name, n in (("train_5500", 12), ("TREC_10", 3)):
        lines = (f"{label}:x {word} is it {name}{k}\n" for label, word in labels.items() for k in range(n))
        _write(folder / f"TREC/{name}.label", "".join(lines))
    for place, part in enumerate(("train", "dev", "test")):
        alike = (" ".join([*NOUNS[: n % 6], *"x" * (5 - n % 6), str(place)]) for n in range(36))
        lines = (f"main\tf\t2017\t{n}\t{n % 6}.0\t{' '.join(NOUNS)}\t{one}\n" for n, one in enumerate(alike))
        _write(folder / f"STSBenchmark/sts-{part}.csv", "".join(lines))


def _write_damaged(root: Path) -> None:
    """Writes files that must be refused: each a folder below `damaged`, laid out as `data`."""
    damages = {
        "column": ("linspector/type/mini/Case/dev.txt", lambda text: "ev\tevi\tCase\n" + text),
        "cut": ("srl/mini/mini-up-train.conllup", lambda text: text[: len(text) // 2]),
        "cycle": ("ud/mini/dev.conllu", lambda text: "1\ta\t_\tX\t_\t_\t1\tdep\t_\t_\n\n" + text),
        "tag": ("ner/mini/dev.txt", lambda text: text.replace("\n", "X\n", 1)),
        "label": ("nli/mini/dev.tsv", lambda text: text.replace("neutral", "neuter", 1)),
        "row": ("senteval/mini/bigram_shift.txt", lambda text: "tr\tone\n" + text),
        "sets": ("clams/eval/mini/simple_agrmt.txt", lambda text: "False" + text[4:]),
    }
    for name, (file, damage) in damages.items():
        shutil.copytree(root / "data", root / "damaged" / name)
        text = (root / "data" / file).read_text(encoding="utf-8")
        _write(root / "damaged" / name / file, damage(text))


def _vectors(items: list[str], width: int, separator: str, header: str = "") -> str:
    numbers = np.random.default_rng(1).normal(size=(len(items), width)).round(4)
    lines = (f"{item}{separator}{' '.join(map(str, row))}\n" for item, row in zip(items, numbers.tolist(), strict=True))
    return header + "".join(lines)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
