"""A file per command. A Python without the packages is refused at once, before the first import that would fail."""

import sys
from importlib.util import find_spec

if find_spec("hydra") is None:
    sys.exit("Packages of requirements.txt are missing here. Expected `make setup`, then `source .venv/bin/activate`.")
