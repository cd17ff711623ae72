"""All of polyprobe's code. A Python without its packages is told at once, before the first import that would fail."""

import sys
from importlib.util import find_spec

if find_spec("hydra") is None:
    sys.exit("Packages of requirements.txt are missing here. Expected `make setup`, then `source .venv/bin/activate`.")
