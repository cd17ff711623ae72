"""Every kind of encoder, small: the files of `kinds/`."""

import importlib
from pathlib import Path

import pytest

KINDS = [
    importlib.import_module(f"tests.encoders.kinds.{file.stem}").KIND
    for file in sorted((Path(__file__).parent / "kinds").glob("*.py"))
]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
