"""What `--help` prints, from the files of conf/ alone.

python probe.py --help                          examples and the keys used most
python probe.py --help keys                     all keys of the command, with their meanings and defaults
python probe.py --help encoder                  the choices of a group, one line each
python probe.py --help encoder=transformer      the file of a choice, whose comments explain its options
"""

from collections.abc import Sequence

from polyprobe.display.shown import shown_lines
from polyprobe.errors import UnknownChoice
from polyprobe.runs.command.overrides import REPLACED, CommandLineError
from polyprobe.runs.command.unknown_names import check_group_choice, choices, groups
from polyprobe.runs.names.conf_folders import CONF, base_files, choice_text, file_content
from polyprobe.runs.names.typed_command import called_as


def help_text(name: str, arguments: Sequence[str] = ()) -> str:
    """Returns what a command prints for `--help`, with what is typed beside it.

    Raises:
        CommandLineError: what is typed is neither a group nor a choice.
    """
    typed = [one for one in arguments if not one.startswith(("-", "hydra"))]
    topics = [one for one in typed if "=" not in one or one.lstrip("+").partition("=")[0] in groups()] or typed
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
            f"  {f'{group}={one}':<34}  {first_comment(choice_text(group, one))}" for one in choices(group, name)
        )
    return "\n\n".join(_files(name, group, one) for one in typed.strip("[]").split(","))


def first_comment(text: str) -> str:
    """Returns the first line of a file of choices that says what the choice is."""
    comments = [line.lstrip("# ") for line in text.splitlines() if line.startswith("#")]
    return next((one for one in comments if not one.startswith("@package")), "")


def _files(name: str, group: str, choice: str) -> str:
    """Returns the file of a choice, behind those of its group that it changes."""
    check_group_choice(group, choice, name)
    *bases, own = base_files(group, choice)
    texts = {file: (file.stem, file.read_text(encoding="utf-8", errors="replace")) for file in bases}
    texts[own] = (choice, choice_text(group, choice))
    places = [file.relative_to(CONF.parent) if file.is_relative_to(CONF) else file for file in texts]
    shown = zip(places, texts.values(), strict=True)
    return "\n\n".join(f"{group}={name}   ({place})\n\n{text.rstrip()}" for place, (name, text) in shown)
