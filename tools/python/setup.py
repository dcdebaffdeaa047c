# SPDX-License-Identifier: Apache-2.0
"""A wheel with the C library and its kernels inside, built by meson from the tree that this file lies in.

  pip install ./tools/python              from a checkout; needs what tools/prepare build installs
  pip wheel --no-deps ./tools/python      a wheel for this machine's processor and C library
"""
import os
import re
import shutil
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from wheel.bdist_wheel import bdist_wheel
except ImportError:
    from setuptools.command.bdist_wheel import bdist_wheel

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def version():
    with open(os.path.join(ROOT, "include", "clade", "version.h"), encoding="utf-8") as f:
        return ".".join(re.findall(r"^#define CLADE_VERSION_[MP]\w* +(\d+)", f.read(), re.M))


class WithLibrary(build_py):
    """Beside the Python files: lib/libclade.so, kernels/, and the module _pyclade."""

    def run(self):
        super().run()
        work = os.path.abspath(os.path.join(self.get_finalized_command("build").build_temp, "clade"))
        build, installed = os.path.join(work, "build"), os.path.join(work, "installed")
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work)
        subprocess.check_call(["meson", "setup", "--buildtype=release", "-Dtests=disabled", "--prefix=/clade",
                               "--libdir=lib", build, ROOT])
        subprocess.check_call(["meson", "compile", "-C", build, "clade:shared_library"])
        package = os.path.join(self.build_lib, "pyclade")
        os.makedirs(os.path.join(package, "lib"), exist_ok=True)
        shutil.copy(os.path.realpath(os.path.join(build, "lib", "libclade.so")),
                    os.path.join(package, "lib", "libclade.so"))
        kernels = os.path.join(package, "kernels")
        shutil.rmtree(kernels, ignore_errors=True)
        shutil.copytree(os.path.join(ROOT, "cl"), kernels, ignore=shutil.ignore_patterns("meson.build"))
        shutil.copytree(os.path.join(ROOT, "include", "clade", "shared"), os.path.join(kernels, "clade", "shared"))
        shutil.copy(os.path.join(ROOT, "LICENSE"), package)
        subprocess.check_call([sys.executable, os.path.join(HERE, "bindings.py"), os.path.join(ROOT, "include"),
                               os.path.join(self.build_lib, "_pyclade.py")])


class WithMachineCode(Distribution):
    """So that the package goes where a Python keeps machine code, and its wheel says so."""

    def has_ext_modules(self):
        return True


class ForThisMachine(bdist_wheel):
    """The library is machine code, but not an extension of one Python."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(version=version(), distclass=WithMachineCode, packages=["pyclade"], package_data={"pyclade": ["py.typed"]},
      cmdclass={"build_py": WithLibrary, "bdist_wheel": ForThisMachine})
