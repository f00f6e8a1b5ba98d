"""Controllers of your own: classes that scenarios may name.

`base` says what a controller hears and gives, `parameters` what its constructor may ask for, `registry` keeps the
classes by name, `sources` finds them in files and modules, `elsewhere` takes them to other processes.
"""

from eddyline.controllers.base import Ack, Controller, Loss, PathFacts, Round, Sent, Timeout
from eddyline.controllers.parameters import Bytes, Duration, Frequency, Packets, Percent, Rate
from eddyline.controllers.registry import register, registered, unregister

__all__ = [
    "Ack",
    "Bytes",
    "Controller",
    "Duration",
    "Frequency",
    "Loss",
    "Packets",
    "PathFacts",
    "Percent",
    "Rate",
    "Round",
    "Sent",
    "Timeout",
    "register",
    "registered",
    "unregister",
]
