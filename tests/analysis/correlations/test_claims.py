"""Claims about coefficients that were made up, so that each verdict can be worked out by hand."""

import math
from dataclasses import replace

import pytest

from polyprobe.analysis.correlations.claims import Verdict, claims_table, look_at
from polyprobe.analysis.correlations.coefficients import Correlation, Levels, correlations
from polyprobe.analysis.correlations.encoder_scores import EncoderScores
from polyprobe.analysis.statistics.significance import CORRECTIONS
from polyprobe.errors import BadValue, PolyprobeError, UnknownChoice

HOLDS, FAILS, OPEN = Verdict.HOLDS, Verdict.FAILS, Verdict.OPEN
FEW, ENOUGH = 9, 40  # encoders: of three coefficients one of 0.7 survives Bonferroni's correction from 11 on


def cell(test: str, task: str, rho: float, p: float, n: int = ENOUGH) -> Correlation:
    exact = dict.fromkeys(("p_exact", *(f"p_exact_{name}" for name in CORRECTIONS)), math.nan)
    return Correlation("en", test, task, rho, p, n=n, **{f"p_{name}": p for name in CORRECTIONS}, **exact)


def verdict(rows, strong_rho=0.7, **entry):
    (found,) = look_at({"strong_rho": strong_rho, "rows": [{"says": "it", **entry}]}, rows, Levels("holm"))
    return found.verdict


ROWS = [cell("WC", "MR", 0.7, 0.001), cell("WC", "CR", 0.3, 0.2), cell("WC", "TREC", -0.1, 0.8)]


@pytest.mark.parametrize(
    ("entry", "enough", "few"),
    [
        ({"sign": "positive"}, FAILS, OPEN),  # 2 of 3; of few encoders one is known, two may be
        ({"sign": "positive", "how_many": "most"}, HOLDS, OPEN),
        ({"sign": "negative", "how_many": "many"}, HOLDS, OPEN),  # 1 of 3 is a third
        ({"sign": "negative"}, FAILS, FAILS),  # MR is significantly positive
        ({"significant": "positive"}, FAILS, OPEN),
        ({"significant": "positive", "how_many": "many"}, HOLDS, HOLDS),
        ({"significant": "positive", "how_many": "most"}, FAILS, OPEN),
        ({"significant": "negative", "how_many": "many"}, FAILS, OPEN),
        ({"significant": "positive", "tasks": ["MR"]}, HOLDS, HOLDS),
        ({"sign": "positive", "tasks": ["CR"]}, HOLDS, OPEN),
    ],
)
def test_a_coefficient_that_is_not_significant_says_something_only_over_encoders_enough(entry, enough, few):
    assert verdict(ROWS, **entry) == enough
    few_encoders = [replace(row, n=FEW) for row in ROWS]
    assert verdict(few_encoders, **entry) == few
    assert verdict(few_encoders, strong_rho=None, **entry) == enough


def counted(**significant: int) -> list[Correlation]:
    """Three coefficients for each task, of which so many are significant."""
    tests = ("WC", "SOMO", "Tense")
    return [
        cell(test, task, 0.5, 0.001 if place < n else 0.9, FEW)
        for task, n in significant.items()
        for place, test in enumerate(tests)
    ]


@pytest.mark.parametrize(
    ("significant", "strong", "weak"),
    [
        ({"TREC": 3, "MR": 2}, HOLDS, OPEN),  # where the third of MR says nothing, it may be as many
        ({"TREC": 3, "MR": 0}, HOLDS, OPEN),
        ({"TREC": 2, "MR": 2}, FAILS, OPEN),
        ({"TREC": 1, "MR": 2}, FAILS, OPEN),
        ({"TREC": 2, "MR": 3}, FAILS, FAILS),  # it can have three at most, too
        ({"TREC": 3}, None, None),
    ],
)
def test_a_task_leads_that_has_more_significant_coefficients_than_each_other(significant, strong, weak):
    rows, entry = counted(**significant), {"tasks": ["TREC"], "leads": "tasks"}
    assert verdict(rows, None, **entry) == (strong or OPEN)
    assert verdict(rows, 0.01, **entry) == (weak or OPEN)


def test_what_has_as_many_is_named_where_a_lead_is_refuted():
    claims = {"rows": [{"says": "it", "tasks": ["TREC"], "leads": "tasks"}]}
    (refuted,) = look_at(claims, counted(TREC=1, MR=2, CR=1, SST2=0), Levels("holm"))
    assert (refuted.verdict, refuted.exceptions) == (FAILS, ["MR: 2 of 3", "CR: 1 of 3"])
    (undecided,) = look_at({**claims, "strong_rho": 0.01}, counted(TREC=1, MR=1), Levels("holm"))
    assert (undecided.verdict, undecided.exceptions) == (OPEN, [])


