from src.metrics.classification import majority_score, pair_scores


def test_accuracy_and_confusion_of_a_worked_example():
    gold = ["neutral", "neutral", "entailment", "contradiction"]
    accuracy, *confusion = pair_scores(gold, ["neutral", "entailment", "entailment", "neutral"])
    assert (accuracy.metric, accuracy.value, accuracy.n) == ("accuracy", 0.5, 4)
    shares = {score.part: (score.value, score.n) for score in confusion if score.value}
    assert shares == {
        "neutral as neutral": (0.5, 2),
        "neutral as entailment": (0.5, 2),
        "entailment as entailment": (1.0, 1),
        "contradiction as neutral": (1.0, 1),
    }
    assert len(confusion) == 9


def test_a_label_that_is_only_predicted_has_no_share_of_its_own():
    _, *confusion = pair_scores(["neutral"], ["entailment"])
    assert {score.part for score in confusion} == {"neutral as neutral", "neutral as entailment"}


def test_nothing_is_scored_where_there_is_no_pair():
    assert pair_scores([], []) == []


def test_the_majority_counts_its_label():
    assert majority_score("neutral", ["neutral", "entailment"]).value == 0.5
