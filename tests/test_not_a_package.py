"""polyprobe is used from its folder: pip puts none of its modules elsewhere."""

import importlib.util
import tomllib

import pytest

from tests.commands.scripts import ROOT


def backend():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]
    assert settings["requires"] == []  # nothing is fetched before pip is refused
    path = ROOT / settings["backend-path"][0] / f"{settings['build-backend']}.py"
    spec = importlib.util.spec_from_file_location("backend", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("kind", ["wheel", "sdist", "editable"])
def test_whatever_pip_wants_to_build_is_refused_in_one_sentence(kind):
    for hook in (f"get_requires_for_build_{kind}", f"build_{kind}"):
        with pytest.raises(SystemExit, match=r"no package to install: .*make setup"):
            getattr(backend(), hook)("folder", None)
