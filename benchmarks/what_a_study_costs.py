"""Hours and gigabytes of three studies on three machines, from rates: docs/results/study_rates.tsv to study_costs.tsv.

Each rate says whether it is measured or assumed, and so does each cell: `m` is an extrapolation from measured rates
alone, `a` rests on an assumed one. To redo the tables with a GPU's figures, replace its rates by those that
`python -m benchmarks.on_gpu` prints, write `measured` beside them, and run:

    python -m benchmarks.what_a_study_costs && python -m tests.documents.tables

`python -m benchmarks.what_a_study_costs --measure` prints the rates of one thread of this machine, in CPU time.
"""

import argparse
import csv
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[1] / "docs/results"
RATES, COSTS = RESULTS / "study_rates.tsv", RESULTS / "study_costs.tsv"
MADE_BY = ("# made by: python -m benchmarks.what_a_study_costs", "# origin: docs/results/study_rates.tsv")
CORES, GPU = "2 cores", "H200"
N_GPUS = 64
BYTES = 4
MEASURED = "measured"
TRAIN_ITEMS = 7000  # of the test that the rates of probes are of


@dataclass(frozen=True, slots=True)
class Rate:
    """How fast a machine does something."""

    value: float
    is_measured: bool


@dataclass(frozen=True, slots=True)
class Part:
    """Work of one kind in a study: so many units at a rate."""

    units: float
    rate: str


@dataclass(frozen=True, slots=True)
class Study:
    """What a study computes and keeps."""

    name: str
    jobs: int
    """Runs, each of which is one job of a sweep: the most machines that share the study."""
    parts: Sequence[Part]
    """Of all jobs together."""
    vectors: float
    """Numbers in the cache."""
    rows: float
    weights: float
    """Numbers of the probes, if they are kept (probe.keep=true)."""
    longest: float
    """Share of the parts that the longest job has."""


def linspector() -> Study:
    """24 languages, 15 tests of 10,000 items, 5 seeds, 6 encoders: five of 300 numbers, one of 13 layers of 768."""
    languages, tests, seeds, static, layers = 24, 15, 5, 5, 13
    items = 92_113  # distinct of the 150,000 of a language, as counted for English
    narrow, wide = languages * tests * seeds * static, languages * tests * seeds * layers
    parts = (
        Part(languages * items * PIECES_OF_A_SENTENCE, "pieces, BERT-base"),
        Part(narrow, "probes, 300 inputs"),
        Part(wide, "probes, 768 inputs"),
    )
    weights = narrow * (300 * 300 + 300 * 10) + wide * (768 * 300 + 300 * 10)
    vectors = languages * items * (static * 300 + layers * 768)
    share = 1 / languages
    return Study("LINSPECTOR", languages * 6, parts, vectors, narrow + wide, weights, share)


def rusenteval() -> Study:
    """14 tests of 120,000 sentences each, 100,000 of them train, 5 encoders of 13 layers, 5 seeds."""
    tests, encoders, layers, seeds, sentences = 14, 5, 13, 5, 14 * 120_000
    probes = tests * encoders * layers * seeds
    parts = (
        Part(encoders * sentences * PIECES_OF_A_SENTENCE, "pieces, BERT-base"),
        Part(probes * 100_000 / TRAIN_ITEMS, "probes, 768 inputs"),
    )
    weights = probes * (768 * 300 + 300 * 5)
    return Study("RuSentEval", encoders, parts, encoders * sentences * layers * 768, probes, weights, 1 / encoders)


def multiblimp() -> Study:
    """101 languages, 128,000 pairs in all, scored by a causal model of 8 billion parameters."""
    pairs, languages = 128_000, 101
    parts = (Part(2 * pairs * PIECES_OF_A_SENTENCE, "pieces, Llama 8B"), Part(languages, "start, Llama 8B"))
    return Study("MultiBLiMP, 8B model", languages, parts, 0, 3 * languages, 0, 0.05)


