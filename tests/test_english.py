"""Messages, help and documents are in the field's English: nothing of a list that readers stumbled over."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
INSTEAD = {  # of words, as a regular expression: what the field writes
    r"must be [^.]*, is [^\s,]+\.": "must be X, got 'abc'",
    r"\brests? on (one seed|fewer than)": "single seed; fewer than 30 items",
    r"\bbest of its line\b": "best layer, selected on dev; best of its row",
    r"\bhalf (of )?the 95 %": "half-width of the 95 % bootstrap CI",
    r"\b[Rr]efused are\b": "The following raise an error:",
    r"\bjudged?\b|\bjudges\b": "scored, evaluated",
    r"\basked\b": "queried, requested, probed",
    r"\basks? (an?|the) (encoder|language model|model)\b": "queried, requested, probed",
    r"\btold\b|\btells of\b": "reported, distinguished",
    r"\btaken\b|\btook\b": "used, treated as, removed",
    r"\b(is|are) what\b": "subject first",
    r"\bgives?\b": "returns, has, contains",
    r"\bso many\b": "number of",
    r"\b(dealt|deals?|dealing) out\b|\bcut at random\b": "split, random split",
    r"\bfaults included\b": "including its bugs",
    r"\bfresh weights\b|\bdrawn anew\b|\bas it was drawn\b": "randomly initialised",
    r"\bunknown (words?|focus)\b": "OOV words, OOV critical word",
    r"\b(focus|deciding) words?\b": "critical word",
    r"\bby chance\b": "chance level",
    r"\bnumbers of (a|the) (vector|state)|\bshare of numbers\b": "dimension, hidden size, dropout",
    r"\ba sentence of its own\b": "in isolation",
    r"\bthrown away\b": "discarded",
    r"\bmade again\b": "recreated",
    r"\bmost alike\b": "most similar",
    r"\b(a|one) (line|sentence|word) a line\b|\bone a line\b": "one per line",
    r"\bcut off\b": "truncated",
    r"\bwas begun\b": "was started",
    r"\bof their own, then compare\b": "in separate commands",
}
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EXCEPTIONS = {("glossary.md", "focus word")}
"""What is right where it stands: the glossary says what the keys of the configuration mean."""
SEEDS = {"fresh weights"}
"""Names of random numbers, which no user reads: to change one would change numbers."""


def findings(text: str) -> list[str]:
    """Returns what a text has of the list, with the words to use."""
    return [f'"{found[0]}": {better}' for bad, better in INSTEAD.items() for found in re.finditer(bad, text)]


def messages(source: str) -> Iterator[tuple[int, str]]:
    """Yields the texts of a module with their lines, docstrings apart; of f-strings the fixed parts."""
    tree = ast.parse(source)
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents
        if is_text and " " in node.value and node.value not in SEEDS:  # a word alone may be a key
            yield node.lineno, " ".join(node.value.split())


def lines(source: str) -> Iterator[tuple[int, str]]:
    """Yields all lines of a file."""
    yield from enumerate(source.splitlines(), 1)


def comments(source: str) -> Iterator[tuple[int, str]]:
    """Yields the comments of a file of the configuration, which --help prints, with their lines."""
    for number, line in enumerate(source.splitlines(), 1):
        if found := re.search(r"(?:^|\s)# (.*)", line):
            yield number, found[1]


def words_of(folder: str, pattern: str, read) -> list[str]:
    """Returns what the files of a folder have of the list, each with its place."""
    return [
        f"{file.relative_to(ROOT)}:{line}: {found}"
        for file in sorted((ROOT / folder).rglob(pattern))
        for line, text in read(file.read_text(encoding="utf-8"))
        for found in findings(text)
    ]


READ = [
    ("src", "*.py", messages),
    ("src", "*.html.j2", lines),
    ("conf", "*.yaml", comments),
]


@pytest.mark.parametrize(("folder", "pattern", "read"), READ)
def test_what_is_printed_is_in_the_words_of_the_field(folder, pattern, read):
    assert words_of(folder, pattern, read) == []


def test_documents_are_in_the_words_of_the_field():
    assert [
        f"{file.name}:{number}: {found}"
        for file in DOCUMENTS
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        for found in findings(line)
        if (file.name, found.split('"')[1]) not in EXCEPTIONS
    ] == []


def test_the_list_finds_what_it_is_about_in_messages_and_not_in_docstrings():
    source = (
        '''"""What was told."""\nf"{n} words are taken; no encoder was asked"\nderived_seed(1, "fresh weights")\n'''
    )
    found = [one for _, text in messages(source) for one in findings(text)]
    assert sorted(one.split('"')[1] for one in found) == ["asked", "taken"]
