"""The suite that a configuration names, if probes can be trained on it."""

from collections.abc import Mapping
from typing import Any

from hydra.utils import instantiate

from src.formats.errors import PolyprobeError
from src.probing.suites import Suite


def chosen_suite(settings: Mapping[str, Any]) -> Suite:
    """Builds the suite of a configuration.

    Args:
        settings: a file of conf/suite.

    Raises:
        PolyprobeError: it holds minimal sets: there is nothing that a probe could be trained on.
    """
    if "_target_" not in settings:
        raise PolyprobeError(
            f"suite={settings['name']} has minimal sets, which have no labels to train a probe on. "
            f"python generate.py suite={settings['name']} makes them."
        )
    return instantiate(settings, _convert_="all")
