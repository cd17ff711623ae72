"""EWoK's items as minimal sets (Ivanova et al. 2024): a target sentence is likelier after its own context.

    {"Domain": "…", "Context1": "…", "Context2": "…", "Target1": "…", "Target2": "…", …}

Each item makes two sets: Target1 after Context1 and after Context2, Target2 after Context2 and after Context1. The
target is what its file names as the focus: the rule "focus" compares its log-probability given the one context and
given the other, which is the paper's measure. The whole sums also compare how likely the contexts are.
"""

from collections.abc import Iterator
from pathlib import Path

from src.errors import MalformedLine
from src.formats.minimal_sets.clams import MinimalSet, Span, set_of_sentences
from src.formats.minimal_sets.pair_rows import PairReading, sentence_of
from src.formats.reading.json_lines import value_of
from src.formats.reading.lines import numbered_bytes, text_of
from src.formats.reading.malformed import OnMalformed

_KEYS = ("Context1", "Context2", "Target1", "Target2")
_OBJECT = 'an object such as {"Context1": "…", "Context2": "…", "Target1": "…", "Target2": "…"}'


def read(path: Path, on_malformed: OnMalformed, reading: PairReading) -> Iterator[MinimalSet]:
    """Reads items; that of line k makes the sets 2k - 1 and 2k. The last line may lack its line feed.

    Args:
        path: the file.
        on_malformed: called with every bad line, which is then left out.
        reading: which further keys the sets keep.

    Raises:
        MalformedLine: at an empty file and, where `on_malformed` raises, at the first line that is not a JSON object
            with the four texts, or is not clean UTF-8.
    """
    for line, content in numbered_bytes(path):
        try:
            fields = value_of(path, line, text_of(path, line, content.removesuffix(b"\n") + b"\n"), _OBJECT)
            absent = [key for key in _KEYS if not isinstance(fields, dict) or not isinstance(fields.get(key), str)]
            if absent:
                raise MalformedLine(path, line, f"the line has no {' and no '.join(absent)}", _OBJECT)
            texts = {key: sentence_of(path, line, key, fields[key]) for key in _KEYS}
        except MalformedLine as place:
            on_malformed(place)
            continue
        kept = {key: fields[key] for key in reading.fields if isinstance(fields.get(key), str)}
        for number, other in ((1, 2), (2, 1)):
            target, contexts = texts[f"Target{number}"], (texts[f"Context{number}"], texts[f"Context{other}"])
            named = tuple(_target_of(context, target) for context in contexts)
            sentences = [f"{context} {target}" for context in contexts]
            yield set_of_sentences(2 * line - 2 + number, sentences, " ", kept, named)


def _target_of(context: str, target: str) -> Span:
    n_before, n_words = context.count(" ") + 1, target.count(" ") + 1
    return n_before, n_before + n_words
