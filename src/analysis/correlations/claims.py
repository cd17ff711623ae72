"""Decides whether what a paper claims about correlations (conf/claims/) holds of the coefficients found.

A claim holds, does not hold, or cannot be decided with so many encoders.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from polyprobe.analysis.correlations.coefficients import Correlation, Levels, is_below, n_known
from polyprobe.analysis.output.tables import Table
from polyprobe.analysis.statistics.significance import written_p
from polyprobe.errors import BadValue, PolyprobeError, check_above_zero, check_choice

SIGNS = {"positive": 1, "negative": -1}
# Of n coefficients, how many must meet a claim.
HOW_MANY: Mapping[str, Callable[[int], int]] = {
    "all": lambda n: n,
    "most": lambda n: n // 2 + 1,
    "many": lambda n: math.ceil(n / 3),
}
LEADS = "leads"
CHOOSING = ("languages", "tests", "except_tests", "tasks")
MOST_NAMED = 6  # exceptions of a claim


class Verdict(StrEnum):
    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "cannot be decided"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Which coefficients say something about a claim."""

    levels: Levels
    strong_rho: float | None
    """A coefficient that is not significant speaks for or against a claim only where one of this size would have been;
    None: always."""
    n_coefficients: int
    """Number of those that a correction corrects for."""

    def speaks(self, row: Correlation) -> bool:
        """Says whether a coefficient says anything: it is significant, or there are encoders enough."""
        if math.isnan(row.spearman):
            return False
        if self.strong_rho is None or self.levels.is_significant(row):
            return True
        return self.levels.needed(row.n, self.n_coefficients) < self.strong_rho

    def n_significant(self, rows: Iterable[Correlation]) -> int:
        return sum(map(self.levels.is_significant, rows))

    def n_possible(self, rows: Iterable[Correlation]) -> int:
        """Counts the coefficients that are significant, or would be with more encoders for all that is known."""
        return sum(self.levels.is_significant(row) or not self.speaks(row) for row in rows)


# By the key of a claim: whether a coefficient that speaks meets it, given the value of the key.
MEETS: Mapping[str, Callable[[Correlation, object, Evidence], bool]] = {
    "p_below": lambda row, level, _: is_below(row.p, level) and row.spearman > 0,
    "no_p_below": lambda row, level, _: not is_below(row.p, level),
    "positive": lambda row, *_: row.spearman > 0,
    "sign": lambda row, sign, _: row.spearman * SIGNS[sign] > 0,
    "significant": lambda row, sign, evidence: row.spearman * SIGNS[sign] > 0 and evidence.levels.is_significant(row),
}
CLAIMS = (*MEETS, LEADS)
KEYS = ("says", *CHOOSING, "only", "how_many", *CLAIMS)


@dataclass(frozen=True, slots=True)
class Finding:
    """One claim with the coefficients that it is about."""

    says: str
    n_meeting: int
    n: int
    """Number of coefficients that meet it, and of those it is about."""
    exceptions: list[str]
    """Those that do not meet it ("Turkish Case with NER: -0.20"), and those that it leaves out wrongly."""
    unclear: list[str]
    """Those that say nothing, because there are too few encoders."""
    absent: list[str]
    """The tests and tasks that it names and that no coefficient is of."""
    verdict: Verdict


