"""The pages on the scenario file: its tables, the controllers and the queues."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from eddyline.reference.markdown import code, page, table
from eddyline.reference.schema import default, fields_in_order, kind_of, limits

if TYPE_CHECKING:
    from eddyline.reference.schema import Json, Schema

__all__ = ["kinds_page", "scenario_page"]

_HEADS = ("key", "type", "default", "range", "meaning")
_TABLES = {
    "Link": "`[[link]]`",
    "Duplex": "`[[duplex]]`",
    "Flow": "`[[flow]]`",
    "Traffic": "`[[traffic]]`",
    "Probe": "`[[probe]]`",
    "Arrivals": "`[[arrivals]]`",
    "Expect": "`[[expect]]`",
    "Record": "`[record]`",
}
_CHOICES = {"controllers": "ControllerParams", "queues": "QueueParams"}

_INTRODUCTION = """\
A scenario is a TOML file, a JSON file of the same structure (its name ends in `.json`), or a Python dict. Relative
paths in it are relative to the folder of the file (in a dict, to the working directory). Names are unique across
links, flows, traffic, arrivals and probes. `eddyline schema` prints the JSON Schema from which this page is made;
`eddyline init FILE` writes a commented example. All errors of a file are reported at once, except that what several
keys of a table must be together, such as `stop` after `start`, is checked once each key of the table is valid."""

_QUANTITIES = """\
## Quantities

A quantity is a text: a number, a space and a unit, as in `"1.5 Mbit/s"`. The number may have decimals and an
exponent; it is rounded to the nearest base unit. The space may be missing (`"20ms"`), and rates may be written with
`Mbps`, `Mb/s` or `Mbit`, with any of the prefixes. A bare number where a unit is required is an error. Decimal
prefixes are powers of ten."""

_UNITS = (
    ("time", "`ps ns us ms s min h d`", '`"20 ms"`'),
    ("rate", "`bit/s kbit/s Mbit/s Gbit/s Tbit/s`", '`"10 Mbit/s"`'),
    ("bytes", "`B kB KiB MB MiB GB GiB`", '`"1500 B"`'),
    ("packets", "`packets`", '`"100 packets"`'),
    ("frequency", "`/s`", '`"0.5 /s"`'),
    ("percent", "`%`", '`"3 %"`'),
    (
        "queue limit",
        "`packets`, a unit of bytes, `cells` (ATM), a time, `BDP`, or the word `unlimited`",
        '`"50 packets"`',
    ),
)

_LIMITS = """\
A queue limit as a time is what the link transmits in that time, in bytes without framing: on a link with framing it
is as much longer as packets are. `"1 BDP"` is the link's rate times the longest base RTT of the flows whose data
crosses it (`count = 0` leaves a flow out, unless there are no others), `"1 BDP of NAME"` takes the base RTT of that
flow, `"1 BDP of 40 ms"` the given one. A base RTT here is the sum of the keys `delay` and `access_delay` along the
path and back; what a recording adds is not in it. The rate is the key `rate`, also beside a recording that gives
others; left out there, it is the recording's mean. The canonical form has the bytes that come out."""

_KEYS = """\
## Naming a key from outside

`--set`, `--vary`, maps and `expect.of` name keys as TOML's dotted keys do, with tables by name: `link.forward.rate`,
`flow."flow 1".controller.alpha`, `flow.*.controller.kind`, `duration`.

A `kind` that is set alone has its own defaults. Of the file's parameters those remain that have the same type in both
kinds and for which the new one has no default, or the same (the `alpha` of `fast` for `vfast`, not for `vegas`), and
the `limit` of a queue."""


def scenario_page(schema: Schema) -> str:
    """`scenario.md`: every table and type of the scenario file but controllers and queues."""
    link = _links(schema, "scenario.md")
    root = {key: value for key, value in schema.root.items() if key != "$defs"}
    return page(
        "Scenario file",
        _INTRODUCTION,
        _QUANTITIES,
        table(("quantity", "units", "example"), _UNITS),
        _LIMITS,
        _KEYS,
        "## Top level",
        _fields(schema, root, link),
        *(part for name, heading in _TABLES.items() for part in _section(schema, name, f"## {heading}", link)),
        "## Types",
        *(part for name in _types(schema) for part in _section(schema, name, f"### `{name}`", link)),
    )


