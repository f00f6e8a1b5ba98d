"""`eddyline new-controller`."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eddyline.cli.controller_templates import PYTHON, RUST
from eddyline.errors import InputError
from eddyline.output import named, replaced, require_writable, room

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["CRATE", "command", "library"]

CRATE = "eddyline-controller"
"""The crate that controllers in Rust are built on."""

_MAX_LENGTH = 100


@click.command("new-controller", short_help="write a controller of your own to start from")
@click.argument("name")
@click.option("--rust", is_flag=True, help="A crate, built into a library of machine code.")
@click.option("--python", is_flag=True, help="A class.")
def command(name: str, rust: bool, python: bool) -> None:
    """Write a controller called NAME to the folder NAME: NewReno, complete, to be changed, with a scenario.

    A crate needs nothing but cargo, no network: it has a copy of the crate eddyline-controller. Inside the
    checkout of Eddyline that it is installed from, it refers to the crate there instead.
    """
    if rust == python:
        raise click.UsageError("--rust or --python: in which language?")
    folder = Path(name)
    _require_name(name)
    if folder.exists():
        raise InputError(f"{folder}: exists", "choose another name, or remove it")
    templates = RUST if rust else PYTHON
    words = {
        "name": name,
        "type": _type(name, templates.values()),
        "library": library(name) if rust else f"{_identifier(name)}.py",
    }
    copied: dict[str, str] = {}
    if rust:
        if name == CRATE:
            raise InputError(f"{name!r} is the crate that controllers are built on", "choose another name")
        words["crate"], copied = _crate(folder)
    files = {_filled(path, words): _filled(text, words) for path, text in templates.items()}
    require_writable(folder, ())
    with replaced(folder, ()) as new, named(new, folder):
        for path, text in (files | copied).items():
            with room(folder / path):
                _write(new / path, text)
    built = f"target/release/{words['library']}" if rust else words["library"]
    steps = [f"cd {shlex.quote(name)}", *(["cargo build --release"] if rust else [])]
    steps.append(f"eddyline run scenario.toml --controllers {built}")
    click.echo(f"wrote {folder}; next: {' && '.join(steps)}", err=True)


def _type(name: str, templates: Iterable[str]) -> str:
    """The name of the type, which is none that the templates or the languages use."""
    wanted = "".join(part[0].upper() + part[1:] for part in re.split("[-_]", name) if part)
    used = {word for text in templates for word in re.findall(r"\b[A-Z]\w*", text)}
    return f"My{wanted}" if wanted in used | {"Exported", "None", "True", "False"} else wanted


def library(name: str) -> str:
    """What cargo calls the library of a crate on this system."""
    stem = _identifier(name)
    match sys.platform:
        case "win32":
            return f"{stem}.dll"
        case "darwin":
            return f"lib{stem}.dylib"
        case _:
            return f"lib{stem}.so"


def _identifier(name: str) -> str:
    return name.replace("-", "_")


def _require_name(name: str) -> None:
    from eddyline.kinds import controllers

    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9]*([-_][A-Za-z0-9]+)*", name):
        raise InputError(
            f"{name!r} is no name for a controller", "letters, digits, - and _ between them, a letter first"
        )
    if len(name) > _MAX_LENGTH:
        raise InputError(f"a name of {len(name)} letters is too long for files", f"{_MAX_LENGTH} are allowed")
    if name in {kind.name for kind in controllers()}:
        raise InputError(f"there is a controller called {name!r} already", "choose another name")


def _crate(folder: Path) -> tuple[str, dict[str, str]]:
    """Where the crate is, as TOML: in the checkout that the new folder is part of, or in that folder; and its copy."""
    place, root = Path(os.path.realpath(folder)), Path(os.path.realpath(__file__)).parents[3]
    checkout = root / "crates" / "controller-abi"
    if root in place.parents and (checkout / "Cargo.toml").is_file():
        return json.dumps(Path(os.path.relpath(checkout, place)).as_posix(), ensure_ascii=False), {}
    import eddyline._core as _core

    return json.dumps(CRATE), {f"{CRATE}/{path}": text for path, text in _core.controller_crate().items()}


def _filled(text: str, words: dict[str, str]) -> str:
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    return text


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
