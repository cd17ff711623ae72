"""A suite whose data lie in the package: does a sentence have more vowels than consonants?"""

from pathlib import Path

from polyprobe.probing.suites.tests import Suite


def vowels(**options):
    """Returns the suite with the folder of its files."""
    return Suite(files=f"{Path(__file__).parent / 'data'}/{{test}}.txt", **options)
