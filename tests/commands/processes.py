"""Processes that a command has started."""

import subprocess


def processes_of_group(group: int) -> list[int]:
    """Returns the processes of a group that are not yet gone, the one that leads it first."""
    listed = subprocess.run(["ps", "-eo", "pgid=,pid=,stat="], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in listed.splitlines())
    return sorted(int(pid) for pgid, pid, state in rows if int(pgid) == group and not state.startswith("Z"))
