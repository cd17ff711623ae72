"""Runs of probe.py from their settings."""

from polyprobe.probing.minimal_sets.run import MinimalSetStudy
from polyprobe.probing.minimal_sets.settings import MinimalSetSettings
from polyprobe.probing.run import ProbingStudy
from polyprobe.probing.settings import ProbingSettings
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.study import done


def probe(settings: ProbingSettings) -> RunDirectory:
    return done(ProbingStudy(settings))


def score_minimal_sets(settings: MinimalSetSettings) -> RunDirectory:
    return done(MinimalSetStudy(settings))
