"""Nested cross-validation by SentEval's protocol against scikit-learn's own, on the same folds.

MR or CR, standardised first components of tf-idf. Ours: Adam, mini-batches, early stopping on dev, L2 of
{1e-5, …, 1e-2}, `nested_cross_validation`. scikit-learn: a grid search of logistic regression inside
cross_val_predict; its C are those L2, 1 / (examples of an inner train part x L2).

Run: python -m benchmarks.nested_folds_sklearn --data $POLYPROBE_DATA --task MR --width 50
"""

import argparse
import logging
import time
from pathlib import Path

import numpy as np
import torch
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.preprocessing import StandardScaler

from benchmarks.nested_folds import SENTEVAL, Bank, labelled_lines
from benchmarks.probe_bank import timed
from polyprobe.probing.downstream.cross_validation import FitSettings, nested_cross_validation
from polyprobe.probing.probes.grid import GridProbe

FOLDS, SEED = 10, 1111


def main() -> None:
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    features, label_ids = components(arguments.data, arguments.task, arguments.width)
    print(f"{len(label_ids)} sentences; {vars(arguments)}", flush=True)
    seconds, theirs = timed(time.perf_counter, lambda: by_scikit_learn(features, label_ids))
    print(f"scikit-learn: {100 * np.mean(theirs == label_ids):.2f} in {seconds:.1f} s", flush=True)
    for seed in range(SEED, SEED + arguments.seeds):
        settings = FitSettings(GridProbe(**SENTEVAL), FOLDS, FOLDS, 0.05, SEED, seed, "of_each_fit")
        fit = lambda settings=settings: nested_cross_validation(features, label_ids, settings, Bank(8))  # noqa: E731
        seconds, ours = timed(time.perf_counter, fit)
        print(f"ours, seed {seed}: {100 * np.mean(ours.predictions == label_ids):.2f} in {seconds:.1f} s; ", end="")
        print(f"the same label for {np.mean(ours.predictions == theirs):.1%}", flush=True)


def components(folder: Path, task: str, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns the components float32 `[sentences, width]` and the labels."""
    texts, label_ids = labelled_lines(folder, task)
    counts = TfidfVectorizer(token_pattern=r"\S+").fit_transform(texts)
    features = TruncatedSVD(width, random_state=1).fit_transform(counts)
    return StandardScaler().fit_transform(features).astype(np.float32), label_ids


def by_scikit_learn(features: np.ndarray, label_ids: np.ndarray) -> np.ndarray:
    """Returns the predictions of scikit-learn's nested cross-validation."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    n_train = len(label_ids) * (1 - 1 / FOLDS) ** 2
    strengths = [1 / (n_train * l2) for l2 in SENTEVAL["weight_decay"]]
    grid = GridSearchCV(LogisticRegression(max_iter=1000), {"C": strengths}, cv=folds)
    return cross_val_predict(grid, features, label_ids, cv=folds)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the data folder")
    parser.add_argument("--task", choices=["MR", "CR"], default="MR")
    parser.add_argument("--width", type=int, default=50)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=1, help="of our fits")
    return parser.parse_args()


if __name__ == "__main__":
    main()
