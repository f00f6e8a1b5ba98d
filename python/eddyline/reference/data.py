"""The pages on what comes out: results, series and packet logs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline._core import Run
from eddyline.reference.markdown import code, page, table
from eddyline.reference.schema import fields_in_order

if TYPE_CHECKING:
    from eddyline.reference.schema import Json, Schema

__all__ = ["PACKET_LOG", "packet_log_page", "result_page", "series_page"]

_RESULT = """\
The result has the same structure in every world: `eddyline run FILE --json`, `result.json` in an output folder,
`Result.to_dict()` in Python. `Result.flows`, `.links`, `.groups`, `.arrivals`, `.traffic` and `.probes` are pandas
frames of the lists, with nested fields as dotted columns (`rtt_s.mean`); those of several results (`run(seeds=N)`)
begin with the column `seed` or `world`. Units are SI. A value that a world cannot determine is `null`. Means and
counts are exact; percentiles are those of nearest rank, interpolated in a log-linear histogram: their relative error
is at most 1/128, and they are within the range of the samples. So are the trimmed means of flows' round-trip times, of
which `responsiveness_rpm` of flows and `loaded_rpm` are made; those of probes' requests are exact.

`--out --csv` writes the frames as `flows.csv`, `links.csv`, ..., where lists (`by_size`) are JSON. Without `--out`,
`--csv` prints a row per number: `world`, `seed`, `kind` (`flow`, `link`, `group`, `arrival`, `traffic` or `probe`),
`name`, `quantity` (`rtt_s.mean`), `value`; truth values are 0 and 1, texts and lists are left out.

`--seeds N` gives `{"runs": [...], "summary": ...}`: in the summary each number is `{"mean", "sd", "ci95": [low,
high], "n"}`, where `n` runs have it. Entries of lists are those of one name, or of one size class in `by_size`, whose
limits stay plain numbers; lists of sentences have each that a run has. `eddyline schema result` prints the JSON Schema
from which this page is made."""

_SERIES = """\
Series are recorded every `record.interval` with `--out` (`series.parquet`) and with `--plot`. In Python they are in
`Result.series`, by default for up to 200 flows and links, otherwise with `run(..., series=True)`. Each row is one
value of one quantity of one flow or link. Instantaneous values are sampled at the end of each interval; rates and
counts cover the interval. What arrives at the very end of an interval is in it; what senders and cross traffic begin at
that moment is in the next one, and at the end of a run in none, though the result counts it. Where `record.interval`
does not divide `duration`, what remains after the last whole interval has no row. `eddyline schema series`
prints the quantities as JSON Schema."""

_LOG = """\
`eddyline run FILE --log FILE.parquet` records every packet event of worlds `sim` and `quic`; `--log-of NAME`
restricts it to one flow, link, traffic or arrivals table. In Python, `run(..., log=True)` or `log=NAME` records it
for `Result.log`. Rows are in order of time. `--log FILE.txt` writes the same columns as text, one event per line:
names in double quotes, `"-"` for no link, `R` at the end for a retransmission. Both are written while the run goes
on, 65,536 rows at a time, so that memory does not grow with its length; the file has its name when the run is over.
What `run(..., log=True)` keeps in memory takes 31 bytes a row."""

PACKET_LOG = {
    "time_s": ("float", "s", "Time of the event."),
    "event": ("text", "", "What happened: see below."),
    "packet": ("text", "", "Kind of packet: see below."),
    "source": (
        "text",
        "",
        "Flow, traffic, probe or table of arrivals of the packet; of an ACK, the flow whose data it acknowledges.",
    ),
    "link": ("text", "", "Link at which the event took place; null at an endpoint."),
    "seq": (
        "integer",
        "B",
        "First payload byte of a data packet; cumulative acknowledgement number of an ACK. In world `quic`, where "
        "neither can be read from a packet, the number of the datagram instead: each end of a connection counts its "
        "own from 0.",
    ),
    "bytes": ("integer", "B", "Size on the wire."),
    "retransmission": (
        "boolean",
        "",
        "Whether the data packet is a retransmission; never in world `quic`, where what is lost goes in new packets.",
    ),
}
"""Columns of the packet log: type, unit, meaning."""

_EVENTS = {
    "send": "An endpoint sends the packet; at a link, ACK reconstruction creates it.",
    "enqueue": "The packet arrives at a link and is accepted.",
    "drop": "The packet is dropped by the link's queue or policer.",
    "lost": "The packet, which the link's loss model selected at its transmission, would have arrived.",
    "receive": "The packet arrives at an endpoint.",
    "corrupted": "The packet arrives at an endpoint damaged (`corrupt`) and is dropped.",
}
_PACKETS = {
    "data": "Data packet.",
    "syn": "First packet of the handshake.",
    "syn-ack": "Reply to the SYN.",
    "ack": "Acknowledgement without data.",
    "fin": "Packet that closes the connection; in world `quic` also what the data's sender sends besides data after "
    "the handshake, such as short probes, of flows without end too.",
    "cross": "Packet of traffic or of a probe.",
}


def result_page(schema: Schema) -> str:
    """`result.md`: every field with type, unit and meaning."""
    link = {name: f"#{name.lower()}" for name in schema.definitions}
    names = schema.reached({key: value for key, value in schema.root.items() if key != "$defs"})
    parts = [("The document", schema.root), *((f"`{name}`", schema.definitions[name]) for name in names)]
    return page(
        "Result",
        _RESULT,
        *(
            text
            for heading, definition in parts
            for text in (f"## {heading}", definition["description"], _fields(schema, definition, link))
        ),
    )


def _fields(schema: Schema, definition: Json, link: dict[str, str]) -> str:
    required = definition.get("required", [])
    rows = []
    for name, field in fields_in_order(definition).items():
        description = field["description"] + ("" if name in required else " Optional.")
        rows.append((code(name), schema.types(field, link), field.get("x-unit", ""), description))
    return table(("field", "type", "unit", "meaning"), rows)


def series_page(schema: Schema) -> str:
    """`series.md`: columns and quantities."""
    columns = (
        ("`time_s`", "float", "s", "End of the interval."),
        ("`kind`", "text", "", "`flow` or `link`."),
        ("`entity`", "text", "", "Name of the flow or link."),
        ("`quantity`", "text", "", "One of the quantities below."),
        ("`value`", "float", "as below", "The value."),
    )
    quantities = schema.root["oneOf"]
    rows = [(code(q["const"]), q["x-of"], q["x-unit"], q["description"]) for q in quantities]
    return page(
        "Series",
        _SERIES,
        "## Columns",
        table(("column", "type", "unit", "meaning"), columns),
        "## Quantities",
        table(("quantity", "of", "unit", "meaning"), rows),
    )


def packet_log_page() -> str:
    """`packet-log.md`: columns, events and kinds of packets."""
    return page(
        "Packet log",
        _LOG,
        "## Columns",
        table(("column", "type", "unit", "meaning"), [(code(name), *rest) for name, rest in PACKET_LOG.items()]),
        "## Events",
        table(("event", "meaning"), [(code(name), _EVENTS[name]) for name in Run.EVENTS]),
        "## Kinds of packets",
        table(("packet", "meaning"), [(code(name), _PACKETS[name]) for name in Run.PACKETS]),
    )
