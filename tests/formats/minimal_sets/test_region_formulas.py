"""The formulas of SyntaxGym: what they say, and what is none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyprobe.formats.minimal_sets.region_formulas import (
    ABSOLUTE,
    BadFormula,
    Operation,
    RegionSum,
    margin,
    parse,
    references,
)

SURPRISALS = {("a", 1): 3.0, ("a", 2): 5.5, ("b", 1): 4.0, ("b", 2): 5.5}


def sums(condition, region):
    of_condition = [value for (name, number), value in SURPRISALS.items() if name == condition]
    return np.array([sum(of_condition) if region is None else SURPRISALS[condition, region]])


def margin_of(text):
    return margin(parse(text), sums).item()


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("(1;%a%) < (1;%b%)", 1.0),
        ("(1;%a%)>(1;%b%)", -1.0),
        ("[ (1;%a%) + (2;%a%) ] < [ (1;%b%) + (2;%b%) ]", 1.0),  # 8.5 and 9.5
        ("(*;%a%) < (*;%b%)", 1.0),
        ("( * ; %a% ) - 8 < .5", 0.0),
        ("(2;%a%) < (2;%b%)", 0.0),
        ("(2;%a%) > (2;%b%)", 0.0),
        ("[(1;%a%) < (1;%b%)] & [(2;%a%) < (2;%b%)]", 0.0),
        ("[(1;%a%) < (1;%b%)] | [(2;%a%) < (2;%b%)]", 1.0),
        ("(1;%a%) < (1;%b%) & (2;%a%) > 3", 1.0),  # comparisons bind closer than &: 1 and 2.5
        ("9 - (1;%a%) - (1;%b%) > 0", 2.0),  # from left to right: not 9 - (3 - 4)
        ("9 - (1;%a%) + (1;%b%) > 0", 10.0),  # + and - bind alike: not 9 - (3 + 4)
        ("1 > 2 & 1 > 2 | 2 > 1", 1.0),  # & and | bind alike
        ("2 > 1 | 1 > 2 & 1 > 2", -1.0),
        ("(1;%a%) + (1;%a%) + (1;%a%) > 8", 1.0),  # the third addend counts
        ("2 > 1 & 2 > 1 & 1 > 2", -1.0),  # the third claim, too
        ("[([(1;%a%)]) < ((1;%b%))]", 1.0),
    ],
)
def test_a_formula_holds_by_the_lesser_difference_of_what_it_joins(text, bits):
    assert margin_of(text) == pytest.approx(bits, abs=1e-12)


def test_equality_has_the_tolerance_of_the_released_code():
    assert margin_of("(2;%a%) = (2;%b%)") == ABSOLUTE
    assert margin_of("100 = 100.0019") > 0  # 0.001 + 0.00001 x 100.0019 = 0.0020
    assert margin_of("100 = 100.0021") < 0
    assert margin_of("(1;%a%) = (1;%b%)") == pytest.approx(0.001 + 0.00004 - 1)


def test_sums_that_differ_by_rounding_alone_tie():
    values = {1: 0.1, 2: 0.2, 3: 0.3}
    found = margin(parse("(1;%a%) + (2;%a%) > (3;%a%)"), lambda _, region: np.array([values[region]]))
    assert 0.1 + 0.2 > 0.3
    assert found.tolist() == [0.0]


def test_infinite_surprisals_compare_but_cannot_be_subtracted():
    infinite = {1: np.inf, 2: 3.0}

    def of(text):
        return margin(parse(text), lambda _, region: np.array([infinite[region]])).item()

    assert of("(1;%a%) > (2;%a%)") == np.inf
    assert of("(1;%a%) > (1;%a%)") == 0
    assert np.isnan(of("(1;%a%) - (1;%a%) > 0"))


def test_each_model_has_its_own_margin():
    found = margin(parse("(1;%a%) < (1;%b%)"), lambda name, _: np.array([1.0, 2.0, 3.0]) * (2 if name == "b" else 1))
    assert found.tolist() == [1.0, 2.0, 3.0]


def test_the_regions_of_a_formula_are_named_from_left_to_right():
    found = list(references(parse("[(6;%what_no-gap%)-(*;%b c%)] > 0 & (1;%a%) < 2")))
    assert found == [RegionSum("what_no-gap", 6), RegionSum("b c", None), RegionSum("a", 1)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "the formula is empty"),
        ("  ", "the formula is empty"),
        ("(1;%a%)", "the formula compares nothing"),
        ("[(1;%a%) + 2]", "the formula compares nothing"),
        ("[(1;%a%) < 2", 'a bracket "[" is not closed by "]"'),
        ("[(1;%a%) < 2)", 'a bracket "[" is not closed by "]"'),
        ("(1;%a%) < 2]", 'continues with "]" where it should end'),
        ("(1;%a%) < 2 (1;%a%)", "continues with"),
        ("(1;%a%) <", "lacks a region or a number at its end"),
        ("< (1;%a%)", 'lacks a region or a number before "<"'),
        ("(1;%a%) < 2 <3", "compares three amounts at once"),
        ("(1;%a%) < 2 & 3", 'a side of "&" is not a comparison'),
        ("[(1;%a%) < 2] + 3 > 1", 'a side of "+" is not a sum of surprisals'),
        ("[(1;%a%) < 2] > 1", 'a side of ">" is not a sum of surprisals'),
        ("(1;%a%) < nan", 'cannot be read from "nan" on'),
        ("(a;%a%) < 2", 'cannot be read from "a;%a%) < 2" on'),
        ("(-1;%a%) < 2", 'cannot be read from ";%a%) < 2" on'),
        ("__import__('os')", "cannot be read from \"__import__('os')\" on"),
        ("[" * 60, "more than 50 brackets in brackets"),
    ],
)
def test_what_is_no_formula_is_refused(text, found):
    with pytest.raises(BadFormula) as caught:
        parse(text)
    assert found in str(caught.value)


regions = st.builds(RegionSum, st.sampled_from(["a", "b"]), st.sampled_from([1, 2, None]))
numbers = st.integers(0, 20).map(float)
# With 5 amounts in each side of 8 comparisons at most no formula is over what is read.
amounts = st.recursive(
    regions | numbers, lambda part: st.builds(Operation, st.sampled_from("+-"), part, part), max_leaves=5
)
comparisons = st.builds(Operation, st.sampled_from("<>"), amounts, amounts)
claims = st.recursive(comparisons, lambda part: st.builds(Operation, st.sampled_from("&|"), part, part), max_leaves=8)


def written(one, brackets, as_python=False):
    """Writes a formula with all brackets, or as a Python expression over `sums`."""
    if isinstance(one, RegionSum):
        region = "*" if one.region is None else one.region
        return f"sums({one.condition!r}, {one.region}).item()" if as_python else f"({region};%{one.condition}%)"
    if isinstance(one, float):
        return str(one)
    operator = {"&": "and", "|": "or"}.get(one.operator, one.operator) if as_python else one.operator
    left, right = (written(side, brackets, as_python) for side in (one.left, one.right))
    return f"{brackets[0]}{left} {operator} {right}{brackets[1]}"


@given(claims, st.sampled_from(["()", "[]"]))
def test_a_formula_is_read_as_it_was_written(one, brackets):
    assert parse(written(one, brackets)) == one
    assert parse(written(one, brackets).replace(" ", "")) == one


@given(claims)
def test_a_formula_holds_where_python_says_so(one):
    # All numbers are multiples of a half, which Python adds exactly.
    expected = eval(written(one, "()", as_python=True), {"sums": sums})
    assert (margin(one, sums).item() > 0) == expected


def test_the_longest_formula_that_is_read_is_evaluated():
    formula = parse("(1;%a%)" + "+1" * 248 + "< (2;%a%)")
    assert margin(formula, lambda _, region: np.array([float(region * 200)])) == [-48.0]
    assert len(list(references(formula))) == 2


@pytest.mark.parametrize("sign", ["[", "1+"])
def test_a_formula_of_more_than_a_megabyte_is_refused_at_once(sign):
    with pytest.raises(BadFormula, match="more than 500 amounts, operators and brackets"):
        parse(f"{sign * 800_000}1 < (1;%a%)")
