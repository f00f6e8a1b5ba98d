"""An assembler for small WebAssembly modules, and NewReno in it: no compiler for WebAssembly is needed to test them."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass

TYPES = {"i32": 0x7F}
PLAIN = {
    "unreachable": 0x00,
    "end": 0x0B,
    "drop": 0x1A,
    "select": 0x1B,
    "i32.eqz": 0x45,
    "f64.lt": 0x63,
    "f64.gt": 0x64,
    "i32.or": 0x72,
    "f64.add": 0xA0,
    "f64.div": 0xA3,
    "f64.min": 0xA4,
    "f64.max": 0xA5,
}
BLOCKS = {"loop": 0x03, "if": 0x04}
INDEXED = {"br": 0x0C, "call": 0x10, "local.get": 0x20}
MEMORY = {"f64.load": (0x2B, 3), "i32.load8_u": (0x2D, 0), "i64.store": (0x37, 3), "f64.store": (0x39, 3)}


def unsigned(number: int) -> bytes:
    """LEB128."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def signed(number: int) -> bytes:
    """Signed LEB128."""
    out = bytearray()
    while not -64 <= number < 64:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number & 0x7F])


def vector(items: list[bytes]) -> bytes:
    return unsigned(len(items)) + b"".join(items)


def section(number: int, content: bytes) -> bytes:
    return bytes([number]) + unsigned(len(content)) + content


@dataclass(frozen=True)
class Function:
    """An exported function: how many i32 it takes, whether it returns one, its instructions."""

    parameters: int
    returns: bool
    body: str


def module(functions: dict[str, Function], text: str, *, imports: bool = False) -> bytes:
    """A module with these exports, a page of memory, and `text` at address 16."""
    index = {name: number + imports for number, name in enumerate(functions)}
    kinds = [b"\x60" + vector([b"\x7f"] * f.parameters) + vector([b"\x7f"] * f.returns) for f in functions.values()]
    exports = [unsigned(len(n)) + n.encode() + b"\x00" + unsigned(i) for n, i in index.items()]
    exports.append(b"\x06memory\x02\x00")
    data = b"\x00" + b"\x41\x10\x0b" + unsigned(len(text.encode()) + 1) + text.encode() + b"\x00"
    return b"".join(
        (
            b"\0asm\x01\0\0\0",
            section(1, vector(kinds)),
            section(2, vector([b"\x03env\x05clock\x00\x00"])) if imports else b"",
            section(3, vector([unsigned(i) for i in range(len(functions))])),
            section(5, b"\x01\x00\x01"),
            section(7, vector(exports)),
            section(10, vector([_code(f.body, index) for f in functions.values()])),
            section(11, vector([data])),
        )
    )


def _code(body: str, index: dict[str, int]) -> bytes:
    words = iter(body.split())
    out = b"\x00"  # no locals
    for word in words:
        if word in PLAIN:
            out += bytes([PLAIN[word]])
        elif word in BLOCKS:
            out += bytes([BLOCKS[word], 0x40])
        elif word in INDEXED:
            target = next(words)
            out += bytes([INDEXED[word]]) + unsigned(index[target] if target in index else int(target))
        elif word in MEMORY:
            code, align = MEMORY[word]
            out += bytes([code, align]) + unsigned(int(next(words)))
        elif word in ("i32.const", "i64.const"):
            out += bytes([0x41 + (word == "i64.const")]) + signed(int(next(words)))
        elif word == "f64.const":
            out += b"\x44" + struct.pack("<d", float(next(words)))
        elif word == "memory.grow":
            out += b"\x40\x00"
        else:
            raise ValueError(word)
    out += b"\x0b"
    return unsigned(len(out)) + out


# the state of the flow, at fixed addresses: each flow has a memory of its own
CWND = "i32.const 0 f64.load 1024"
SSTHRESH = "i32.const 0 f64.load 1032"
PREVIOUS = "i32.const 0 f64.load 1040"
DECIDED = "local.get 2 call decide i32.const 0"


def put(address: int, value: str) -> str:
    return f"i32.const 0 {value} f64.store {address}"


def newreno(name: str = "wasm-newreno", version: int = 1, *, imports: bool = False, **bodies: str) -> bytes:
    """NewReno, as `crates/cc` has it; `bodies` replaces the instructions of handlers."""
    half = "local.get 1 f64.load 8 f64.const 2 f64.div f64.const 2 f64.max"
    growth = f"local.get 1 f64.load 32 f64.const 1 f64.min f64.const 1 {CWND} f64.div {CWND} {SSTHRESH} f64.lt select"
    decide = f"""
        local.get 0 {CWND} f64.store 0
        local.get 0 f64.const nan f64.store 8   local.get 0 f64.const nan f64.store 16
        local.get 0 {SSTHRESH} f64.store 24
        local.get 0 i64.const -1 i64.store 32   local.get 0 i64.const -1 i64.store 40
        local.get 0 i64.const 0 i64.store 48    local.get 0 i64.const 1 i64.store 56
    """
    handlers = {
        "on_ack": f"""
            local.get 1 i32.load8_u 61  local.get 1 i32.load8_u 60 i32.eqz  i32.or i32.eqz
            if {put(1024, f"{CWND} {growth} f64.add")} end {DECIDED}
        """,
        "on_loss": f"{put(1032, half)} {put(1024, SSTHRESH)} {put(1040, 'f64.const -1')} {DECIDED}",
        "on_timeout": f"""
            local.get 1 i32.load8_u 16 i32.eqz
            if {put(1040, f"{SSTHRESH} local.get 1 f64.load 8 f64.max")} {put(1032, half)} end
            {put(1024, "f64.const 1")} {DECIDED}
        """,
        "on_spurious_timeout": f"""
            {PREVIOUS} f64.const 0 f64.gt
            if
                {put(1024, f"{CWND} local.get 1 f64.load 0 f64.max")}
                {put(1032, PREVIOUS)} {put(1040, "f64.const -1")}
            end
            {DECIDED}
        """,
        "on_idle": f"{put(1024, f'{CWND} local.get 1 f64.load 0 f64.const 1 f64.max f64.min')} {DECIDED}",
    } | bodies
    start = f"""
        {put(1024, "local.get 1 f64.load 0 f64.const 1 f64.max")}
        {put(1032, "f64.const inf")} {put(1040, "f64.const -1")}
        local.get 2 call decide i32.const 1024
    """
    functions = {
        "eddyline_abi_version": Function(0, True, f"i32.const {version}"),
        "eddyline_description": Function(0, True, "i32.const 16"),
        "eddyline_allocate": Function(1, True, "i32.const 4096"),
        "eddyline_new": Function(3, True, start),
        **{f"eddyline_{handler}": Function(3, True, body) for handler, body in handlers.items()},
        "decide": Function(1, False, decide),
    }
    return module(functions, json.dumps({"name": name, "summary": "NewReno"}), imports=imports)
