"""The inputs that a configuration asks for: learned with the model, or given by a frozen encoder."""

from collections.abc import Mapping
from typing import Any

from hydra.utils import instantiate

from src.datamodules.inputs import Inputs
from src.formats.errors import BadValue


def chosen_inputs(config: Mapping[str, Any]) -> Inputs:
    """Builds what `encoder` says.

    Raises:
        PolyprobeError: its class is unknown, or an option is out of range.
    """
    settings = dict(config["encoder"])
    if settings.pop("tune"):
        raise BadValue("encoder.tune", True, "false with encoder=learned, which is learnt anyway")
    return instantiate(settings, _convert_="all")
