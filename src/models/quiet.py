"""Lightning without its advertisements and its words on devices: users read results, not banners."""

import logging
import warnings


def quiet_lightning() -> None:
    """Keeps warnings of Lightning that concern the numbers, and hushes the rest."""
    for name in ("pytorch_lightning", "lightning_fabric", "pytorch_lightning.utilities.rank_zero"):
        logging.getLogger(name).setLevel(logging.WARNING)
    for message in (
        ".*isinstance\\(treespec, LeafSpec\\).*",  # inside Lightning, with this version of torch
        ".*`configure_optimizers` returned `None`.*",  # the probe bank brings its own
        ".*does not have many workers.*",  # batches are made in memory, faster than a worker could send them
        ".*Checkpoint directory .* exists and is not empty.*",
        ".*number of training batches .* is smaller than the logging interval.*",
    ):
        warnings.filterwarnings("ignore", message=message)
