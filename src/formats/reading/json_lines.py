"""JSON on a single line, read strictly."""

import json
import re
from pathlib import Path
from typing import Any

from src.errors import MalformedLine

_PERHAPS_HALF = re.compile(r"\\u[dD][89a-fA-F]")  # half of a surrogate pair, or the pair itself


def value_of(path: Path, line: int, text: str, expected: str) -> Any:
    """Reads the JSON of a line.

    Args:
        path, line: where the text comes from, for messages.
        text: of the line, without the line feed.
        expected: what was expected, for messages.

    Raises:
        MalformedLine: the line is empty, not JSON, too deep or with a number too long for Python, or it has half of a
            surrogate pair ("\\ud800"), which is not a character.
    """
    if not text:
        raise MalformedLine(path, line, "the line is empty", expected)
    try:
        value = json.loads(text)
        if _PERHAPS_HALF.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise MalformedLine(path, line, "the line has half of a surrogate pair", "text in UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise MalformedLine(path, line, f"the line is no JSON ({_briefly(error)})", expected) from None
    return value


def _briefly(error: Exception) -> str:
    return str(error).split(";", maxsplit=1)[0]  # Python continues with how to allow longer numbers
