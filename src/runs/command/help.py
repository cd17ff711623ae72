"""What `--help` prints, from the files of conf/ alone.

python probe.py --help                          examples and the keys used most
python probe.py --help keys                     all keys of the command, with their meanings and defaults
python probe.py --help encoder                  the choices of a group, one line each
python probe.py --help encoder=transformer      the file of a choice, whose comments explain its options
"""

from collections.abc import Sequence
from pathlib import Path

from polyprobe.display.shown import shown_lines
from polyprobe.errors import UnknownChoice
from polyprobe.runs.command.overrides import REPLACED, CommandLineError
from polyprobe.runs.command.unknown_names import check_group_choice, choices, groups
from polyprobe.runs.names.conf_folders import CONF, choice_files, defaults_of, file_content
from polyprobe.runs.names.typed_command import called_as


def help_text(name: str, arguments: Sequence[str] = ()) -> str:
    """Returns what a command prints for `--help`, with what is typed beside it.

    Raises:
        CommandLineError: what is typed is neither a group nor a choice.
    """
    topics = [one for one in arguments if not one.startswith(("-", "hydra"))]
    if topics:
        return shown_lines("\n\n".join(_about(name, one) for one in topics))
    template = file_content(CONF / f"{name}.yaml")["hydra"]["help"]["template"]
    return template.replace(f"python {name}.py", called_as(name)).rstrip()


def _about(name: str, topic: str) -> str:
    group, _, typed = topic.lstrip("+").partition("=")
    if topic == "keys":
        return (CONF / f"{name}.yaml").read_text(encoding="utf-8")
    if replaced := REPLACED.get(f"{group}={typed}") or REPLACED.get(group):
        raise CommandLineError(f"--help {topic} is not there any more: {replaced}.")
    if group not in groups():
        raise CommandLineError(UnknownChoice(f"{called_as(name)} --help: group", group, [*groups(), "keys"]))
    if not typed:
        return "\n".join(
            f"  {f'{group}={one}':<34}  {first_comment(choice_files(group)[one])}" for one in choices(group, name)
        )
    return "\n\n".join(_file(name, group, one) for one in typed.strip("[]").split(","))


def first_comment(file: Path) -> str:
    """Returns the first line of a file of choices that says what the choice is."""
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    comments = [line.lstrip("# ") for line in lines if line.startswith("#")]
    return next((one for one in comments if not one.startswith("@package")), "")


def _file(name: str, group: str, choice: str) -> str:
    """Returns the file of a choice, behind those of its group that it changes."""
    check_group_choice(group, choice, name)
    file = choice_files(group)[choice]
    bases = [_file(name, group, one) for one in defaults_of(file) if isinstance(one, str) and one != "_self_"]
    place = file.relative_to(CONF.parent) if file.is_relative_to(CONF) else file
    text = file.read_text(encoding="utf-8", errors="replace").rstrip()
    return "\n\n".join([*bases, f"{group}={choice}   ({place})\n\n{text}"])
