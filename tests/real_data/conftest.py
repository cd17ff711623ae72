import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with the unpacked corpora; tests that need it are skipped where none is named."""
    if "POLYPROBE_DATA" not in os.environ:
        pytest.skip("POLYPROBE_DATA names no folder")
    return Path(os.environ["POLYPROBE_DATA"])
