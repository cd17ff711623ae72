"""Overrides as they are typed: read by Hydra's grammar, written so that they are read as they were, earlier keys."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from polyprobe.errors import PolyprobeError
from polyprobe.runs.names.conf_folders import CONF, OWN_CONF, fault_of_choices, plugin_folders

SWEEP_FLAGS = frozenset({"-m", "--multirun", "hydra.mode=MULTIRUN"})

_LONG = {"-c": "--cfg", "-cd": "--config-dir", "-cn": "--config-name", "-i": "--info", "-p": "--package"}
"""Hydra's flags that take a value."""
_FLAGS = {"--help", "-h", "--hydra-help", "--version", "--resolve", "--run", "-r", "--multirun", "-m", *_LONG.values()}
_PLAIN = re.compile(r"[\w./@?-]+", re.ASCII)  # text that the grammar of overrides takes as it is
_OTHERWISE = re.compile(r"[+-]?([._]*\d[\d._]*(e[+-]?\d[\d_]*)?|inf|nan)|true|false|null", re.ASCII | re.IGNORECASE)
_QUOTES = """Quote lists with blanks, and names with characters other than letters and digits: 'tests=["a=b",c]'."""
COMMANDS = ("train", "probe", "generate", "analyze")
_COMPARED = "python -m published.compare WORK sets published numbers beside those of your runs"
REPLACED = {
    **dict.fromkeys(("card", "claims", "expected", "published"), _COMPARED),
    "apply": "python analyze.py job=apply run=RUN text=FILE",
    "data.upos_run": "parsers read gold tags or none",
    "cache.kept_words": "vectors of the words that tests ask for are kept",
    "clean": "a run is its folder below runs/, which can be deleted; so can cache/",
    "confirm": "long runs start without it",
    "disk": "du -sh runs/*/* cache/* shows the space",
    **{
        f"experiment=diagnosis_{one}": "experiment=diagnosis, whose --help has the four commands"
        for one in ("fi_token", "fi_type", "tr_token", "tr_type")
    },
    "experiment=clams_lstm_multi": "experiment=clams_lstm 'data.languages=[en,fr,de,ru,he]'",
    "experiment=eger2020_tfidf": "suite=eger2020 encoder=tfidf 'tests=[BShift,SubjNum,Voice,SVDist]'",
    "experiment=learned_dep": "task=dep task.datamodule.batch_sentences=128",
    "experiment=learned_ner": "task=ner",
    "experiment=learned_nli": "task=nli model=esim_small encoder.word_size=100",
    "experiment=learned_pos": "task=pos",
    "experiment=rusenteval_gapping_tfidf": "lang=ru suite=rusenteval encoder=tfidf 'tests=[Gapping]'",
    "experiment=senteval_figure3_nmt": "experiment=senteval_figure1 data.target=fr model.encoder.hidden_size=64,128",
    "experiment=senteval_table3_attention": "experiment=senteval_table3_nmt model=bilstm_last decoder=attention",
    "experiment=xprobe_tfidf": "suite=xprobe encoder=tfidf",
    "download": "a broken download begins anew, five times",
    "export": "job=export folder=FOLDER",
    "model=biaffine_parser_allennlp": "model=biaffine_parser is the parser",
    "of_neurons": "its keys stand alone, such as job=neurons run=RUN rankings=[weights]",
    "of_neurons.gaussian_neurons": "rankings are weights, probeless, mean_select, iou and random",
    "of_neurons.scale": "probe.scale=standard scales neurons before the probes are trained",
    "of_similarity": "its keys stand alone, such as job=similarity runs=[RUN,RUN] sample=500",
    "paths.conf": "--config-dir FOLDER is the folder of your own choices",
    "pictures": "axes reach from the lowest baseline to the highest interval",
    "predict": "in the library, pp.open_run(run).predict(sentences) labels sentences",
    "predictor=ngram": "unigrams of the same text are the baseline of task=lm",
    "reader": "docs/corpora.md describes the readers",
    "score": "train.py counts as the official scorers do; files of other programs go to those themselves",
    "suite=lm_corpus": "task=lm reads a text of yours: data=<file>",
    "suite=syntaxgym": "the package of its authors, or its sentences by predictor=log_probabilities",
    "sweep": "-m key=a,b sweeps; in a file of conf/experiment it is hydra.sweeper.params",
    "verify": "a damaged file is found when it is read",
}
"""Keys and choices of earlier versions: what takes their place."""
REPLACED_JOBS = {
    **{job: f"job={job} run=RUN" for job in ("layers", "confusion", "neurons")},
    **{job: f"job={job} runs=[RUN,RUN]" for job in ("compare", "table", "curves", "similarity")},
    "cite": "job=cite run=RUN, or runs=[RUN,RUN]",
    "complexity": "job=complexity table=FILE",
    "correlate": "job=correlate scores=runs",
    "report": "job=report, run=RUN for the page of one, runs=[RUN,RUN] to compare",
}
"""Keys of analyze.py in earlier versions: the job that takes their place."""


class CommandLineError(PolyprobeError):
    """An argument names no key or no choice of the configuration; the scripts end with code 2."""


