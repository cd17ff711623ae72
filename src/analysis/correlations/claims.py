"""Compares what a paper claims about correlations (conf/claims/) with the coefficients found."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from src.analysis.correlations.coefficients import Correlation, is_below
from src.analysis.output.terminal_tables import TitledTable, new_table
from src.errors import PolyprobeError, check_choice

CLAIMS = ("p_below", "no_p_below", "positive")
KEYS = ("says", "languages", "tests", "except_tests", "tasks", "only", *CLAIMS)


@dataclass(frozen=True, slots=True)
class Finding:
    """One claim with the coefficients that it is about.

    Attributes:
        says: the claim in words.
        n_meeting, n: coefficients that meet it, and those it is about.
        exceptions: those that do not meet it ("Turkish Case with NER: -0.20"), and those that it leaves out wrongly.
    """

    says: str
    n_meeting: int
    n: int
    exceptions: list[str]

    @property
    def holds(self) -> bool:
        return not self.exceptions


def look_at(claims: Mapping[str, Any], rows: Sequence[Correlation]) -> list[Finding]:
    """Looks at each claim.

    Every entry of `claims["rows"]` chooses coefficients by `languages`, `tests` (or all but `except_tests`) and
    `tasks`, and claims one thing of each of them: `p_below` a level and positive, `no_p_below` it, or `positive`. With
    `only: true` no other test of those languages and tasks may do the same.

    Raises:
        UnknownChoice: an entry has a key that is none of these.
        PolyprobeError: an entry claims nothing or several things, or is about no coefficient.
    """
    return [_look_at(entry, rows) for entry in claims["rows"]]


def claims_table(findings: Iterable[Finding], source: str) -> TitledTable:
    """Formats findings: a line each, with its exceptions below the table."""
    findings = list(findings)
    table = new_table(["claim"], ["coefficients", "meet it", "holds"])
    for one in findings:
        table.add_row(one.says, str(one.n), str(one.n_meeting), "yes" if one.holds else "NO")
    exceptions = [f"Not so, {one.says}: {_shortened(one.exceptions)}." for one in findings if one.exceptions]
    n_hold = sum(one.holds for one in findings)
    notes = [f"{n_hold} of {len(findings)} claims hold. Source: {source}", *exceptions]
    return TitledTable("Claims", table, notes)


def _look_at(entry: Mapping[str, Any], rows: Sequence[Correlation]) -> Finding:
    claim = _claim(entry)
    candidates = [row for row in rows if _is_in(row.language, entry, "languages") and _is_in(row.task, entry, "tasks")]
    chosen = [row for row in candidates if _is_in(row.test, entry, "tests")]
    chosen = [row for row in chosen if row.test not in entry.get("except_tests", ())]
    if not chosen:
        raise PolyprobeError(f'claims.rows: "{entry["says"]}" is about no coefficient of these scores.')
    meeting = [row for row in candidates if _meets(row, claim, entry[claim])]
    exceptions = [_coefficient_in_words(row) for row in chosen if row not in meeting]
    if entry.get("only"):
        exceptions += [f"also {_coefficient_in_words(row)}" for row in meeting if row not in chosen]
    return Finding(entry["says"], len([row for row in chosen if row in meeting]), len(chosen), exceptions)


def _claim(entry: Mapping[str, Any]) -> str:
    for key in entry:
        check_choice("key of claims.rows", key, KEYS)
    claims = [key for key in CLAIMS if key in entry]
    if len(claims) != 1 or "says" not in entry:
        raise PolyprobeError(f"claims.rows: {dict(entry)} must have says, and one of {', '.join(CLAIMS)}.")
    return claims[0]


def _is_in(name: str, entry: Mapping[str, Any], key: str) -> bool:
    return entry.get(key) is None or name in entry[key]


def _meets(row: Correlation, claim: str, level: float) -> bool:
    if claim == "positive":
        return row.spearman > 0
    is_low = is_below(row.p, level)
    return (is_low and row.spearman > 0) if claim == "p_below" else not is_low


def _coefficient_in_words(row: Correlation) -> str:
    return f"{row.language} {row.test} with {row.task}: {row.spearman:.2f}"


def _shortened(exceptions: Sequence[str], most: int = 6) -> str:
    more = [f"and {len(exceptions) - most} more"] if len(exceptions) > most else []
    return ", ".join([*exceptions[:most], *more])
