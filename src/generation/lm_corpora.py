"""Text for language models, prepared from texts of any origin: `python generate.py suite=lm_corpus lang=tr`."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from src.errors import PolyprobeError
from src.formats.reading.malformed import handler_named
from src.generation.language_sources import sources
from src.generation.tests_run import Making
from src.generation.text_corpora.corpus_options import corpus_options
from src.generation.text_corpora.prepared_corpus import prepare_corpus


def making(config: Mapping[str, Any], data_root: Callable[[], Path]) -> Making:
    """Reads how a corpus is to be prepared.

    Args:
        config: the resolved configuration of conf/generate.yaml, as plain values.
        data_root: returns the data folder of the language; called only if its files are read.

    Raises:
        PolyprobeError: there is a fault in an option, or a file is missing and cannot be fetched.
        Impossible: neither the command nor the language names texts.
    """
    for key, untouched in (("tests", None), ("rules", "article")):
        if config[key] != untouched:
            raise PolyprobeError(f"{key}={config[key]} has no effect on suite=lm_corpus, which makes one corpus.")
    options = corpus_options(config["lang"]["code"], config["seed"], config["lm_corpus"])
    texts = sources(config, data_root, "texts")
    on_malformed = handler_named(config["on_malformed"], "on_malformed")
    return Making(
        {key: config[key] for key in ("lm_corpus", "on_malformed")},
        texts,
        lambda folder: prepare_corpus(texts, folder, options, on_malformed),
        on_malformed,
    )
