"""The parts of a corpus or a test."""

SPLITS = ("train", "dev", "test")