def kinds_page(schema: Schema, register: list[dict[str, str]], noun: str) -> str:
    """`controllers.md` or `queues.md`: each kind with its parameters, and the types that only they use."""
    link = _links(schema, f"{noun}.md")
    variants = {kind_of(each): each for each in schema.definitions[_CHOICES[noun]]["oneOf"]}
    parts = []
    for kind in register:
        parts.append(f"## `{kind['name']}`")
        parts.append(f"{_sentence(kind['summary'])} Source: {_sentence(kind['source'])}")
        fields = {k: v for k, v in variants[kind["name"]]["properties"].items() if k != "kind"}
        if fields:
            parts.append(_fields(schema, {**variants[kind["name"]], "properties": fields}, link))
        else:
            parts.append("No parameters.")
    own = [part for name in _types(schema, noun) for part in _section(schema, name, f"### `{name}`", link)]
    example = "controller = { kind = " if noun == "controllers" else "queue = { kind = "
    return page(
        noun.capitalize(),
        f"A kind and its parameters are given as `{example}{json.dumps(register[0]['name'])}, ... }}`. "
        "[The scenario file](scenario.md#quantities) explains the types of values. "
        f"[docs/{noun}/](../{noun}/README.md) has evidence and caveats for each kind.",
        *parts,
        *(["## Types", *own] if own else []),
    )


def _types(schema: Schema, noun: str | None = None) -> list[str]:
    """Definitions explained on the page of `noun`: each on the first page that needs it."""
    choices = frozenset(_CHOICES.values())
    first = schema.reached({k: v for k, v in schema.root.items() if k != "$defs"}, choices)
    if noun is None:
        return [name for name in first if name not in _TABLES]
    seen = set(first) | choices
    if noun == "queues":
        seen |= set(schema.reached(schema.definitions[_CHOICES["controllers"]]))
    return [name for name in schema.reached(schema.definitions[_CHOICES[noun]]) if name not in seen]


def _links(schema: Schema, here: str) -> dict[str, str]:
    """The address of each definition, seen from the page `here`."""

    def address(file: str, anchor: str) -> str:
        return f"{'' if file == here else file}{anchor}" or file

    links = {name: address(f"{noun}.md", "") for noun, name in _CHOICES.items()}
    links |= {name: address("scenario.md", f"#{heading.strip('`[]')}") for name, heading in _TABLES.items()}
    for noun, file in ((None, "scenario.md"), ("controllers", "controllers.md"), ("queues", "queues.md")):
        links |= {name: address(file, f"#{name.lower()}") for name in _types(schema, noun)}
    return links


def _section(schema: Schema, name: str, heading: str, link: dict[str, str]) -> list[str]:
    """A definition: its description, and its fields, kinds or values."""
    definition = schema.definitions[name]
    parts = [heading, _sentence(definition.get("description", ""))]
    choices = definition.get("oneOf", definition.get("anyOf"))
    if choices is None:
        return [*parts, _fields(schema, definition, link)]
    if any(kind_of(choice) for choice in choices):
        return parts + [part for choice in choices for part in _kind(schema, choice, link)]
    rows = [(schema.types(choice, link), limits(choice), choice.get("description", "")) for choice in choices]
    return [*parts, table(("value", "range", "meaning"), rows)]


def _kind(schema: Schema, choice: Json, link: dict[str, str]) -> list[str]:
    fields = {key: value for key, value in choice["properties"].items() if key != "kind"}
    parts = [f"`kind = {json.dumps(kind_of(choice))}`: {_sentence(choice.get('description', ''))}"]
    return [*parts, _fields(schema, {**choice, "properties": fields}, link)] if fields else parts


def _fields(schema: Schema, definition: Json, link: dict[str, str]) -> str:
    required = definition.get("required", [])
    rows = [
        (
            code(name),
            schema.types(field, link),
            default(field, name in required),
            limits(field),
            field.get("description", ""),
        )
        for name, field in fields_in_order(definition).items()
    ]
    return table(_HEADS, rows)


def _sentence(text: str) -> str:
    """A description in one line, with a full stop."""
    line = " ".join(text.split())
    return line if not line or line.endswith((".", ":")) else f"{line}."
