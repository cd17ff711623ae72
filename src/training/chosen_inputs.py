"""The inputs that a configuration asks for: learned with the model, or given by a frozen encoder."""

from pathlib import Path

from polyprobe.datamodules.base.word_inputs import Inputs
from polyprobe.encoders.base.build import make_encoder
from polyprobe.encoders.base.encoder import CountEncoder
from polyprobe.encoders.inputs.vector_source import FrozenInputs, VectorSource
from polyprobe.errors import Impossible
from polyprobe.named import built
from polyprobe.runs.names.identity import lasting_name
from polyprobe.training.settings import InputSettings

TRANSFORMER = "TransformerEncoder"
SENTENCES_ALONE = "UntrainedEncoder"  # by its name: its module, with torch, is loaded where it is chosen


def chosen_inputs(settings: InputSettings, encodings: Path) -> Inputs:
    """Builds what `encoder` says.

    Args:
        encodings: the folder of kept vectors.
    """
    if settings.is_learned:
        return built(settings.options, "encoder")
    return _frozen_inputs(settings, encodings)


def _frozen_inputs(settings: InputSettings, encodings: Path) -> FrozenInputs:
    options = dict(settings.options)
    if "level" in options and lasting_name(str(options["_target_"])) == TRANSFORMER:
        options["level"] = "token"  # that of the suite is about the items of probes
    encoder = make_encoder(options)
    if type(encoder).__name__ == SENTENCES_ALONE:
        raise Impossible(
            f"encoder={settings.name} has vectors of sentences. The inputs of a task are vectors of words."
        )
    if isinstance(encoder, CountEncoder):
        raise Impossible(f"encoder={settings.name} counts and has no vectors of words.")
    if options.get("layers", ()) is None and len(encoder.layers) > 1:
        options["layers"] = [encoder.top]
        encoder = make_encoder(options)
    source = VectorSource(encoder, encodings, settings.number, settings.max_gb)
    return FrozenInputs(options, source, settings.tune)
