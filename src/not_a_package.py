"""What pip asks how polyprobe is built (PEP 517): it is used from its folder, which `pip install .` says and ends."""

from typing import NoReturn


def build_wheel(*_: object) -> NoReturn:
    """Refuses: the modules of `src/` would lie at the top of site-packages, under names such as `models`."""
    raise SystemExit(
        "polyprobe is no package to install: in its own folder, `make setup` sets up what it needs in .venv, and "
        "`source .venv/bin/activate` lets the commands of README.md run there."
    )


build_sdist = build_editable = build_wheel
# What pip asks first, so that nothing is fetched or written before the sentence.
get_requires_for_build_wheel = get_requires_for_build_sdist = get_requires_for_build_editable = build_wheel
