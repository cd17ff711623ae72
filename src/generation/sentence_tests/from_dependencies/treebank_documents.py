"""Which document each sentence of a UD treebank stands in.

    # newdoc id = weblog-1      where every file starts with a document: the comment begins one, with or without an id
    # sent_id = b104.2          else: b104, the id without its number, where ids name documents
    # sent_id = mst-0005        else: every sentence is a document of its own

Ids name documents where none of the names holds more than a tenth of the sentences: `mst`, `train-s` and `n` (of
n01001011) name the treebank, its file or a genre.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_MOST_OF_TREEBANK = 0.1
_NUMBER = re.compile(r"[\W_]*s?\d+$")
_NEW_DOCUMENT = re.compile(r"#\s*newdoc\b(?:\s+id\s*=\s*(.*\S))?")


@dataclass(frozen=True, slots=True)
class DocumentMark:
    """What a sentence says on its document.

    Attributes:
        file: its name.
        new_document: the id of the document that starts here, empty where it has none; None where none starts.
        identifier: of the sentence.
    """

    file: str
    new_document: str | None
    identifier: str


@dataclass(frozen=True)
class Documents:
    """The document of each sentence, and how it was told: "newdoc", "sent_id" or "sentences"."""

    names: Sequence[str]
    rule: str


def new_document(comments: Iterable[str]) -> str | None:
    """Returns the id of the document that starts with a sentence of these comments; None if none does."""
    found = next((match for comment in comments if (match := _NEW_DOCUMENT.match(comment))), None)
    return (found.group(1) or "") if found else None


def documents_of(marks: Sequence[DocumentMark]) -> Documents:
    """Finds the documents of a treebank.

    Args:
        marks: of its sentences, file by file.
    """
    if marks and all(one.new_document is not None for one in _first_of_files(marks)):
        return Documents(_begun(marks), "newdoc")
    names = [_NUMBER.sub("", one.identifier) for one in marks]
    if names and max(Counter(names).values()) <= _MOST_OF_TREEBANK * len(names):
        return Documents(names, "sent_id")
    return Documents(
        [f"{number} {one.file} {one.identifier}" for number, one in enumerate(marks, start=1)], "sentences"
    )


def _first_of_files(marks: Sequence[DocumentMark]) -> Iterable[DocumentMark]:
    return {one.file: one for one in reversed(marks)}.values()


def _begun(marks: Sequence[DocumentMark]) -> list[str]:
    """Names each sentence after the document that began last; one without an id after its place."""
    names, name = [], ""
    for number, one in enumerate(marks, start=1):
        if one.new_document is not None:
            name = one.new_document or f"{number} {one.file}"
        names.append(name)
    return names
