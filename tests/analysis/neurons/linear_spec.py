"""How the linear probes of these tests are trained."""

from polyprobe.named import built
from polyprobe.probing.bank.probe_spec import ProbeSpec
from polyprobe.runs.names.conf_folders import choice_settings


def linear_spec() -> ProbeSpec:
    """Returns the settings of probe=linear, with few epochs and a learning rate that suits few examples."""
    settings = {**choice_settings("probe", "linear"), "max_epochs": 30, "learning_rate": 0.05}
    (spec,) = built(settings, "probe").specs
    return spec
