"""The rate rule on sequences worked out by hand."""

from polyprobe.models.base.rate_decay import HalvedAfterSmallGains, LoweredWithoutNewBest


def rule() -> HalvedAfterSmallGains:
    return HalvedAfterSmallGains(smallest_gain=0.01, patience=3, first_epoch=4, factor=0.5)


def factors(decay: HalvedAfterSmallGains, scores: list[float]) -> list[float]:
    return [decay.factor_after(score) for score in scores]


def test_the_first_three_epochs_cost_no_patience():
    assert factors(rule(), [0.5] * 6) == [1, 1, 1, 1, 1, 0.5]


def test_a_large_gain_gives_no_patience_back():
    #                  1    2    3    4 -  5 +  6 -  7 +  8 -
    scores = [0.1, 0.2, 0.3, 0.3, 0.4, 0.3, 0.5, 0.5]
    assert factors(rule(), scores) == [1, 1, 1, 1, 1, 1, 1, 0.5]


def test_gains_are_over_the_epoch_before_not_over_the_best():
    # From epoch 5 on every score lies below the best and yet rises by more than 0.01.
    assert factors(rule(), [0.1, 0.2, 0.9, 0.3, 0.4, 0.5, 0.6, 0.7]) == [1] * 8


def test_patience_is_full_again_after_the_rate_has_fallen():
    assert factors(rule(), [0.5] * 9) == [1, 1, 1, 1, 1, 0.5, 1, 1, 0.5]


def test_a_restored_rule_goes_on_as_the_first_would():
    first, second = rule(), rule()
    factors(first, [0.5] * 5)
    second.load_state_dict(first.state_dict())
    assert factors(second, [0.5, 0.5]) == factors(first, [0.5, 0.5]) == [0.5, 1]


def test_without_a_new_best_the_rate_falls_after_every_epoch():
    rule = LoweredWithoutNewBest(0.5)
    assert [rule.factor_after(score) for score in (0.4, 0.5, 0.5, 0.4, 0.6)] == [1, 1, 0.5, 0.5, 1]


def test_the_best_score_goes_through_a_checkpoint():
    rule, resumed = LoweredWithoutNewBest(0.5), LoweredWithoutNewBest(0.5)
    rule.factor_after(0.4)
    resumed.load_state_dict(rule.state_dict())
    assert resumed.factor_after(0.4) == 0.5
