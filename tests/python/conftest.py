# SPDX-License-Identifier: Apache-2.0
"""Fixtures of all tests of pyclade: a context on $CLADE_DEVICE, or on a PyOpenCL queue of the same device."""
import numpy as np
import pyclade
import pytest


def pytest_sessionstart():
    """Without the device there is nothing to test: meson takes 77 as skipped."""
    try:
        with pyclade.Context():
            pass
    except pyclade.NotFoundError as error:
        if "OpenCL device" in str(error):
            pytest.exit("skipped: %s" % error, returncode=77)
        raise


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
