"""The inputs that a configuration asks for: learned with the model, or given by a frozen encoder."""

from collections.abc import Mapping
from typing import Any

from src.datamodules.base.word_inputs import Inputs
from src.encoders.base.build import make_encoder
from src.encoders.base.count_encoder import CountEncoder
from src.encoders.inputs.frozen_inputs import FrozenInputs
from src.encoders.inputs.vector_source import VectorSource
from src.errors import BadValue, Impossible
from src.named import built
from src.runs.workspace import Workspace

LEARNED = "learned"


def chosen_inputs(config: Mapping[str, Any]) -> Inputs:
    """Builds what `encoder` says.

    Raises:
        Impossible: it gives no vectors of words.
        PolyprobeError: its class is unknown, or an option is out of range.
    """
    settings = dict(config["encoder"])
    tune = settings.pop("tune")
    if not isinstance(tune, bool):
        raise BadValue("encoder.tune", tune, "true or false")
    if config["choices"]["encoder"] == LEARNED:
        if tune:
            raise BadValue("encoder.tune", tune, "false with encoder=learned")
        return built(settings, "encoder")
    return _frozen_inputs(settings, tune, config)


def _frozen_inputs(settings: dict[str, Any], tune: bool, config: Mapping[str, Any]) -> FrozenInputs:
    encoder = make_encoder(settings)
    if isinstance(encoder, CountEncoder):
        raise Impossible(f"encoder={config['choices']['encoder']} counts and gives no vectors of words.")
    if settings.get("layers", ()) is None and len(encoder.layers) > 1:
        settings["layers"] = [encoder.top]
        encoder = make_encoder(settings)
    folder = Workspace.of(config["paths"]).encodings
    source = VectorSource(encoder, folder, config["cache"]["number"], config["cache"]["max_gb"])
    return FrozenInputs(settings, source, tune)
