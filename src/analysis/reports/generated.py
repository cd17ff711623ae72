"""Reports what `python generate.py` made, minimal sets or probing tests, and what is poor about it."""

import shlex
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from polyprobe.analysis.output.tables import Table
from polyprobe.analysis.tables.made_sets import (
    counts_in_parts,
    tables_of_tests,
)
from polyprobe.display.shown import plural, short_path, text_of_cell
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.conf_folders import own_folders
from polyprobe.runs.names.typed_command import called_as

_MOST_WORDS = 15


def tables_of_made(run: RunDirectory) -> dict[str, list[Table]]:
    """Makes the tables of a finished run of generate.py by what they are about, which names their files."""
    record = run.record()
    if "constructions" in record:
        tables = [_counts_table(record["constructions"])]
        if "missing" in record:
            tables += [_missing_table(record["constructions"], record["missing"]), _words_table(run)]
        return {"sets": tables}
    return {"tests": tables_of_tests(record)}


def _counts_table(constructions: Mapping[str, Mapping[str, int]]) -> Table:
    columns = {"templates": "n_templates", "sets": "n_sets", "sentences": "n_sentences"}
    columns |= {"no variant": "n_alone", "identical strings": "n_identical"}
    right = {header: lambda one, key=key: f"{one[1][key]:,}" for header, key in columns.items()}
    table = Table.of(constructions.items(), {"construction": lambda one: one[0]}, right)
    notes = []
    if any(counts["n_alone"] or counts["n_identical"] for counts in constructions.values()):
        notes.append(
            "Sets with no variant, or with a variant identical to the grammatical sentence, are "
            "uninformative; they are written, too."
        )
    return table.titled("Minimal sets", notes)


def _missing_table(constructions: Mapping[str, Mapping[str, int]], missing: Mapping[str, Mapping[str, int]]) -> Table:
    counted = [(name, {**costs, "sets": constructions[name]["n_sets"]}) for name, costs in missing.items()]
    columns = {"sets": "sets", "OOV critical word": "focus", "OOV elsewhere": "other", "lost": "any"}
    right = {header: lambda one, key=key: f"{one[1][key]:,}" for header, key in columns.items()}
    right["lost (%)"] = lambda one: f"{100 * one[1]['any'] / one[1]['sets']:.1f}"
    table = Table.of(counted, {"construction": lambda one: one[0]}, right)
    return table.titled("Sets with OOV words")


def _words_table(run: RunDirectory) -> Table:
    path = run.checked(run.missing_words)
    header, *rows = (line.split("\t") for line in path.read_text(encoding="utf-8").split("\n")[:-1])
    table = Table(header[:-1], header[-1:])
    for row in sorted(rows, key=lambda row: -int(row[-1]))[:_MOST_WORDS]:
        table.add_row(*map(text_of_cell, row))
    left_out = len(rows) - _MOST_WORDS
    notes = [f"{left_out} more rows are in {short_path(path)}."] if left_out > 0 else []
    return table.titled("OOV words", notes)


_OPTIONS_OF = {"linspector_type": "type_level", "linspector_token": "token_level", "pseudowords": "pseudowords"}


def lines_of_made(run: RunDirectory) -> Iterator[str]:
    """Says what is poor, and where everything is; and what to type next."""
    record = run.record()
    if "constructions" in record:
        yield f"Sets: {short_path(run.sets)}"
        return
    kept = run.configuration()
    group = _OPTIONS_OF.get(kept["choices"]["suite"], "")
    yield from (f"poor      {line}" for line in poor_tests(record["tests"], group, kept.get(group) or {}))
    yield f"tests     {short_path(run.sets)}"
    if record["tests"]:
        yield f"probe     {_command_that_probes(run, kept)}"


def _command_that_probes(run: RunDirectory, kept: Mapping[str, Any]) -> str:
    """Returns a command line, from the folder that the one of the run was given in."""
    suite, work = kept["suite"], kept["paths"]["work"]
    parts = [
        *(part for folder in own_folders() for part in ("--config-dir", str(folder))),
        f"lang={kept['choices']['lang']}",
        "suite=own",
        f"suite.path={short_path(run.sets)}",
        *(f"suite.{key}={suite[key]}" for key in ("format", "level")),
        f"suite.lowercase={str(suite['lowercase']).lower()}",
        *([f"paths.work={work}"] if work != "." else []),
    ]
    return f"{called_as('probe')} {shlex.join(parts)}"


HIGHEST_MAJORITY, FEWEST_ITEMS = 0.6, 30
Test = Mapping[str, Any]  # of the record of a run
_FIRST_OF_PAIRS = ("repeated_pairs=left_out leaves the first of each",)
_LONGER_LIST = "made_from.frequency=<file> is for a longer list"
_HELPFUL = {
    "type_level": ("balance", "least_of_label", "repeated_pairs", "frequent_share"),
    "token_level": ("balance", "least_of_label"),
}
_OF_NO_FEATURE = frozenset({"TagCount", "CharacterBin", "CharacterCount", "OddFeat", "SameFeat"})


def poor_tests(tests: Mapping[str, Test], group: str, chosen: Mapping[str, Any]) -> Iterator[str]:
    """Says what is poor about tests, and which options would help that are not chosen already.

    Args:
        tests: of the record of a run, by name; what earlier versions did not count is not spoken of.
        group: of the options that they were made by, such as "type_level".
        chosen: these options.
    """
    for what, of_test, advice in (
        ("majority above 60 %", _high_majority, ("balance=labels draws labels more evenly",)),
        (
            f"a label with fewer than {FEWEST_ITEMS} items in a split",
            _rare_label,
            ("balance=labels uses all its items", "least_of_label=<number> drops it from a feature"),
        ),
        ("inputs with two labels", _counted("inputs_of_several_labels"), _FIRST_OF_PAIRS),
        ("pairs that also occur reversed", _counted("reversed_pairs"), _FIRST_OF_PAIRS),
        (
            "share of frequent words not reached, of train (%)",
            _other_share,
            ("frequent_share=<share> asks for fewer",),
        ),
    ):
        found = {name: said for name, test in tests.items() if (said := of_test(test))}
        if found:
            helps = [f"{group}.{one}" for one in advice if _helps(one, group, chosen, found)]
            helps += [_LONGER_LIST] if of_test is _other_share and helps else []
            yield "; ".join([f"{what}: {', '.join(f'{name} {said}' for name, said in found.items())}", *helps])


def _helps(advice: str, group: str, chosen: Mapping[str, Any], tests: Mapping[str, str]) -> bool:
    """Says whether the makers of a group have an option, that has another value and is about one of the tests."""
    option, _, value = advice.partition(" ")[0].partition("=")
    is_about = option != "least_of_label" or not _OF_NO_FEATURE.issuperset(tests)
    return option in _HELPFUL.get(group, ()) and chosen.get(option) != value and is_about


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
