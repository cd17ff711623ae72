"""Holds what all commands do on lang=mini against golden.json: python -m tests.golden (see --help)."""

import argparse
import importlib
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).with_name("golden.json")
# With these, numbers are equal on all processors of the last years, and messages on all terminals; no network is tried.
ENVIRONMENT = {
    "ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "OPENBLAS_CORETYPE": "Haswell",
    "MKL_CBWR": "COMPATIBLE",
    "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR",
    "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC", "COLUMNS": "120", "TERM": "dumb",
    "POLYPROBE_DATA": "../data", "HF_HUB_OFFLINE": "1", "WANDB_MODE": "offline", "MPLBACKEND": "agg",
    "PATH": str(Path(sys.executable).parent),  # where no srun is, of which Lightning would speak
    **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9"),
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("--record", action="store_true", help="write golden.json anew")
    parser.add_argument("--work", type=Path, help="a folder that is not there yet, which is kept")
    parser.add_argument("groups", nargs="*", help="of commands.txt and refused.txt; none: all")
    options = parser.parse_args()
    with ExitStack() as stack:
        work = options.work or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="golden")), "work")
        work.mkdir()
        found = recorded(work.resolve(), options.groups)
    expected = json.loads(GOLDEN.read_text(encoding="utf-8")) if GOLDEN.exists() else {}
    if options.record:
        kept = {**(expected if options.groups else {}), **found}
        plain = {group: {name: _without_text(one) for name, one in records.items()} for group, records in kept.items()}
        GOLDEN.write_text(json.dumps(plain, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    lines = [line for group in found for line in changes(group, expected.get(group, {}), found[group])]
    print("\n".join(lines) or "Nothing changed.")
    return int(bool(lines) and not options.record)


def recorded(work: Path, names: list[str]) -> dict[str, Any]:
    """Runs all groups, two at a time, and says how long that took."""
    from tests.golden.material import write_material
    from tests.golden.recording import commands, record_group

    began = time.monotonic()
    _import_all()
    groups = commands()
    found = {"corpora": record_group(work, "corpora", groups.pop("corpora"))}
    write_material(work, next((work / "corpora/cache").glob("mini-*")))
    chosen = {name: groups[name] for name in names or groups}
    with ProcessPoolExecutor(2, get_context("fork")) as pool:
        jobs = {name: pool.submit(record_group, work, name, listed) for name, listed in chosen.items()}
        found |= {name: job.result() for name, job in jobs.items()}
    used = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    n_commands = sum(map(len, found.values()))
    print(f"{n_commands} commands, {time.monotonic() - began:.0f} s, {used:.0f} s of processors", file=sys.stderr)
    return found


def _import_all() -> None:
    """Imports all code once, before it is forked: whatever its modules are named."""
    for path in sorted(Path("src").rglob("*.py")):
        importlib.import_module(".".join(path.with_suffix("").parts).removesuffix(".__init__"))


def _without_text(record: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != "text"}


def changes(group: str, expected: dict[str, Any], found: dict[str, Any]) -> Iterator[str]:
    """Says what differs between two recordings of a group: command, files, first lines of what it prints."""
    for name in [*expected, *(name for name in found if name not in expected)]:
        old, new = expected.get(name, {}), found.get(name, {})
        lines = [*_of_values(old.get("code"), new.get("code"), "exit code"), *_of_texts(old.get("said"), new)]
        lines += _of_values(old.get("files", {}), new.get("files", {}), "")
        if lines:
            yield f"[{group}] {name}"
            yield from (f"    {line}" for line in lines)


def _of_values(old: Any, new: Any, place: str) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            yield from _of_values(old.get(key), new.get(key), f"{place}{key}")
    elif old != new:
        yield f"{place}: was {json.dumps(old)}, is {json.dumps(new)}"


def _of_texts(old: str | list[str] | None, new: dict[str, Any]) -> Iterator[str]:
    from tests.golden.recording import line_digests

    if old == new.get("said"):
        return
    text = new.get("text", "")
    if isinstance(old, str):
        yield from (f"was  {line}" for line in old.splitlines() if line not in text.splitlines())
        known = {*line_digests(old)}
    else:
        digits = old[1] if old else ""
        known = {digits[place : place + 4] for place in range(0, len(digits), 4)}
    other = [line for line, digest in zip(text.splitlines(), line_digests(text), strict=True) if digest not in known]
    yield f"prints otherwise: {len(other)} lines that it did not print"
    yield from (f"is   {line}" for line in other[:8])


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.execve(sys.executable, [sys.executable, "-m", "tests.golden", *sys.argv[1:]], {**os.environ, **ENVIRONMENT})
    sys.exit(main())
