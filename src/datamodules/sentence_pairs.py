"""Pairs of sentences for the objective of inference: as task=nli, but each sentence gets one vector."""

from typing import Any

from src.datamodules.pairs import PairsDataModule


class SentencePairsDataModule(PairsDataModule):
    """Batches of pairs for a sentence encoder; see `PairsDataModule`."""

    def model_inputs(self) -> dict[str, Any]:
        return {"reader": self.reader, "target": {"labels": list(self.labels)}}
