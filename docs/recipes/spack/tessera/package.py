"""Builds tessera from its source. Put the folder `tessera` into a repository of your own (spack repo create)."""

try:  # Spack 1.0 moved the build systems into its repository of packages
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:
    pass

from spack.package import *


class Tessera(CMakePackage):
    """A terminal console for admins of shared GPUs: nodes, MIG layouts, time-slicing and MPS, who holds what, and
    changes of layout with a preview, a journal and an undo, on Slurm and Kubernetes."""

    homepage = "https://example.org/tessera"
    git = "https://example.org/tessera.git"

    license("Apache-2.0")

    version("0.2.0", tag="v0.2.0")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("gettext", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("boost@1.81:")
    depends_on("fmt@9:")
    depends_on("yaml-cpp")
    depends_on("ncurses")
    depends_on("nlohmann-json@3.11:")
    depends_on("simdjson@3:")
    depends_on("cli11@2:")
    depends_on("utf8proc")
    depends_on("cbc@2.10:")
    depends_on("zlib-api")
    depends_on("zstd")

    conflicts("%gcc@:11", msg="tessera is written in C++20 as g++ 12 knows it")

    generator("ninja")
