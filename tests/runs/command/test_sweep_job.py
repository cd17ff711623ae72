"""Errors of jobs and commands that a user can repair."""

import pytest

from polyprobe.runs.command.sweep_job import user_error


@pytest.mark.parametrize("name", ["gensim", "mlflow", "tensorboard", "wandb"])
def test_a_package_that_was_not_installed_is_named_with_what_adds_it(name):
    error = RuntimeError()
    error.__cause__ = ModuleNotFoundError(name=name)
    assert str(user_error(error)) == f"{name} is not installed. Expected `pip install 'polyprobe[{name}]'`."
    assert user_error(ModuleNotFoundError(name="numpy")) is None