def look_at(claims: Mapping[str, Any], rows: Sequence[Correlation], levels: Levels) -> list[Finding]:
    """Looks at each claim.

    Every entry of `claims["rows"]` chooses coefficients by `languages`, `tests` (or all but `except_tests`) and
    `tasks`, and claims one thing of them:

    - of each: `p_below` a level, not corrected, and positive; `no_p_below` it; `positive`; `sign`, positive or
      negative; or `significant` with that sign, by `levels`. With `only: true` no other test of those languages and
      tasks may do the same. With `how_many: most` or `many` (a third) it is claimed of so many, not of each.
    - `leads: tasks`: the tasks named have more significant coefficients, of any sign, than each other task has;
      `leads: tests` likewise.

    A claim holds if enough coefficients meet it. It does not hold if too few would, even if all met it that say nothing
    (see `Evidence`, with `claims["strong_rho"]`). Otherwise it cannot be decided, nor can it without coefficients.
    """
    strong_rho = claims.get("strong_rho")
    if strong_rho is not None:
        check_above_zero("claims.strong_rho", strong_rho)
    entries = claims["rows"]
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, Mapping) for entry in entries):
        raise BadValue("claims.rows", entries, "a list of claims such as {says: …, tests: [WC], sign: positive}")
    evidence = Evidence(levels, strong_rho, n_known(rows))
    findings = [
        _leading(entry, rows, evidence) if claim == LEADS else _of_each(entry, claim, rows, evidence)
        for entry, claim in ((entry, _claim(entry)) for entry in entries)
    ]
    if not any(one.n for one in findings):
        raise PolyprobeError(
            f'claims.rows: "{findings[0].says}" is about no coefficient of these scores, nor is any other claim. They '
            f"have the tests {_listed(row.test for row in rows)}, the tasks {_listed(row.task for row in rows)}, the "
            f"languages {_listed(row.language for row in rows)}."
        )
    return findings


def claims_table(findings: Sequence[Finding], by_exact_p: Sequence[Finding], source: str) -> Table:
    """Formats findings: a line each; below the table what speaks against a claim, says nothing about it, is absent.

    Args:
        by_exact_p: the same where `p_below` takes the exact p; empty where no coefficient has one.
    """
    right = {
        "coefficients": lambda one: str(one.n),
        "support": lambda one: str(one.n_meeting),
        "inconclusive": lambda one: str(len(one.unclear)),
        "verdict": lambda one: one.verdict,
    }
    table = Table.of(findings, {"claim": lambda one: one.says}, right)
    n_hold, n_open = (sum(one.verdict == verdict for one in findings) for verdict in (Verdict.HOLDS, Verdict.OPEN))
    undecided = f"; {n_open} cannot be decided" if n_open else ""
    notes = [f"{n_hold} of {len(findings)} claims hold{undecided}. Source: {source}"]
    if by_exact_p:
        n_by_exact_p = sum(one.verdict == Verdict.HOLDS for one in by_exact_p)
        notes.append(f"With exact p-values (where available), {n_by_exact_p} of {len(findings)} hold.")
    for one in findings:
        speaking_against = "Except" if one.verdict == Verdict.HOLDS else "Counterexamples"
        lists = {speaking_against: one.exceptions, "Inconclusive": one.unclear, "No scores": one.absent}
        notes += [f"{what}, {one.says}: {_shortened(names)}." for what, names in lists.items() if names]
    return table.titled("Claims", notes)


def _verdict_on_number(n_meeting: int, n_unclear: int, needed: int) -> Verdict:
    """Decides whether enough coefficients meet a claim, those that are unclear taken as both."""
    if n_meeting >= needed:
        return Verdict.HOLDS
    return Verdict.FAILS if n_meeting + n_unclear < needed else Verdict.OPEN


def _verdict_on_lead(
    named: Mapping[str, list[Correlation]], others: Mapping[str, list[Correlation]], evidence: Evidence
) -> Verdict:
    """Decides whether each of some tests or tasks has more significant coefficients than each of the others."""
    if not named or not others:
        return Verdict.OPEN
    surely, others_surely = ([evidence.n_significant(rows) for rows in side.values()] for side in (named, others))
    at_most, others_at_most = ([evidence.n_possible(rows) for rows in side.values()] for side in (named, others))
    if min(surely) > max(others_at_most):
        return Verdict.HOLDS
    return Verdict.FAILS if min(at_most) <= max(others_surely) else Verdict.OPEN


def _of_each(entry: Mapping[str, Any], claim: str, rows: Sequence[Correlation], evidence: Evidence) -> Finding:
    chosen = _chosen(rows, entry, "languages", "tasks", "tests")
    others = [row for row in _chosen(rows, entry, "languages", "tasks") if row not in chosen]
    unclear = [row for row in chosen if not evidence.speaks(row)]
    meeting, also = (
        [row for row in them if evidence.speaks(row) and MEETS[claim](row, entry[claim], evidence)]
        for them in (chosen, others if entry.get("only") else [])
    )
    needed = HOW_MANY[entry.get("how_many", "all")](len(chosen))
    verdict = Verdict.FAILS if also else _verdict_on_number(len(meeting), len(unclear), needed)
    exceptions = [_in_words(row, evidence) for row in chosen if row not in meeting and row not in unclear]
    return Finding(
        entry["says"],
        len(meeting),
        len(chosen),
        [*exceptions, *(f"also {_in_words(row, evidence)}" for row in also)],
        [_in_words(row, evidence) for row in unclear],
        _absent(entry, rows),
        verdict if chosen else Verdict.OPEN,
    )