PIECES_OF_A_SENTENCE = (
    24.0  # mean length of the random sentences of benchmarks/on_gpu.py; English tokens: 14 a sentence
)
STUDIES = (linspector, rusenteval, multiblimp)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="store_true", help="measure instead, one thread, a minute")
    if parser.parse_args().measure:
        _measure()
        return
    rates = read_rates()
    lines = [cells_of(study(), rates) for study in STUDIES]
    with open(COSTS, "w", encoding="utf-8", newline="") as file:
        file.write("\n".join(MADE_BY) + "\n")
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows(
            [[*lines[0]], *(line.values() for line in lines)]
        )


def _measure() -> None:
    """Prints pieces a second of a random BERT-base, in all layers and up to the middle one, and seconds of probes."""
    import numpy as np
    import torch
    from transformers import AutoConfig

    from benchmarks.on_gpu import BERT_BASE, SMALL, InMemoryTransformer, Measuring, encoded, looped
    from polyprobe.models.base.torch_process import device_of
    from polyprobe.probing.bank.bank import train_bank

    torch.set_num_threads(1)
    device, random = torch.device("cpu"), np.random.default_rng(1)
    model = InMemoryTransformer(AutoConfig.for_model("bert", **BERT_BASE), "float32", device)
    lengths = np.maximum(3, random.gamma(3.5, 7.0, 48)).astype(int)
    ids = [random.integers(0, model.config.vocab_size, length) for length in lengths]
    ways = {
        "13 layers": lambda: encoded(model, ids, range(13)),
        "layers 0, 3, 6": lambda: encoded(model, ids, (0, 3, 6)),
        "padded loop": lambda: looped(model, ids),
    }
    ways["padded loop"]()  # the first one is slower
    for name, way in ways.items():
        print(f"BERT-base, {name}: {lengths.sum() / _cpu_seconds(way):.0f} pieces/s", flush=True)
    for width in (300, 768):
        jobs = Measuring(SMALL, device, 0.0).jobs(8, 1, 1, 7000, width)
        seconds = _cpu_seconds(lambda jobs=jobs: train_bank(jobs, 8, device_of("cpu"), lambda done, due: None))
        print(f"probes of {width} inputs: {seconds / len(jobs):.3f} s an epoch", flush=True)


def _cpu_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def read_rates() -> dict[tuple[str, str], Rate]:
    """Reads the rates, in units an hour, by machine and name."""
    with open(RATES, encoding="utf-8", newline="") as file:
        lines = csv.DictReader((line for line in file if not line.startswith("# ")), delimiter="\t")
        return {
            (line["machine"], line["what"]): Rate(
                float(line["an hour"].replace(",", "")), line["by"].startswith(MEASURED)
            )
            for line in lines
        }


def cells_of(study: Study, rates: Mapping[tuple[str, str], Rate]) -> dict[str, str]:
    """Returns the line of a study in the table."""
    start = Part(study.jobs, "starts of jobs")
    shared = min(N_GPUS, study.jobs)
    return {
        "study": study.name,
        "jobs": f"{study.jobs}",
        "2 cores": _hours((*study.parts, start), CORES, rates, 1.0),
        "one H200": _hours((*study.parts, start), GPU, rates, 1.0),
        "64 GPUs": _hours((*study.parts, start), GPU, rates, max(1 / shared, study.longest)),
        "cache, GB": _gigabytes(study.vectors * BYTES),
        "rows": f"{study.rows:,.0f}",
        "kept probes, GB": _gigabytes(study.weights * BYTES),
    }


def _hours(parts: Sequence[Part], machine: str, rates: Mapping[tuple[str, str], Rate], share: float) -> str:
    found = [(part, rates[machine, part.rate]) for part in parts]
    hours = share * sum(part.units / rate.value for part, rate in found)
    mark = "m" if all(rate.is_measured for _, rate in found) and share == 1.0 else "a"
    return f"{hours / 24:,.0f} days {mark}" if hours > 72 else f"{hours:,.2g} h {mark}"


def _gigabytes(n_bytes: float) -> str:
    return f"{n_bytes / 1e9:,.3g}" if n_bytes else "-"


if __name__ == "__main__":
    main()
