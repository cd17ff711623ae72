"""The language in which SyntaxGym states what it predicts of an item (Hu et al. 2020; syntaxgym-core, docs/suite_json).

    [(6;%what_no-gap%) > (6;%that_no-gap%)] & [(7;%what_gap%) < (7;%that_gap%)]

`(6;%what_no-gap%)` is the surprisal of region 6 in the condition what_no-gap, `(*;%what_no-gap%)` that of all its
regions. Numbers are added and subtracted, two of them compared by < > =, comparisons joined by & (and) and | (or).
+ and - bind closest, then comparisons, then & and |; operators that bind alike go from left to right, as in the
released parser. Square brackets and parentheses group alike.

The parser here knows nothing but this language: a formula is text from a file, and is never run. Three places differ
from the released code. Its first versions passed over all but the first two parts of a sum or a conjunction; here all
count. Of a chain `a < b < c` they compared a and b alone; here it is refused. `=` holds within the same tolerance.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

ROUNDING = 1e-9
"""In bits. Two sums that differ by less are equal: float32 addends in another order make no difference."""
ABSOLUTE, RELATIVE = 1e-3, 1e-5  # of `=`: EQUALITY_ATOL and EQUALITY_RTOL of the released code
MOST_SIGNS = 500  # amounts, operators, brackets: the published formulas have up to 25
_DEEPEST = 50  # brackets in brackets: far more than any formula has, and far less than Python's stack
_TOKEN = re.compile(r"\s*(?:\(\s*(\d+|\*)\s*;\s*%([^%]*)%\s*\)|(\d+(?:\.\d*)?|\.\d+)|([-+<>=&|()\[\]]))")
_AMOUNTS, _COMPARISONS, _CLAIMS = "+-", "<>=", "&|"  # operators, by what they make or join
_CLOSING = {"(": ")", "[": "]"}
Sums = Callable[[str, int | None], np.ndarray]


class BadFormula(ValueError):
    """A text is no formula; the message is a clause that says what was found."""


@dataclass(frozen=True, slots=True)
class RegionSum:
    """The surprisal of a region in a condition; `region` is None for all regions."""

    condition: str
    region: int | None


@dataclass(frozen=True, slots=True)
class Operation:
    """A sum or difference of amounts (+ or -), two amounts compared (<, > or =), or two claims joined (& or |)."""

    operator: str
    left: "Formula"
    right: "Formula"


Formula = Operation | RegionSum | float
"""A float is a number of bits."""


def parse(text: str) -> Operation:
    """Parses a formula.

    Raises:
        BadFormula: it is not of this language, claims nothing, or compares or joins what cannot be.
    """
    tokens = list(islice(_tokens(text), MOST_SIGNS + 1))
    if len(tokens) > MOST_SIGNS:
        raise BadFormula(f"the formula has more than {MOST_SIGNS} amounts, operators and brackets")
    if not tokens:
        raise BadFormula("the formula is empty")
    parser = _Parser(tokens)
    found = parser.claims()
    if parser.next is not None:
        raise BadFormula(f'the formula continues with "{parser.next}" where it should end')
    if not _claims(found):
        raise BadFormula("the formula compares nothing")
    return found


def _claims(formula: Formula) -> bool:
    """Says whether a formula holds or not, and is no amount."""
    return isinstance(formula, Operation) and formula.operator in _COMPARISONS + _CLAIMS


def references(formula: Formula) -> Iterator[RegionSum]:
    """Yields the regions that a formula refers to, from left to right."""
    if isinstance(formula, RegionSum):
        yield formula
    elif isinstance(formula, Operation):
        yield from references(formula.left)
        yield from references(formula.right)


def margin(formula: Operation, sums: Sums) -> np.ndarray:
    """Returns by how many bits a formula holds: above 0 where it does, 0 at a tie, below 0 where it fails.

    A comparison holds by the difference of its sides, = by what is left of its tolerance; two claims joined by & hold
    by the lesser of their margins, by | the greater.

    Args:
        formula: as `parse` returns it.
        sums: the surprisal, in bits, of a region in a condition, or of all regions (None), of each model: `[models]`.

    Returns:
        float64 `[models]`; NaN where it cannot be said (infinite surprisals subtracted from each other).
    """
    if formula.operator in _CLAIMS:
        return (np.minimum if formula.operator == "&" else np.maximum)(
            margin(formula.left, sums), margin(formula.right, sums)
        )
    left, right = np.broadcast_arrays(_amount(formula.left, sums), _amount(formula.right, sums))
    with np.errstate(invalid="ignore"):
        greater = np.where(left == right, 0.0, left - right)
        greater = np.where(np.abs(greater) < ROUNDING, 0.0, greater)
        if formula.operator == "=":
            return np.where(greater == 0, ABSOLUTE, ABSOLUTE + RELATIVE * np.abs(right) - np.abs(greater))
    return greater if formula.operator == ">" else 0.0 - greater


def _amount(formula: Formula, sums: Sums) -> np.ndarray:
    if isinstance(formula, RegionSum):
        return np.asarray(sums(formula.condition, formula.region), dtype=np.float64)
    if isinstance(formula, float):
        return np.float64(formula)
    left, right = _amount(formula.left, sums), _amount(formula.right, sums)
    with np.errstate(invalid="ignore"):
        return left + right if formula.operator == "+" else left - right


def _tokens(text: str) -> Iterator[RegionSum | float | str]:
    place, text = 0, text.rstrip()
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise BadFormula(f'the formula cannot be read from "{text[place:].lstrip()[:30]}" on')
        region, condition, number, symbol = found.groups()
        if condition is not None:
            yield RegionSum(condition, None if region == "*" else int(region))
        else:
            yield symbol or float(number)
        place = found.end()


class _Parser:
    """Reads tokens by recursive descent: claims, then comparisons, then sums, then what stands alone or in brackets."""

    def __init__(self, tokens: list[RegionSum | float | str]):
        self._tokens, self._place, self._depth = tokens, 0, 0

    @property
    def next(self) -> RegionSum | float | str | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None

    def claims(self) -> Formula:
        return self._chain(_CLAIMS, self._comparison, True)

    def _comparison(self) -> Formula:
        found = self._chain(_COMPARISONS, self._sum, False, longest=2)
        if self._is_next(_COMPARISONS):
            raise BadFormula("the formula compares three amounts at once")
        return found

    def _sum(self) -> Formula:
        return self._chain(_AMOUNTS, self._unit, False)

    def _chain(
        self, operators: str, part: Callable[[], Formula], joins_claims: bool, longest: int | None = None
    ) -> Formula:
        """Reads parts joined by some operators, from left to right; several have to be claims, or amounts."""
        found, n_parts = part(), 1
        while self._is_next(operators) and n_parts != longest:
            operator = self._take()
            other = part()
            if not _claims(found) == _claims(other) == joins_claims:
                expected = "a comparison" if joins_claims else "a sum of surprisals"
                raise BadFormula(f'a side of "{operator}" is not {expected}')
            found, n_parts = Operation(operator, found, other), n_parts + 1
        return found

    def _unit(self) -> Formula:
        token = self._take()
        if isinstance(token, RegionSum | float):
            return token
        if token not in _CLOSING:
            where = "at its end" if token is None else f'before "{token}"'
            raise BadFormula(f"the formula lacks a region or a number {where}")
        self._depth += 1
        if self._depth > _DEEPEST:
            raise BadFormula(f"the formula has more than {_DEEPEST} brackets in brackets")
        found = self.claims()
        if self._take() != _CLOSING[token]:
            raise BadFormula(f'a bracket "{token}" is not closed by "{_CLOSING[token]}"')
        self._depth -= 1
        return found

    def _is_next(self, operators: str) -> bool:
        return isinstance(self.next, str) and self.next in operators

    def _take(self) -> RegionSum | float | str | None:
        token = self.next
        self._place += 1
        return token
