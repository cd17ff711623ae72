"""`import polyprobe` is there at once."""

import subprocess
import sys

import polyprobe as pp

IMPORTED = """
import sys
before = set(sys.modules)
import polyprobe
print(*{name.partition(".")[0] for name in set(sys.modules) - before} - sys.stdlib_module_names)
"""


def test_it_imports_itself_alone():
    ended = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["polyprobe"]


def test_what_is_imported_later_draws_no_number_of_the_caller():
    later = "import random; before = random.getstate(); import polyprobe; polyprobe.probe"
    subprocess.run([sys.executable, "-c", f"{later}; assert random.getstate() == before"], check=True)


def test_every_name_is_there():
    assert all(callable(getattr(pp, name)) for name in pp.__all__)
    assert dir(pp) == sorted([*pp.__all__, "__version__"])
