"""A Gaussian probe fitted from scratch to the chosen neurons, by scipy's densities."""

import numpy as np
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from polyprobe.metrics.gaussian_neurons import LabelledVectors


def examples(seed, n_items, width, n_labels):
    """Draws neurons that follow from one another and from the label, and labels of at least two items each."""
    random = np.random.default_rng(seed)
    label_ids = np.concatenate([np.repeat(np.arange(n_labels), 2), random.integers(n_labels, size=n_items)])
    random.shuffle(label_ids)
    vectors = random.normal(size=(len(label_ids), width)) @ random.normal(size=(width, width))
    vectors += random.normal(size=(n_labels, width))[label_ids] + 5 * random.normal(size=width)
    return LabelledVectors(vectors.astype(np.float32), label_ids)


def log_posteriors(train, scored, n_labels, chosen, covariance):
    """Returns log p(label | chosen neurons) `[labels, items]`, each covariance inverted from scratch."""
    width, scores = train.vectors.shape[1], []
    for label in range(n_labels):
        values = train.vectors[train.label_ids == label].astype(np.float64)
        n, ml = len(values), np.cov(values.T, bias=True).reshape(width, width)
        divisor = {"posterior_mean": n + 1, "released": n + 2 * width + 4}[covariance]
        marginal = ((n * ml + np.diag(ml.diagonal())) / divisor)[np.ix_(chosen, chosen)]
        density = multivariate_normal(values.mean(axis=0)[chosen], marginal, allow_singular=False)
        scores.append(np.log(n / len(train.label_ids)) + density.logpdf(scored.vectors[:, chosen]).reshape(-1))
    return np.array(scores) - logsumexp(scores, axis=0)


def information(train, scored, n_labels, chosen, covariance):
    own = log_posteriors(train, scored, n_labels, chosen, covariance)[
        scored.label_ids, np.arange(len(scored.label_ids))
    ]
    shares = np.bincount(scored.label_ids) / len(scored.label_ids)
    return -sum(share * np.log2(share) for share in shares if share) + own.mean() / np.log(2)
