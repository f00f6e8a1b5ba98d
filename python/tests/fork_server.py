"""Runs the command in forks of one process that has imported Eddyline and the heavy libraries.

Most of what a small command costs are imports. A fork is a process as any other: it has its own exit code, streams,
folder and environment. No module reads its environment or the command line while it is imported.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import json
import os
import pkgutil
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMAND = Path(sys.executable).with_name("eddyline")

_LIBRARIES = (
    "PIL.Image",
    "click",
    "importlib.metadata",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_pdf",
    "matplotlib.backends.backend_svg",
    "matplotlib.figure",
    "numpy",
    "pandas",
    "pyarrow.dataset",
    "pyarrow.pandas_compat",
    "pyarrow.parquet",
    "rich.console",
    "rich.progress",
    "rich.table",
    "scipy.special",
)

_LEFT_OUT = ("eddyline.__main__", "eddyline.environment", "eddyline.papers.", "eddyline.reference")
"""Modules of ours that few commands need, or that import a library which few commands need."""


class ForkServer:
    """The process that forks, started by the first command."""

    def __init__(self, env: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,  # else the end of a short command is read with its number, and the selector never sees it
            env=env,
            process_group=0,  # Ctrl-C is for the tests
        )
        self._selector = selectors.DefaultSelector()
        assert self._process.stdout is not None
        self._selector.register(self._process.stdout, selectors.EVENT_READ)

    def run(
        self, words: Sequence[str], cwd: Path, env: dict[str, str], timeout: float, *, figures: bool = True
    ) -> tuple[int, str, str]:
        """Exit code (negative: a signal), standard output and standard error of `eddyline WORDS`.

        Without `figures` the files of figures are written, and have no content.
        """
        with tempfile.NamedTemporaryFile() as out, tempfile.NamedTemporaryFile() as err:
            request = {"words": list(words), "cwd": str(cwd), "env": env, "figures": figures}
            request["files"] = [out.name, err.name]
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
            pid = self._number()
            if not self._selector.select(timeout):
                with suppress(ProcessLookupError):  # it may end at this moment
                    os.kill(pid, signal.SIGKILL)
                self._number()
                raise subprocess.TimeoutExpired(list(words), timeout)
            code = self._number()
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(io.TextIOWrapper(io.BytesIO(file.read())).read())
        return code, *texts

    def _number(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())

    def close(self) -> None:
        """Ends it."""
        self._process.communicate()


def _serve() -> None:
    for name in _LIBRARIES:
        importlib.import_module(name)
    package = importlib.import_module("eddyline")
    for module in pkgutil.walk_packages(package.__path__, "eddyline."):
        if not module.name.startswith(_LEFT_OUT):
            importlib.import_module(module.name)
    importlib.import_module("empty_figures")
    gc.freeze()
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    for line in sys.stdin.buffer:
        if (pid := os.fork()) == 0:
            try:
                _become(**json.loads(line))
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        answers.write(f"{pid}\n")
        answers.write(f"{os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}\n")


def _become(words: list[str], cwd: str, env: dict[str, str], figures: bool, files: list[str]) -> None:
    """Is the command, in the fork."""
    from empty_figures import leave_figures_empty

    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    for fd, path, flags in ((0, os.devnull, os.O_RDONLY), (1, files[0], os.O_WRONLY), (2, files[1], os.O_WRONLY)):
        opened = os.open(path, flags)
        os.dup2(opened, fd)
        os.close(opened)
    sys.stdin = sys.__stdin__ = open(0, closefd=False)  # noqa: SIM115 - open to the end
    sys.stdout = sys.__stdout__ = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.argv = [str(COMMAND), *words]
    added = [folder for folder in env.get("PYTHONPATH", "").split(os.pathsep) if folder and folder not in sys.path]
    sys.path[:1] = [str(COMMAND.parent), *added]
    if not figures:
        leave_figures_empty(setattr)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from eddyline.cli import main

    code = main()
    # What the interpreter does at exit, but for the slow destruction of every module, whose pages a fork would copy.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    _serve()
