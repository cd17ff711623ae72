"""Writes the comments of sections in conf/ from the texts below their fields: `python -m tests.section_comments`."""

import re
import textwrap
from pathlib import Path

from polyprobe.runs.command.choice_options import comment_of
from polyprobe.runs.command.declared_options import declared

_OF_TRAINER = "polyprobe.runs.trainer_settings.TrainerSettings"
_OF_BOTH = {
    "bank": "polyprobe.probing.settings.BankSettings",
    "cache": "polyprobe.probing.settings.VectorCache",
    "download": "polyprobe.resources.pace.Limits",
}
_OF_WORDS = {"": "polyprobe.predictors.word_level.predictor.WordOptions"}
SECTIONS = {
    "conf/generate.yaml": {
        "type_level": "polyprobe.generation.type_tests.type_level_options.TypeLevelOptions",
        "token_level": "polyprobe.generation.token_tests.token_level_options.TokenLevelOptions",
        "pseudowords": "polyprobe.generation.pseudo_tests.lexicon_words.PseudoOptions",
        "sentence_level": "polyprobe.generation.sentence_tests.labelled_sentences.SentenceOptions",
        "lm_corpus": "polyprobe.generation.text_corpora.gathered_text.CorpusOptions",
        "download": "polyprobe.resources.pace.Limits",
    },
    "conf/analyze.yaml": {
        "of_neurons": "polyprobe.analysis.neurons.neuron_settings.NeuronSettings",
        "of_similarity": "polyprobe.analysis.similarity.similarity_settings.SimilaritySettings",
    },
    "conf/probe.yaml": {"": "polyprobe.probing.settings.ProbeSettings", **_OF_BOTH},
    "conf/train.yaml": {
        "": "polyprobe.training.settings.TrainingSettings",
        "data": "polyprobe.training.settings.DataSettings",
        "trainer": _OF_TRAINER,
        **_OF_BOTH,
    },
    "conf/encoder/transformer.yaml": {"": "polyprobe.encoders.transformer.encoder_options.TransformerOptions"},
    **{f"conf/predictor/{name}.yaml": _OF_WORDS for name in ("lstm", "ngram", "random")},
    "conf/probe/mlp.yaml": {"": "polyprobe.probing.bank.probe_spec.ProbeSpec"},
    "conf/suite/own.yaml": {"": "polyprobe.probing.suites.treebank_columns.ColumnRules"},
    **{f"conf/trainer/{name}.yaml": {"": _OF_TRAINER} for name in ("cpu", "ddp", "gpu")},
    **{
        f"conf/logger/{name}.yaml": {"": "polyprobe.training.settings.LoggerSettings"}
        for name in ("csv", "wandb", "wandb_offline")
    },
}
"""By file of the configuration: the class of each of its sections; "": of the keys that are in none."""
_LINE = re.compile(r"(?P<indent> *)(?P<key>\w+):(?P<value>(?: [^#]*?)?)(?P<comment> +#.*)?")
_COLUMNS = (24, 34)  # at which comments begin, the first that is far enough
_WIDTH = 120


def commented(text: str, sections: dict[str, str]) -> str:
    """Returns the text of a file of the configuration with the comments that the fields of its sections make."""
    lines: list[str] = []
    texts, is_below = texts_of(sections.get("", "")), False
    of_section: dict[str, str] = {}
    for line in text.splitlines():
        if is_below and re.match(r" {10,}# ", line):  # more of the comment before
            continue
        read = _LINE.fullmatch(line)
        if read and not read["indent"]:
            of_section = texts_of(sections.get(read["key"], ""))
        said = {0: texts, 2: of_section}.get(len(read["indent"]), {}).get(read["key"]) if read else None
        is_below = said is not None
        lines += _with_comment(read, said) if said else [line]
    return "\n".join(lines) + "\n"


def texts_of(dotted: str) -> dict[str, str]:
    """Returns the comments on the fields of a section."""
    return {name: comment_of(one) for name, one in declared(dotted).items() if one.is_field} if dotted else {}


def _with_comment(read: re.Match, text: str) -> list[str]:
    start = f"{read['indent']}{read['key']}:{read['value'].rstrip()}"
    column = next((column for column in _COLUMNS if len(start) < column), len(start) + 3)
    first, *below = textwrap.wrap(text, max(40, _WIDTH - column - 2), break_on_hyphens=False, break_long_words=False)
    return [f"{start.ljust(column)}# {first}", *(f"{' ' * column}# {line}" for line in below)]


if __name__ == "__main__":
    for file, sections in SECTIONS.items():
        path = Path(file)
        path.write_text(commented(path.read_text(encoding="utf-8"), sections), encoding="utf-8")
