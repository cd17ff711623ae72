"""Writes the comments of sections in conf/ from the texts below their fields: `python -m tests.section_comments`."""

import ast
import dataclasses
import importlib
import inspect
import itertools
import re
from pathlib import Path
from typing import Annotated, Literal, get_args, get_origin

SECTIONS = {
    "conf/generate.yaml": {
        "type_level": "polyprobe.generation.type_tests.type_level_options.TypeLevelOptions",
        "token_level": "polyprobe.generation.token_tests.token_level_options.TokenLevelOptions",
        "pseudowords": "polyprobe.generation.pseudo_tests.lexicon_words.PseudoOptions",
        "sentence_level": "polyprobe.generation.sentence_tests.labelled_sentences.SentenceOptions",
        "lm_corpus": "polyprobe.generation.text_corpora.gathered_text.CorpusOptions",
    },
    "conf/analyze.yaml": {
        "of_neurons": "polyprobe.analysis.neurons.neuron_settings.NeuronSettings",
        "of_similarity": "polyprobe.analysis.similarity.similarity_settings.SimilaritySettings",
    },
}
"""By file of the configuration: the class of each of its sections."""
_LINE = re.compile(r"(?P<indent> *)(?P<key>\w+):(?P<value>(?: [^#]*?)?)(?P<comment> +#.*)?")
_COLUMNS = (24, 34)  # at which comments begin, the first that is far enough


def commented(text: str, sections: dict[str, str]) -> str:
    """Returns the text of a file of the configuration with the comments that the fields of its sections make."""
    lines, section, texts = [], "", {}
    for line in text.splitlines():
        read = _LINE.fullmatch(line)
        if read and not read["indent"]:
            section = read["key"]
            texts = texts_of(sections[section]) if section in sections else {}
        is_field = read and len(read["indent"]) == 2 and read["key"] in texts
        lines.append(_with_comment(read, texts[read["key"]]) if is_field else line)
    return "\n".join(lines) + "\n"


def texts_of(dotted: str) -> dict[str, str]:
    """Returns the first paragraph of the text below each field of a section, as a comment says it."""
    module, _, name = dotted.rpartition(".")
    section = getattr(importlib.import_module(module), name)
    body = ast.parse(inspect.getsource(section)).body[0].body
    texts = {
        field.target.id: inspect.cleandoc(text.value.value).partition("\n\n")[0]
        for field, text in itertools.pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
    }
    fields = [field for field in dataclasses.fields(section) if field.name in texts]
    return {field.name: _as_comment(texts[field.name], field.type) for field in fields}


def _as_comment(text: str, annotation: object) -> str:
    """Returns a text as a comment; choices that it does not name stand behind it."""
    text = " ".join(text.split()).removesuffix(".")
    plain = annotation.__origin__ if get_origin(annotation) is Annotated else annotation
    choices = get_args(plain) if get_origin(plain) is Literal else ()
    if not all(re.search(rf"\b{choice}\b", text) for choice in choices):
        text = f"{text}: {', '.join(choices[:-1])} or {choices[-1]}"
    return text[0].lower() + text[1:] if re.match(r"[A-Z][a-z]*\b", text) else text


def _with_comment(read: re.Match, text: str) -> str:
    start = f"{read['indent']}{read['key']}:{read['value'].rstrip()}"
    width = next((column for column in _COLUMNS if len(start) < column), len(start) + 3)
    return f"{start.ljust(width)}# {text}"


if __name__ == "__main__":
    for file, sections in SECTIONS.items():
        path = Path(file)
        path.write_text(commented(path.read_text(encoding="utf-8"), sections), encoding="utf-8")
