"""The reference pages of the site have every choice, key and function, with what is said of it."""

import re

import polyprobe
from polyprobe.runs.names.conf_folders import choice_files
from tests.documents.reference import GROUPS, PAGES, page_of_group


def headings(page: str) -> list[str]:
    return re.findall(r"^## `(.+)`$", page, re.MULTILINE)


def test_a_page_has_every_choice_of_its_group():
    for group in GROUPS:
        assert headings(page_of_group(group)) == [f"{group}={choice}" for choice in choice_files(group)]
    assert "\nword_pooling: mean      # subword pooling: first, last" in page_of_group("encoder")


def test_a_key_of_a_command_stands_on_its_page():
    page = PAGES["commands.md"]()
    assert headings(page) == ["train.py", "probe.py", "generate.py", "analyze.py"]
    assert "\nrankings: [weights" in page_of_group("job")


def test_each_function_of_the_library_stands_with_its_arguments():
    page = PAGES["library.md"]()
    assert headings(page) == [f"pp.{name}" for name in polyprobe.__all__]
    assert "\n    columns: Mapping[str, str] | None = None,\n" in page
    assert "- tasks: `tests`: names of tasks." in page
