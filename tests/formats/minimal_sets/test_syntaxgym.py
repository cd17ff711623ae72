"""SyntaxGym's test suites: what is read, and what is refused or left out."""

import json
import re

import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.minimal_sets.region_formulas import Operation, RegionSum
from polyprobe.formats.minimal_sets.syntaxgym import read
from polyprobe.formats.reading.malformed import Skipped, refuse

FORMULA = "(2;%match%) < (2;%mismatch%)"


def condition(name, *contents):
    regions = [{"region_number": number, "content": content} for number, content in enumerate(contents, start=1)]
    return {"condition_name": name, "regions": regions}


def item(number=1, verbs=("laughs", "laugh"), conditions=("match", "mismatch"), **more):
    pairs = zip(conditions, verbs, strict=True)
    return {"item_number": number, "conditions": [condition(name, "The author", verb) for name, verb in pairs], **more}


def suite(*items, formulas=(FORMULA,), **more):
    predictions = [{"type": "formula", "formula": formula} for formula in formulas]
    return {"meta": {"name": "x", "metric": "sum"}, "predictions": predictions, "items": list(items), **more}


@pytest.fixture
def file(tmp_path):
    def written(content, indent=1):
        path = tmp_path / "number.json"
        text = content if isinstance(content, str) else json.dumps(content, indent=indent, ensure_ascii=False)
        path.write_text(text, encoding="utf-8")
        return path

    return written


def test_a_condition_is_its_regions_joined_by_blanks(file):
    regions = condition("match", "What  he", "", " did ", "é")
    _, (one,) = read(file(suite({"item_number": 7, "conditions": [regions]}, formulas=["(3;%match%) > 1"])), refuse)
    assert one.number == 7
    assert one.conditions["match"].words == ("What", "he", "did", "é")
    assert one.conditions["match"].regions == {1: (0, 2), 2: (2, 2), 3: (2, 3), 4: (3, 4)}


def test_regions_stand_in_the_order_of_the_file(file):
    fields = item()
    fields["conditions"][0]["regions"].reverse()
    _, (one,) = read(file(suite(fields)), refuse)
    assert one.conditions["match"].words == ("laughs", "The", "author")
    assert one.conditions["match"].regions == {2: (0, 1), 1: (1, 3)}


def test_predictions_keep_their_text(file):
    (one,), _ = read(file(suite(item(), formulas=[f"  {FORMULA} \n"])), refuse)
    assert one.text == FORMULA
    assert one.claim == Operation("<", RegionSum("match", 2), RegionSum("mismatch", 2))


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("", "the file is empty"),
        ("{", "the line is no JSON"),
        ("[]", "the file has no meta"),
        (suite(), "the file has no items"),
        (suite(item(), meta={}), "the file has no meta"),
        (suite(item(), meta={"metric": "mean"}), "meta.metric is 'mean'"),
        (suite(item(), formulas=[]), "the file has no predictions"),
        (suite(item(), predictions=[FORMULA]), "prediction 1 is not a formula"),
        (suite(item(), predictions=[{"type": "python", "formula": FORMULA}]), "prediction 1 is not a formula"),
        (suite(item(), formulas=[FORMULA, "[(2;%match%) < 3"]), 'prediction 2 ([(2;%match%) < 3): a bracket "["'),
        (suite(item(), formulas=["(2;%mach%) < 3"]), 'names a condition "mach", which is unknown. Did you mean match'),
        (suite(item(), formulas=["(3;%match%) < 3"]), 'names a region 3, which condition "match" lacks. Known: 1, 2'),
    ],
)
def test_what_is_no_test_suite_is_refused_even_where_bad_items_are_skipped(file, content, found):
    for handler in (refuse, Skipped()):
        with pytest.raises(MalformedLine, match=re.escape(found)):
            read(file(content), handler)


@pytest.mark.parametrize(
    ("bad", "found"),
    [
        ("text", "there is no item_number"),
        ({"conditions": []}, "there is no item_number"),
        (item(number=float("nan")), "item_number is nan"),
        (item(number=True), "item_number is True"),
        (item(number=1), "there is an item 1 before"),
        ({"item_number": 2, "conditions": []}, "item 2 has no conditions"),
        (item(2, conditions=("match", "match")), 'item 2 has two conditions "match"'),
        (item(2, conditions=("match", "mismatched")), 'item 2: prediction 1 names a condition "mismatch"'),
        (item(2, verbs=("laughs", None)), "content is None"),
        (item(2, verbs=("laughs", "laugh\tloudly")), "region 2 has a tab or a line feed"),
        ({"item_number": 2, "conditions": [condition("match", "", " ")]}, "has 2 regions and no word"),
        ({"item_number": 2, "conditions": [condition("match", "The"), condition("mismatch", "The")]}, "names a region"),
        ({"item_number": 2, "conditions": [{"condition_name": "match"}]}, "there is no regions"),
        ({"item_number": 2, "conditions": ["match"]}, "there is no condition_name"),
    ],
)
def test_a_bad_item_is_refused_or_left_out(file, bad, found):
    path = file(suite(item(1), bad, item(3)))
    with pytest.raises(MalformedLine, match=re.escape(found)):
        read(path, refuse)
    handler = Skipped()
    assert [one.number for one in read(path, handler)[1]] == [1, 3]
    assert len(handler.places) == 1


def test_two_regions_of_one_number_are_refused(file):
    fields = item(2)
    fields["conditions"][0]["regions"][1]["region_number"] = 1
    with pytest.raises(MalformedLine, match=r'item 2, condition "match": there are two regions 1'):
        read(file(suite(fields)), refuse)


def test_a_bad_item_is_found_by_its_line(file):
    path = file(suite(item(1), item(2, verbs=("laughs", None))))
    line = path.read_text(encoding="utf-8").splitlines().index('   "item_number": 2,') + 1
    with pytest.raises(MalformedLine, match=f"number.json, line {line}: content is None"):
        read(path, refuse)
    path = file(suite(item(1), item(2, conditions=("match", "mismatched"))))
    with pytest.raises(MalformedLine, match=f"number.json, line {line}: item 2: prediction 1 names"):
        read(path, refuse)
