"""The published scores of probing tests and of downstream tasks, over the encoders that stand in both tables."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from src.analysis.correlations.encoder_scores import EncoderScores
from src.analysis.published.published_cells import published_cells


@dataclass(frozen=True, slots=True)
class PublishedTables:
    """Two tables of a paper that have the same encoders.

    Attributes:
        paper: a file of published/.
        encoders: whether a line or a column of the tables is an encoder.
        probing, downstream: the numbers of the tables.
    """

    paper: str
    encoders: Literal["row", "column"]
    probing: str
    downstream: str

    def scores(self, table: str) -> list[EncoderScores]:
        """Returns the scores of a table, in the order in which it has the tests or tasks; majorities are no encoder.

        A test or task is named as rows of ours name it: by the test, or the suite where that is the whole.
        """
        scores: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
        for cell in published_cells(self.paper):
            if cell.table == table:
                by_encoder = scores[cell.keys["lang"], cell.keys["test"] or cell.keys["suite"]]
                if cell.of == "value":
                    by_encoder[getattr(cell, self.encoders)] = cell.value
        return [EncoderScores(lang, name, by_encoder) for (lang, name), by_encoder in scores.items()]


PUBLISHED: Mapping[str, PublishedTables] = MappingProxyType(
    {
        "published_linspector": PublishedTables("linspector", "column", probing="9", downstream="10"),
        "published_senteval": PublishedTables("senteval", "row", probing="2", downstream="5"),
        "published_senteval_logistic_regression": PublishedTables("senteval", "row", probing="4", downstream="5"),
    }
)
"""The values of `correlate=` that name tables of a paper."""
