import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, f1_score

from polyprobe.analysis.results.paired_runs import best_layer, confusion_counts, label_rows
from polyprobe.runs.array_records import Predictions
from tests.analysis.handmade import predictions


def drawn(n_labels: int, failed: bool = False) -> Predictions:
    """Predictions of two layers and three seeds on 60 items, drawn at random."""
    generator = np.random.default_rng(n_labels)
    gold, said = generator.integers(0, n_labels, 60), generator.integers(0, n_labels, (2, 3, 60))
    if failed:
        said[:, 1] = -1
    labels = np.array([f"label {number}" for number in range(n_labels)])
    right = {layer: [[1] * 60] * 3 for layer in ("0", "1")}
    return predictions("Case", right, gold=gold, predicted=said, labels=labels)


@pytest.mark.parametrize("n_labels", [2, 5])
def test_confusion_and_label_f1_are_those_of_scikit_learn(n_labels):
    example = drawn(n_labels)
    gold, said = example.gold, example.predicted[1]
    theirs = sum(confusion_matrix(gold, one, labels=range(n_labels)) for one in said)
    np.testing.assert_array_equal(confusion_counts(example, "1"), theirs)
    f1 = np.mean([f1_score(gold, one, labels=range(n_labels), average=None) for one in said], axis=0)
    assert [row[3] for row in label_rows(example) if row[1] == "1"] == pytest.approx(f1, abs=1e-6)


def test_a_failed_probe_is_left_out_of_confusion_and_errors():
    example = drawn(3, failed=True)
    assert confusion_counts(example, "0").sum() == 2 * 60
    whole = predictions("Case", {"0": [[-1, -1]], "1": [[1, 0]]})
    assert best_layer(whole) == "1"
    assert [row[1] for row in label_rows(whole)] == ["1", "1"]


def test_of_equal_layers_the_lowest_is_looked_at():
    assert best_layer(predictions("Case", {"0": [[1, 0]], "1": [[0, 1]]})) == "0"
