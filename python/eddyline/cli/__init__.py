"""The command `eddyline`: one module per command, loaded when it is called.

Results go to standard output, everything else to standard error. Exit codes: 0 done; 1 it ran and something failed;
2 the input is wrong, nothing was run or written; 3 this machine cannot run that world; 130 interrupted.
"""

from eddyline.cli.entry import main

__all__ = ["main"]
