# SPDX-License-Identifier: Apache-2.0
"""Fixtures of all tests of pyclade: a context on $CLADE_DEVICE, or on a PyOpenCL queue of the same device."""
import numpy as np
import pyclade
import pytest


@pytest.fixture(scope="session")
def context():
    with pyclade.Context() as made:
        yield made


@pytest.fixture(scope="session")
def cl():
    return pytest.importorskip("pyopencl", reason="PyOpenCL is not installed")


@pytest.fixture()
def rng():
    return np.random.default_rng(2026)
