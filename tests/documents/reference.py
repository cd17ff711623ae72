"""Writes the reference pages of the site below docs/reference/: `python -m tests.documents.reference`.

Git does not keep them: the options of choices are their files, functions what their docstrings say.
"""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain, zip_longest
from pathlib import Path

import polyprobe
from polyprobe.runs.names.conf_folders import CONF, base_files, choice_files
from tests.commands.scripts import ROOT

GROUPS = ("encoder", "predictor", "probe", "suite", "task", "model", "objective", "decoder", "logger", "trainer", "job")
COMMANDS = ("train", "probe", "generate", "analyze")
FOLDER = ROOT / "docs/reference"


def page_of_group(group: str) -> str:
    """Returns the page of a group of conf/: the file of each choice, whose comments explain its options."""
    parts = [f"# `{group}=`", f"The choices of `{group}=`, as `--help {group}=…` prints them."]
    for choice in choice_files(group):
        parts += [f"## `{group}={choice}`", *map(_yaml, base_files(group, choice))]
    return "\n\n".join(parts) + "\n"


def page_of_commands() -> str:
    """Returns the page of the keys that the four commands have themselves."""
    parts = ["# Keys of the commands", "As `python <command>.py --help keys` prints them."]
    for command in COMMANDS:
        parts += [f"## `{command}.py`", _yaml(CONF / f"{command}.yaml")]
    return "\n\n".join(parts) + "\n"


def _yaml(file: Path) -> str:
    return f"```yaml\n{file.read_text(encoding='utf-8').rstrip()}\n```"


def page_of_library() -> str:
    """Returns the page of `import polyprobe as pp`: what its names are called with, and what they do."""
    parts = ["# The library's functions", "All names of `import polyprobe as pp`, from their docstrings."]
    for name in polyprobe.__all__:
        one = getattr(polyprobe, name)
        parts += [f"## `pp.{name}`", *_callable(f"pp.{name}", one)]
        for inner, member in _members(one):
            parts += [f"### `{name}.{inner}`", *_callable(inner, member)]
    return "\n\n".join(filter(None, parts)) + "\n"


PAGES: Mapping[str, Callable[[], str]] = {
    "commands.md": page_of_commands,
    **{f"{group}.md": (lambda group=group: page_of_group(group)) for group in GROUPS},
    "library.md": page_of_library,
}


def _escaped(text: str) -> str:
    """Returns a text that Markdown shows as it is: words in backquotes aside, nothing in it is markup."""
    parts = re.split(r"(`[^`]*`)", text)
    plain = [re.sub(r"([*_\[\]])", r"\\\1", one.replace("<", "&lt;")) for one in parts[::2]]
    return "".join(chain.from_iterable(zip_longest(plain, parts[1::2], fillvalue="")))


def _members(one: object) -> Iterator[tuple[str, object]]:
    if inspect.isclass(one) and not issubclass(one, Exception):
        yield from ((name, member) for name, member in vars(one).items() if name[0] != "_" and inspect.getdoc(member))


def _callable(name: str, one: object) -> list[str]:
    is_called = callable(one) and not (inspect.isclass(one) and issubclass(one, Exception))
    return [*([_signature(name, one)] if is_called else []), *_docstring(inspect.getdoc(one) or "")]


def _signature(name: str, one: Callable) -> str:
    """Returns how a function is called, an argument a line where there are many; types without their modules."""
    whole = inspect.signature(one)
    kinds = [parameter.kind for parameter in whole.parameters.values()]
    written = [str(parameter) for parameter in whole.parameters.values()]
    if inspect.Parameter.KEYWORD_ONLY in kinds:
        written.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    listed = "".join(f"\n    {one}," for one in written) + "\n" if len(written) > 4 else ", ".join(written)
    returned = "" if whole.return_annotation is whole.empty else str(whole).rpartition(")")[2]
    plain = re.sub(r"\b(?:\w+\.)+(?=[A-Z])", "", f"{name}({listed}){returned}")
    return f"```python\n{plain}\n```"


def _docstring(text: str) -> list[str]:
    """Returns a docstring of the Google style as Markdown: what stands under `Args:` as a list."""
    parts = re.split(r"^(Args|Returns|Raises):\n", text, flags=re.MULTILINE)
    found = [_escaped(parts[0].strip())]
    for head, body in zip(parts[1::2], parts[2::2], strict=True):
        entries = re.split(r"\n(?=    \S)", body.rstrip())
        found += [f"**{head}**", "\n".join(f"- {_escaped(' '.join(entry.split()))}" for entry in entries)]
    return found


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, page in PAGES.items():
        (FOLDER / file).write_text(page(), encoding="utf-8")
