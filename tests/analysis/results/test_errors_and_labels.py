import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, f1_score

from polyprobe.analysis.results.paired_runs import best_layer_of_test, confusion_counts, label_rows
from polyprobe.runs.array_records import Predictions
from tests.analysis.handmade import as_read, predictions, probing


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
    assert [row[1] for row in label_rows(whole)] == ["1", "1"]


@pytest.mark.parametrize(
    ("scores", "best"),
    [
        ({"0": (0.9, 0.5), "1": (0.5, 0.9)}, "1"),  # by dev, whatever test says
        ({"0": (0.5, 0.9), "1": (0.5, 0.9)}, "0"),  # the first of equals
        ({"0": (None, None), "1": (0.5, 0.4), "2": (0.5, 0.3)}, "1"),  # failed probes are left out
        ({"0": (0.9, None), "1": (0.5, None)}, "1"),  # dev not recorded: the last
        ({"0": (None, None)}, None),
    ],
)
def test_the_best_layer_is_chosen_on_dev(tmp_path, scores, best):
    rows = [probing("Case", test, dev=dev, layer=layer) for layer, (test, dev) in scores.items()]
    assert best_layer_of_test(as_read(rows, tmp_path), predictions("Case", {layer: [[1]] for layer in scores})) == best
