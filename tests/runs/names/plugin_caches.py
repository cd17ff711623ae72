"""What a process remembers of installed packages, forgotten where a test installs some."""

from collections.abc import Iterator
from contextlib import contextmanager

from polyprobe.metrics import probe_metrics
from polyprobe.runs.names import conf_folders, plugins

_REMEMBERED = (
    plugins.plugins,
    conf_folders.plugin_folders,
    probe_metrics.columns_of_layers,
    probe_metrics.probing_row,
)


@contextmanager
def forgotten() -> Iterator[None]:
    """Forgets installed packages before and after a block."""
    for one in _REMEMBERED:
        one.cache_clear()
    try:
        yield
    finally:
        for one in _REMEMBERED:
            one.cache_clear()
