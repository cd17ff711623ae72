"""A fault inside of a user's own encoder: the user's frames on standard error, and one line as for any other error."""

import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from src.display.shown import shown_lines
from src.encoders.base.encoder import Encoder
from src.errors import PolyprobeError, briefly
from src.items import Item

_OURS = f"{Path(__file__).resolve().parents[2]}{os.sep}"


def encoded_parts(encoder: Encoder, items: Sequence[Item]) -> Iterator[Any]:
    """Encodes items; what a class of a user's own raises is told with the frames that are not ours.

    Raises:
        PolyprobeError: the class raised something else.
    """
    own = type(getattr(encoder, "own", encoder))
    if own.__module__.startswith("src."):
        yield from encoder.encode(items)
        return
    try:
        yield from encoder.encode(items)
    except PolyprobeError:
        raise
    except Exception as error:  # whatever a user's class does
        frames = traceback.extract_tb(error.__traceback__)
        outside = [frame for frame in frames if not frame.filename.startswith(_OURS)]
        print(shown_lines("".join(traceback.format_list(outside)).rstrip()), file=sys.stderr)
        place = f" in {Path(outside[-1].filename).name}, line {outside[-1].lineno}" if outside else ""
        found = f"{own.__module__}.{own.__qualname__}.encode failed{place}"
        raise PolyprobeError(f"{found}: {type(error).__name__}: {briefly(error)}.") from error
