"""What the tests of the package share: answers about known places, and the command."""

import os
import signal
import subprocess

import numpy as np
import pytest

import alidade

signal.signal(signal.SIGINT, signal.default_int_handler)  # also where a shell runs the tests in the background


@pytest.fixture(scope="session")
def places():
    return np.random.default_rng(3).normal(size=(25, 2))


@pytest.fixture(scope="session")
def triplets(places):
    return alidade.triplets_of(places, 3000, noise=0.05, random_state=5)


@pytest.fixture(scope="session")
def command():
    """Runs `alidade` and returns what it ended with."""
    program = os.environ.get("ALIDADE_COMMAND")
    if not program:
        pytest.skip("ALIDADE_COMMAND does not name the command")

    def run(*arguments, **options):
        return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, **options)

    return run
