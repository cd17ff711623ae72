"""SyntaxGym's test suites (Hu et al. 2020): items in several conditions, cut into regions, and what is predicted.

    {"meta": {"name": "number_src", "metric": "sum"},
     "predictions": [{"type": "formula", "formula": "(2;%match%) < (2;%mismatch%)"}],
     "items": [{"item_number": 1, "conditions": [
         {"condition_name": "match", "regions": [{"region_number": 1, "content": "The author"},
                                                 {"region_number": 2, "content": "laughs"}]}, …]}]}

A condition is a sentence: its regions that are not empty, joined by blanks. Surplus blanks around and inside a region
are passed over, as the released code does at their start: many published regions have some.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyprobe.display.shown import cut, plural
from polyprobe.errors import MalformedLine, nearest
from polyprobe.formats.minimal_sets.region_formulas import BadFormula, Operation, parse, references
from polyprobe.formats.reading.cells import value_of
from polyprobe.formats.reading.lines import numbered_bytes, text_of
from polyprobe.formats.reading.malformed import Omission, OnMalformed

METRIC = "sum"
_FILE = "an object with meta, predictions and items, as SyntaxGym's test suites are"
_ITEM = 'an object such as {"item_number": 1, "conditions": […]}'
_CONDITION = 'an object such as {"condition_name": "match", "regions": […]}'
_REGION = 'an object such as {"region_number": 1, "content": "The author"}, each number once in a condition'
_SHOWN = 200  # characters of a formula in a message
_PREDICTION = 'an object such as {"type": "formula", "formula": "(2;%match%) < (2;%mismatch%)"}'


@dataclass(frozen=True, slots=True)
class Condition:
    """One sentence of an item."""

    words: tuple[str, ...]
    """Of the sentence, at least one."""
    regions: Mapping[int, tuple[int, int]]
    """The span `[start, end)` of words of each region, by its number; an empty one has no word."""


@dataclass(frozen=True, slots=True)
class RegionItem:
    """An item: the same regions in several conditions."""

    number: int
    """As the file has it; each number once."""
    conditions: Mapping[str, Condition]
    """By their names, in the order of the file."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """What is predicted of every item."""

    text: str
    """The formula as the file has it, without surplus blanks."""
    claim: Operation


def read(path: Path, on_malformed: OnMalformed) -> tuple[tuple[Prediction, ...], tuple[RegionItem, ...]]:
    """Reads a test suite.

    Returns:
        At least one prediction, and the items that have all conditions and regions that the predictions refer to.

    Args:
        on_malformed: called with every bad item, which is then left out; its line is that of its "item_number" where
            every item has one, else 1.

    Raises:
        MalformedLine: the file is empty, no JSON, or not clean UTF-8; it has no items, no predictions, another metric
            than the sum, or a prediction that cannot be read or refers to what no item has; and, where `on_malformed`
            raises, at the first bad item.
    """
    text = "\n".join(text_of(path, line, content) for line, content in numbered_bytes(path))
    content = value_of(path, 1, text.strip(), _FILE)
    for key, kind in (("meta", dict), ("predictions", list), ("items", list)):
        if not isinstance(content, dict) or not isinstance(content.get(key), kind) or not content[key]:
            raise MalformedLine(path, 1, f"the file has no {key}", _FILE)
    if content["meta"].get("metric") not in (METRIC, [METRIC]):
        found = f"meta.metric is {content['meta'].get('metric')!r}"
        raise MalformedLine(path, 1, found, f'"{METRIC}": the surprisal of a region is the sum over its words')
    predictions = tuple(_prediction(path, *one) for one in enumerate(content["predictions"], start=1))
    items = tuple(_items(path, text, content["items"], on_malformed))
    for number, one in enumerate(predictions, start=1):
        complaints = [_complaint(one, item) for item in items]
        if items and all(complaints):
            raise MalformedLine(path, 1, f"prediction {number} ({one.text}) {complaints[0]}", "what the items have")
    return predictions, tuple(_complete(path, text, predictions, items, on_malformed))


def _prediction(path: Path, number: int, fields: Any) -> Prediction:
    formula = fields.get("formula") if isinstance(fields, dict) and fields.get("type") == "formula" else None
    if not isinstance(formula, str):
        raise MalformedLine(path, 1, f"prediction {number} is not a formula", _PREDICTION)
    text = " ".join(formula.split())
    try:
        return Prediction(text, parse(text))
    except BadFormula as error:
        raise MalformedLine(path, 1, f"prediction {number} ({cut(text, _SHOWN)}): {error}", _PREDICTION) from None


def _items(path: Path, text: str, listed: Sequence[Any], on_malformed: OnMalformed) -> Iterator[RegionItem]:
    known: set[int] = set()
    starts = [found.start() for found in re.finditer(r'"item_number"', text)]
    starts = starts if len(starts) == len(listed) else [0] * len(listed)  # items cannot be told apart in the text
    for start, fields in zip(starts, listed, strict=True):
        line = text.count("\n", 0, start) + 1
        with Omission(on_malformed):
            item = _item(path, line, fields)
            if item.number in known:
                raise MalformedLine(path, line, f"there is an item {item.number} before", "each number once")
            known.add(item.number)
            yield item


def _complete(
    path: Path, text: str, predictions: Sequence[Prediction], items: Sequence[RegionItem], on_malformed: OnMalformed
) -> Iterator[RegionItem]:
    """Yields the items that have all that the predictions refer to."""
    for item in items:
        complaints = [(number, _complaint(one, item)) for number, one in enumerate(predictions, start=1)]
        found = [f"prediction {number} {complaint}" for number, complaint in complaints if complaint]
        if found:
            place = re.search(rf'"item_number"\s*:\s*{item.number}\b', text)
            line = text.count("\n", 0, place.start()) + 1 if place else 1
            on_malformed(MalformedLine(path, line, f"item {item.number}: {found[0]}", "what the other items have"))
        else:
            yield item


def _complaint(prediction: Prediction, item: RegionItem) -> str:
    """Says which condition or region of a prediction an item lacks; "" where none."""
    for one in references(prediction.claim):
        if one.condition not in item.conditions:
            return (
                f'names a condition "{one.condition}", which is unknown. {nearest(one.condition, item.conditions)[:-1]}'
            )
        regions = item.conditions[one.condition].regions
        if one.region is not None and one.region not in regions:
            known = ", ".join(map(str, regions))
            return f'names a region {one.region}, which condition "{one.condition}" lacks. Known: {known}'
    return ""


def _item(path: Path, line: int, fields: Any) -> RegionItem:
    number, conditions = _values(path, line, fields, {"item_number": int, "conditions": list}, _ITEM)
    found: dict[str, Condition] = {}
    for one in conditions:
        name, regions = _values(path, line, one, {"condition_name": str, "regions": list}, _CONDITION)
        if name in found:
            raise MalformedLine(path, line, f'item {number} has two conditions "{name}"', "each once")
        found[name] = _condition(path, line, f'item {number}, condition "{name}"', regions)
    if not found:
        raise MalformedLine(path, line, f"item {number} has no conditions", _ITEM)
    return RegionItem(number, found)


def _condition(path: Path, line: int, where: str, regions: Sequence[Any]) -> Condition:
    words: list[str] = []
    spans: dict[int, tuple[int, int]] = {}
    for one in regions:
        number, content = _values(path, line, one, {"region_number": int, "content": str}, _REGION)
        if number in spans:
            raise MalformedLine(path, line, f"{where}: there are two regions {number}", _REGION)
        if set(content) & set("\t\r\n"):
            raise MalformedLine(path, line, f"{where}: region {number} has a tab or a line feed", _REGION)
        of_region = [word for word in content.split(" ") if word]
        spans[number] = (len(words), len(words) + len(of_region))
        words += of_region
    if not words:
        raise MalformedLine(path, line, f"{where} has {plural(len(spans), 'region')} and no word", "a sentence")
    return Condition(tuple(words), spans)


def _values(path: Path, line: int, fields: Any, kinds: Mapping[str, type], expected: str) -> list[Any]:
    """Returns the values of some keys, each of its kind; a truth value is no number."""
    for key, kind in kinds.items():
        value = fields.get(key) if isinstance(fields, dict) else None
        if not isinstance(value, kind) or isinstance(value, bool):
            found = f"{key} is {value!r}" if isinstance(fields, dict) and key in fields else f"there is no {key}"
            raise MalformedLine(path, line, found, expected)
    return [fields[key] for key in kinds]
