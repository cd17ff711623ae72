"""Arguments that do not fit each other are refused with what to do, before anything heavy is imported."""

import pytest

from src.runs.command.overrides import CommandLineError, check_overrides


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (
            ["task=sentence", "objective=nli", "decoder=attention"],
            "decoder= has no place here: none of the other choices takes one. Leave it out, or choose one that does: "
            "objective=autoencoder, nmt, seq2tree, skipthought.",
        ),
        (["task=srl", "objective=nmt"], "objective= has no place here: none of the other choices takes one."),
        (["task=srl", "objective=nmt", "decoder=lstm"], "has no place here"),
        (["task=pos", "optimizer=infersent"], "choose one that does: task=sentence."),
    ],
)
def test_a_choice_that_nothing_asks_for_names_what_does(overrides, words):
    with pytest.raises(CommandLineError) as refused:
        check_overrides("train", overrides)
    assert words in str(refused.value)


def test_a_choice_that_another_one_asks_for_is_taken():
    check_overrides("train", ["task=sentence", "objective=nmt", "decoder=attention", "optimizer=infersent"])
