"""Whole scenarios that `eddyline init --preset` knows besides access links."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["SCENARIOS", "Template"]


class Template(NamedTuple):
    """A scenario file to start from.

    Attributes:
        summary: What it is.
        text: The file, with `{file}` for its name and `{controller}` for a controller.
        kind: The controller of its flows, unless another is asked for.
        next_key: What stands between two keys of a flow.
    """

    summary: str
    text: str
    kind: str
    next_key: str


_RRUL = """\
# Realtime response under load, the test of a line that flent made popular: four downloads and four uploads fill the
# line in both directions, and probes measure what a new connection and a small request see meanwhile. Run it:
#   eddyline run {file}
#   eddyline run {file} --set 'link.*.queue.kind=fq_codel'   with another queue, or cake, pie, codel
#   eddyline run {file} --set 'link.down.rate=100 Mbit/s'    on another line: buffers in time follow
#   eddyline run {file} --plot rrul.png
# "RPM" are round trips a minute (draft-ietf-ippm-responsiveness); the grade is by the increase of a request's latency
# under load, without the handshakes before it.

title    = "realtime response under load"
duration = "60 s"
warmup   = "10 s"     # summaries start here
seed     = 1

[[link]]
name  = "down"
rate  = "50 Mbit/s"
delay = "10 ms"
queue = {{ kind = "droptail", limit = "100 ms" }}

[[link]]
name  = "up"
rate  = "10 Mbit/s"
delay = "10 ms"
queue = {{ kind = "droptail", limit = "200 ms" }}

[[flow]]
name         = "downloads"
controller   = {controller}
data         = ["down"]
ack          = ["up"]
count        = 4
delayed_ack  = true        # as Linux, Windows and macOS do
start        = "5 s"
start_jitter = "100 ms"

[[flow]]
name         = "uploads"
controller   = {controller}
data         = ["up"]
ack          = ["down"]
count        = 4
delayed_ack  = true        # as Linux, Windows and macOS do
start        = "5 s"
start_jitter = "100 ms"

[[probe]]
name  = "web"          # a TCP handshake, a TLS handshake and a request, ten times a second
data  = ["up"]
ack   = ["down"]
every = "100 ms"
"""

_UPLOAD = """\
# An upload starts while a download is running, and its acknowledgements wait behind the upload's data. Run it:
#   eddyline run {file} --plot upload.png
#   eddyline run {file} --set 'duplex.home.up.queue={{ kind = "droptail", limit = "10 packets" }}'
#   eddyline run {file} --set duplex.home.preset=vdsl2         on another line
title    = "an upload starts while a download is running"
duration = "120 s"
warmup   = "40 s"                                        # summaries cover what comes after
record   = {{ interval = "1 s" }}
duplex   = [{{ name = "home", preset = "wimax-2009" }}]    # two links: 2 Mbit/s down, 192 kbit/s up

flow = [
  {{ name = "download", controller = {controller}, data = ["home/down"], ack = ["home/up"] }},
  {{ name = "upload", controller = {controller}, data = ["home/up"], ack = ["home/down"], start = "20 s" }},
]
"""

SCENARIOS = {
    "upload": Template(
        "an upload starts while a download is running, on 2 Mbit/s down and 192 kbit/s up", _UPLOAD, "newreno", ", "
    ),
    "rrul": Template(
        "realtime response under load: four downloads, four uploads, latency probes", _RRUL, "cubic", "\n"
    ),
}
"""Templates by name."""
