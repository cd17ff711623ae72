"""Types of what stands in files that come with a run, from anywhere: plain values, which pydantic checks."""

import json
from typing import Annotated

from pydantic import AfterValidator, BaseModel, StrictStr, ValidationError

from polyprobe.display.shown import cut
from polyprobe.formats.files.file_names import file_name

_LONGEST = 60  # of a value in a message, in characters


def _text(value: str) -> str:
    if "\0" in value:
        raise ValueError("text has no NUL")
    return value


def _name_of_a_file(value: str) -> str:
    if file_name(value) != value:
        raise ValueError("expected the name of one file or folder")
    return value


Text = Annotated[StrictStr, AfterValidator(_text)]
FileName = Annotated[StrictStr, AfterValidator(_name_of_a_file)]
"""Text that becomes a part of a path as it stands, and leads nowhere else, such as the fingerprint of an encoder."""


def wrong(value: object, kind: type[BaseModel]) -> str | None:
    """Says which part of a value, as JSON or YAML is read, is of another type, as a clause; None where all is right."""
    try:
        kind.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "it"
        reason = "" if first["type"] == "missing" else f" is {in_words(first['input'])}"
        return f"{place}{reason}: {first['msg'].removeprefix('Value error, ')}"
    return None


def in_words(value: object) -> str:
    """Returns a value for a message, cut."""
    return cut(json.dumps(value, default=str), _LONGEST)