def test_a_constant_side_says_nothing():
    rows = [cell("WC", "MR", 0.7, 0.001), cell("WC", "CR", math.nan, math.nan)]
    assert verdict(rows, None, sign="positive") == OPEN
    assert verdict(rows, None, positive=True) == OPEN
    assert verdict(rows, None, sign="positive", tasks=["CR"]) == OPEN


def test_a_name_counts_without_what_tells_it_from_others():
    rows = [cell("WC senteval", "MR", 0.7, 0.001), cell("WC xprobe", "MR", 0.6, 0.001), cell("WCs", "MR", -1, 0.001)]
    (found,) = look_at({"rows": [{"says": "it", "tests": ["WC"], "sign": "positive"}]}, rows, Levels(None))
    assert (found.n, found.verdict) == (2, HOLDS)


def test_what_has_no_scores_is_named_and_a_claim_about_nothing_cannot_be_decided():
    entries = [
        {"says": "one", "tests": ["SOMO"], "sign": "positive"},
        {"says": "two", "tasks": ["MR", "STS12"], "sign": "positive"},
    ]
    claims = {"source": "us", "rows": entries}
    found = look_at(claims, ROWS, Levels("holm"))
    assert [(one.n, one.absent, one.verdict) for one in found] == [(0, ["SOMO"], OPEN), (1, ["STS12"], HOLDS)]
    notes = claims_table(found, [], "us").notes
    assert notes == [
        "1 of 2 claims hold; 1 cannot be decided. Source: us",
        "No scores, one: SOMO.",
        "No scores, two: STS12.",
    ]


def test_claims_of_a_level_are_looked_at_by_the_exact_p_too_and_exceptions_named_by_the_verdict():
    claims = {"rows": [{"says": "it", "p_below": 0.1, "how_many": "most"}]}
    rows = [replace(ROWS[0], p_exact=0.2), replace(ROWS[0], task="CR", p_exact=0.01), ROWS[1]]
    by_t, exact = (look_at(claims, some, Levels(None)) for some in (rows, [row.with_exact_p() for row in rows]))
    assert claims_table(by_t, exact, "us").notes == [
        "1 of 1 claims hold. Source: us",
        "With exact p-values (where available), 0 of 1 hold.",
        "Except, it: en WC with CR: 0.30.",
    ]
    assert claims_table(exact, [], "us").notes[1].startswith("Counterexamples, it: en WC with MR: 0.70")


@pytest.mark.parametrize(
    ("entry", "error", "words"),
    [
        ({"says": "x", "positiv": True}, UnknownChoice, "positiv"),
        ({"says": "x"}, PolyprobeError, "must have says, and one of"),
        ({"says": "x", "positive": True, "sign": "positive"}, PolyprobeError, "must have says, and one of"),
        ({"says": "x", "sign": "negativ"}, UnknownChoice, 'sign of claims.rows "negativ".*negative'),
        ({"says": "x", "significant": "positive", "how_many": "must"}, UnknownChoice, "how_many of claims.rows"),
        ({"says": "x", "sign": "positive", "tests": "Case"}, BadValue, "tests of claims.rows must be a list of names"),
        (3, BadValue, "claims.rows must be a list of claims"),
        ({"says": "x", "leads": "task"}, UnknownChoice, "leads of claims.rows"),
        ({"says": "x", "positive": True, "tests": ["Mood"]}, PolyprobeError, "about no coefficient.*tests Case"),
    ],
)
def test_a_claim_that_says_nothing_is_refused(entry, error, words):
    numbers = {"a": 1.0, "b": 2.0, "c": 3.0}
    rows = correlations([EncoderScores("fi", "Case", numbers)], [EncoderScores("fi", "POS", numbers)])
    with pytest.raises(error, match=words):
        look_at({"source": "", "rows": [entry]}, rows, Levels(None))


def test_a_strong_coefficient_is_a_number_above_zero():
    with pytest.raises(BadValue, match=r"claims\.strong_rho must be a number above 0"):
        look_at({"strong_rho": "much", "rows": []}, ROWS, Levels(None))


def test_no_claims_at_all_are_refused():
    with pytest.raises(BadValue, match=r"claims\.rows must be a list of claims"):
        look_at({"rows": []}, ROWS, Levels(None))


def test_a_perfect_coefficient_over_three_encoders_is_not_significant():
    # By Student's t its p is 0; of the six orders of three encoders two have a rho of 1 or -1.
    scores = {"a": 1.0, "b": 2.0, "c": 3.0}
    rows = correlations([EncoderScores("en", "WC", scores)], [EncoderScores("en", "MR", scores)])
    claims = {"strong_rho": 0.7, "rows": [{"says": "it", "sign": "positive"}]}
    assert (rows[0].p, rows[0].p_exact) == (0, pytest.approx(1 / 3))
    for correction in (None, *CORRECTIONS):
        (found,) = look_at(claims, rows, Levels(correction))
        assert found.verdict == OPEN
        assert found.unclear != []