def _leading(entry: Mapping[str, Any], rows: Sequence[Correlation], evidence: Evidence) -> Finding:
    side, other_side = entry[LEADS], {"tasks": "tests", "tests": "tasks"}[entry[LEADS]]
    candidates = _chosen(rows, entry, "languages", other_side)
    chosen = _chosen(candidates, entry, side)
    named, others = _by(side, chosen), _by(side, [row for row in candidates if row not in chosen])
    counts = {name: evidence.n_significant(them) for name, them in others.items()}
    fewest = min((evidence.n_significant(them) for them in named.values()), default=0)
    verdict = _verdict_on_lead(named, others, evidence)
    as_many = {name: n for name, n in counts.items() if n >= fewest} if verdict == Verdict.FAILS else {}
    return Finding(
        entry["says"],
        evidence.n_significant(chosen),
        len(chosen),
        [f"{name}: {n} of {len(others[name])}" for name, n in as_many.items()],
        [_in_words(row, evidence) for row in chosen if not evidence.speaks(row)],
        _absent(entry, rows),
        verdict,
    )


def _claim(entry: Mapping[str, Any]) -> str:
    for key in entry:
        check_choice("key of claims.rows", key, KEYS)
    claims = [key for key in CLAIMS if key in entry]
    if len(claims) != 1 or "says" not in entry:
        raise PolyprobeError(f"claims.rows: {dict(entry)} must have says, and one of {', '.join(CLAIMS)}.")
    words = {"sign": SIGNS, "significant": SIGNS, "how_many": HOW_MANY, LEADS: ("tests", "tasks")}
    for key, known in words.items():
        if key in entry:
            check_choice(f"{key} of claims.rows", entry[key], known)
    for key in CHOOSING:
        if not isinstance(entry.get(key, []), list):
            raise BadValue(f"{key} of claims.rows", entry[key], "a list of names such as [WC]")
    return claims[0]


def _chosen(rows: Iterable[Correlation], entry: Mapping[str, Any], *keys: str) -> list[Correlation]:
    """Returns the rows that an entry chooses by some of its keys: `languages`, `tests` and `except_tests`, `tasks`."""
    return [row for row in rows if all(_is_chosen(row, entry, key) for key in keys)]


def _is_chosen(row: Correlation, entry: Mapping[str, Any], key: str) -> bool:
    names = _names(row, key)
    is_excepted = key == "tests" and not names.isdisjoint(entry.get("except_tests", ()))
    return not is_excepted and (entry.get(key) is None or not names.isdisjoint(entry[key]))


def _names(row: Correlation, key: str) -> set[str]:
    """Returns the names of a row's test, task or language: also without what tells it from others of its name."""
    name = {"languages": row.language, "tests": row.test, "tasks": row.task}[key]
    return {name, name.partition(" ")[0]}


def _by(side: str, rows: Iterable[Correlation]) -> dict[str, list[Correlation]]:
    parts: dict[str, list[Correlation]] = {}
    for row in rows:
        parts.setdefault(row.task if side == "tasks" else row.test, []).append(row)
    return parts


def _absent(entry: Mapping[str, Any], rows: Sequence[Correlation]) -> list[str]:
    return [
        name
        for key in ("languages", "tests", "tasks")
        for name in entry.get(key) or ()
        if not any(name in _names(row, key) for row in rows)
    ]


def _in_words(row: Correlation, evidence: Evidence) -> str:
    corrected = evidence.levels.correction
    p = f" (p {written_p(evidence.levels.p(row))})" if corrected else ""
    return f"{row.language} {row.test} with {row.task}: {row.spearman:.2f}{p}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def _shortened(names: Sequence[str]) -> str:
    more = [f"and {len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return ", ".join([*names[:MOST_NAMED], *more])