def with_flags_first(arguments: Sequence[str]) -> list[str]:
    """Puts Hydra's flags before the overrides, each with its value: Hydra's parser refuses one between overrides.

    Raises:
        CommandLineError: a flag is of no use here.
    """
    flags, overrides, remaining = [], [], list(arguments)
    while remaining:
        flag, equals, value = remaining.pop(0).partition("=")
        flag = _LONG.get(flag, flag)
        if not flag.startswith("-"):
            overrides.append(f"{flag}{equals}{value}")
            continue
        if flag not in _FLAGS:
            raise CommandLineError(f"There is no flag {flag}. Keys are typed as {flag.strip('-')}=<value>.")
        if flag in _LONG.values() and not equals:
            has_value = remaining and not (flag == "--info" and "=" in remaining[0])
            equals, value = "=", remaining.pop(0) if has_value else "all" if flag == "--info" else ""
        flags.append(f"{flag}{equals}{value}")
    return [*flags, *overrides]


def without_own_folder(arguments: Sequence[str]) -> list[str]:
    """Removes the folder of own choices, `--config-dir=FOLDER`, from the arguments.

    It is kept in the environment (`POLYPROBE_CONF`, which may also name it), for this process and those it starts.

    Raises:
        CommandLineError: there is no such folder, or it has no choices.
    """
    typed = [one for one in arguments if one.startswith("--config-dir=")]
    folder = typed[-1].partition("=")[2] if typed else os.environ.get(OWN_CONF)
    if typed or folder:
        place = Path(os.path.abspath(Path(folder or "").expanduser()))
        if not folder or not place.is_dir():
            raise CommandLineError(f"--config-dir: there is no folder {place if folder else 'named'}.")
        if fault := fault_of_choices(place, [CONF, *plugin_folders()]):
            raise CommandLineError(f"--config-dir: {fault}")
        os.environ[OWN_CONF] = str(place)
    return [one for one in arguments if one not in typed]


def with_quoted_texts(arguments: Sequence[str]) -> list[str]:
    """Quotes texts that Hydra's grammar refuses as they are, such as `/home/müller/w (new)`, and expands their `~`."""
    return [_with_quoted_text(one) for one in arguments]


def _with_quoted_text(typed: str) -> str:
    key, equals, value = typed.partition("=")
    if not equals or key.startswith("-") or "${" in value or value.startswith(("[", "{", "'", '"')):
        return typed
    with suppress(CommandLineError):
        parsed([typed])
        return typed
    return f"{key}={','.join(typed_value(os.path.expanduser(one)) for one in value.split(','))}"


def parsed(overrides: Sequence[str]) -> list[Any]:
    """Reads overrides by Hydra's grammar; `glob` finds choices inside `compose.composing`.

    Raises:
        CommandLineError: one cannot be read.
    """
    from hydra.core.global_hydra import GlobalHydra
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    hydra, read = GlobalHydra.instance(), []
    parser = OverridesParser.create(hydra.config_loader() if hydra.is_initialized() else None)
    for one in overrides:
        try:
            read += parser.parse_overrides([one])
        except HydraException as error:
            if "=" not in one and not one.startswith("~"):
                meant = f"Did you mean data={one}?" if Path(one).exists() else "Expected, for example, lang=fi."
                raise CommandLineError(f'"{one}" is not key=value. {meant}') from error
            found = f'"{one}" cannot be read as key=value ({str(error).splitlines()[0]})'
            raise CommandLineError(f"{found}. {_QUOTES}") from error
    return read


def typed_value(value: Any) -> str:
    """Writes a value as it is typed: composed, it is the same again, whatever a text holds.

    No text is an interpolation, also where a file says `${oc.env:HOME}`. "???" alone is a value that must be given.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {typed_value(one)}' for key, one in value.items())}}}"
    if isinstance(value, Iterable) and not isinstance(value, str):
        return f"[{','.join(map(typed_value, value))}]"
    text = str(value)
    if isinstance(value, int | float) or (_PLAIN.fullmatch(text) and not _OTHERWISE.fullmatch(text)):
        return text
    quoted = re.sub(r'(\\*)("|\Z)', lambda found: found[1] * 2 + '\\"' * len(found[2]), literal(text))
    return f'"{quoted}"'


def escaped(value: Any) -> Any:
    """Returns a value of Python as OmegaConf takes it, with no interpolation in a text."""
    if isinstance(value, Mapping):
        return {str(key): escaped(one) for key, one in value.items()}
    if isinstance(value, str | Path):
        return literal(str(value))
    if isinstance(value, Iterable):
        return [escaped(one) for one in value]
    return value.item() if hasattr(value, "item") else value  # of numpy


def literal(text: str) -> str:
    """Writes a text so that OmegaConf finds no interpolation in it: it halves backslashes before `${` alone."""
    return re.sub(r"(\\*)\$\{", r"\1\1\\${", text)


def text_of(typed: str) -> str:
    """Returns a text as it was before `typed_value`; one without quotation marks is what it says.

    Raises:
        CommandLineError: the quotation marks enclose no single text.
    """
    if len(typed) < 2 or typed[0] != typed[-1] or typed[0] not in "'\"":
        return typed
    (read,) = parsed([f"text={typed}"])
    return re.sub(r"(\\+)\$\{", lambda found: found[1][: len(found[1]) // 2] + "${", str(read.value()))
