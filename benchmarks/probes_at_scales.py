"""What probes learn at the scales that vectors of real models have: 1,200 items, one of 32 columns tells two labels.

Accuracy in percent on 300 test items, the mean over five seeds, of `probe=linear` and `probe=mlp` with
`probe.scale=none` and `standard`; beside them scikit-learn's logistic regression on standardised vectors, and the
columns of rows that say at which scale the vectors are.

Run: python -m benchmarks.probes_at_scales > docs/results/probes_at_scales.tsv
"""

import logging

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from polyprobe.models.base.torch_process import device_of
from polyprobe.named import built
from polyprobe.probing.bank.bank import train_bank
from polyprobe.probing.bank.jobs import ProbeData
from polyprobe.runs.names.conf_folders import choice_settings

SIZES, WIDTH, SEEDS = (800, 100, 300), 32, range(1, 6)
KINDS = [(probe, scale) for probe in ("linear", "mlp") for scale in ("none", "standard")]


def main() -> None:
    torch.set_num_threads(1)
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    random = np.random.default_rng(0)
    labels, plain = random.integers(0, 2, sum(SIZES)), random.normal(0, 1, (sum(SIZES), WIDTH))
    plain[:, 5] = (2 * labels - 1) * 1.5 + random.normal(0, 0.7, len(plain))
    print("vectors\tlinear\tlinear, standard\tmlp\tmlp, standard\tscikit-learn\tmean\tdeviation\tlargest column")
    for name, vectors in at_scales(plain, random.normal(0, 1, len(plain))).items():
        data = _data(vectors.astype(np.float32), labels)
        found = [_accuracy(data, probe, scale) for probe, scale in KINDS]
        accuracies = [f"{accuracy:.1f}" for accuracy, _ in found]
        of_vectors = [f"{value:.4g}" for value in found[0][1]]
        print(name, *accuracies, f"{_of_scikit_learn(vectors, labels):.1f}", *of_vectors, sep="\t", flush=True)


def at_scales(plain: np.ndarray, useless: np.ndarray) -> dict[str, np.ndarray]:
    """Returns the vectors `[items, 32]` at other scales, by what was done to them."""
    of_one = {f"a useless column times {factor:,}": factor * useless for factor in (3, 10, 30, 100, 1000)}
    constant = {f"a constant column of {value:,}": np.full(len(plain), value) for value in (3, 10, 30, 100, 3000)}
    return {
        "as drawn": plain,
        **{name: np.column_stack([column, plain[:, 1:]]) for name, column in {**of_one, **constant}.items()},
        **{f"all shifted by {shift}": plain + shift for shift in (1, 3, 10, 30, 100)},
        **{f"all times {factor:,}": factor * plain for factor in (0.003, 0.03, 0.1, 0.3, 3, 10, 100, 1000)},
    }


def _data(vectors: np.ndarray, labels: np.ndarray) -> ProbeData:
    rows = torch.arange(len(vectors))[:, None].split(SIZES)
    return ProbeData(torch.from_numpy(vectors), *rows, *torch.from_numpy(labels).split(SIZES), 2)


def _accuracy(data: ProbeData, probe: str, scale: str) -> tuple[float, tuple[float, ...]]:
    """Returns accuracy in percent, the mean over seeds, and what rows say of the vectors."""
    kind = built({**choice_settings("probe", probe), "scale": scale}, "probe")
    jobs = [job for seed in SEEDS for job in kind.jobs(data, seed, "column")]
    outcomes = train_bank(jobs, None, device_of("cpu"), lambda done, due: None)
    gold = data.test_labels.numpy()
    return 100 * float(np.mean([one.test_predictions == gold for one in outcomes])), outcomes[0].scale


def _of_scikit_learn(vectors: np.ndarray, labels: np.ndarray) -> float:
    classifier, n_train = make_pipeline(StandardScaler(), LogisticRegression()), SIZES[0]
    return 100 * classifier.fit(vectors[:n_train], labels[:n_train]).score(vectors[-SIZES[2] :], labels[-SIZES[2] :])


if __name__ == "__main__":
    main()
