"""What is poor about sets that `python generate.py` made, a line each, with the option that helps."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from src.analysis.results.label_counts import counts_in_parts
from src.display.plural import plural

HIGHEST_MAJORITY, FEWEST_ITEMS, LARGEST_LOSS = 0.6, 30, 0.2
Test = Mapping[str, Any]  # of the record of a run
_FIRST_OF_PAIRS = "repeated_pairs=left_out leaves the first of each"
_OPTIONS = {"type_level": ("balance", "repeated_pairs", "frequent_share"), "token_level": ("balance",)}


def poor_tests(tests: Mapping[str, Test], group: str) -> Iterator[str]:
    """Says what is poor about tests.

    Args:
        tests: of the record of a run, by name; what earlier versions did not count is not spoken of.
        group: of the options that they were made by, such as "type_level".
    """
    for what, of_test, advice in (
        ("majority above 60 %", _high_majority, "balance=labels draws labels more evenly"),
        (
            f"a label with fewer than {FEWEST_ITEMS} items in a split",
            _rare_label,
            "balance=labels gives it all there are, least_of_label=<number> drops it from a feature",
        ),
        ("inputs with two labels", _counted("inputs_of_several_labels"), _FIRST_OF_PAIRS),
        ("pairs that stand beside their reverse", _counted("reversed_pairs"), _FIRST_OF_PAIRS),
        (
            "share of frequent words not reached, of train (%)",
            _other_share,
            "frequent_share=<share> asks for fewer, made_from.frequency=<file> is for a longer list",
        ),
    ):
        found = [f"{name} {said}" for name, test in tests.items() if (said := of_test(test))]
        if found:
            is_option = advice.partition("=")[0] in _OPTIONS.get(group, ())
            yield f"{what}: {', '.join(found)}" + (f"; {group}.{advice}" if is_option else "")


def broken_definitions(definitions: Mapping[str, Mapping[str, Any]], rules: str) -> str:
    """Says in how many rows the check of definitions found a fault, and what the first one is."""
    broken = {test: found for test, found in definitions.items() if found["broken"]}
    n_rows = sum(found["rows"] for found in definitions.values())
    if not broken:
        return f"{n_rows:,} rows were held against the definitions of their tests: all of them agree"
    n_broken = sum(found["broken"] for found in broken.values())
    counts = ", ".join(f"{test} {found['broken']:,}" for test, found in broken.items())
    reason = "; rules=released makes them so, rules=article does not" if rules == "released" else ""
    first = next(iter(broken.values()))["first"]
    return f"{n_broken:,} of {n_rows:,} rows break the article's definition: {counts}. The first: {first}{reason}"


def poor_text(texts: Mapping[str, Test]) -> Iterator[str]:
    """Says of which splits of text for language models much was left out for its unknown words."""
    for text in texts.values():
        for split, counts in text["splits"].items():
            n_words, n_left_out = counts["words"], counts.get("words_left_out", 0)
            if n_left_out > LARGEST_LOSS * (n_words + n_left_out):
                left = f"{split} has {n_words:,} of {n_words + n_left_out:,} words: the other sentences have too many"
                ways = "more text, or lm_corpus.max_unknown_share=null, which leaves no sentence out"
                yield f"{left} that are not in the vocabulary. What helps: {ways}"


def _high_majority(test: Test) -> str:
    share = test.get("majority", {}).get("accuracy", 0)
    return f"{100 * share:.1f}" if share > HIGHEST_MAJORITY else ""


def _rare_label(test: Test) -> str:
    """Names the rarest of the labels, and how many more there are."""
    counts = counts_in_parts(test["labels"])
    rare = {label: min(of_label) for label, of_label in counts.items() if min(of_label) < FEWEST_ITEMS}
    if not rare:
        return ""
    rarest = min(rare, key=rare.__getitem__)
    more = f" and {plural(len(rare) - 1, 'other label')}" if len(rare) > 1 else ""
    return f"({rarest}: {rare[rarest]}{more})"


def _counted(key: str) -> Callable[[Test], str]:
    return lambda test: f"{test[key]:,}" if test.get(key) else ""


def _other_share(test: Test) -> str:
    branches = test.get("frequent_draw", {}).values()
    is_other = any(branch.startswith("all ") for of_split in branches for branch in of_split.split("; "))
    return f"{100 * test['frequent_share']['train']:.0f}" if is_other else ""
