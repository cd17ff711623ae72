"""Nested folds on customer reviews against scikit-learn's own nested cross-validation on the same folds."""

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.preprocessing import StandardScaler

from polyprobe.probing.downstream.cross_validation import nested_cross_validation
from tests.probing.downstream.fit_examples import L2_GRID, fit_settings, train

pytestmark = pytest.mark.real_data

FOLDS, SEED = 5, 1111


@pytest.fixture(scope="module")
def reviews(data_folder):
    """The standardised 50 first components of tf-idf, and the labels."""
    texts, label_ids = [], []
    for label, name in enumerate(("custrev.neg", "custrev.pos")):
        lines = (data_folder / "senteval/downstream/CR" / name).read_text(encoding="ascii").split("\n")[:-1]
        texts += lines
        label_ids += [label] * len(lines)
    counts = TfidfVectorizer(token_pattern=r"\S+").fit_transform(texts)
    components = TruncatedSVD(50, random_state=1).fit_transform(counts)
    return StandardScaler().fit_transform(components).astype(np.float32), np.array(label_ids)


def test_accuracy_is_that_of_scikit_learns_nested_folds(reviews):
    features, label_ids = reviews
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    # scikit-learn's loss is a sum over the examples of an inner train part: C = 1 / (examples x L2).
    n_train = len(label_ids) * (1 - 1 / FOLDS) ** 2
    grid = GridSearchCV(LogisticRegression(max_iter=1000), {"C": [1 / (n_train * l2) for l2 in L2_GRID]}, cv=folds)
    theirs = cross_val_predict(grid, features, label_ids, cv=folds)
    to_the_end = {"batch_size": 64, "learning_rate": 0.001, "max_epochs": 60, "patience": 60, "kept_weights": "last"}
    settings = fit_settings(probe=to_the_end, folds=FOLDS, inner_folds=FOLDS, seed=SEED)
    ours = np.empty(len(label_ids), dtype=np.int64)
    for fit in nested_cross_validation(features, label_ids, settings, train):
        ours[fit.rows] = fit.predictions
    assert 100 * np.mean(ours == label_ids) == pytest.approx(100 * np.mean(theirs == label_ids), abs=0.3)
    assert np.mean(ours == theirs) > 0.97
