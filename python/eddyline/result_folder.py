"""Result folders: what is in one, and what it says about its own files."""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline.errors import InputError
from eddyline.folder_manifest import FORMAT, MANIFEST, digest_of
from eddyline.folder_manifest import write as write_manifest
from eddyline.output import FILES, PLOTS, RESULT, SCENARIO, SERIES
from eddyline.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pandas as pd
    from matplotlib.figure import Figure

__all__ = [
    "WITHOUT_PLOTS",
    "Manifest",
    "copied",
    "copies",
    "files_of",
    "kept",
    "manifest",
    "placed",
    "read",
    "require_result",
    "source_of",
    "write",
]


_SWEEP, _OF_SWEEP = "sweep.json", "scenario.toml"
"""Names in a sweep's folder."""


def read(folder: Path) -> tuple[str, Source]:
    """Document and scenario of a result folder, with the copies of the scenario's files there.

    Raises:
        InputError: It is no result folder.
    """
    try:
        text, canonical = (folder / RESULT).read_text("utf-8"), (folder / SCENARIO).read_text("utf-8")
    except OSError as e:
        raise InputError(f"{folder}: not a result: {e.filename}: {(e.strerror or str(e)).lower()}") from None
    except UnicodeDecodeError:
        raise InputError(f"{folder}: not a result: {RESULT} and {SCENARIO} must be text") from None
    base, absolute = copies(folder, files_of(canonical))
    if not base.is_dir():  # a scenario without files: other programs are given a folder that exists
        base = folder
    there = {name: copy for name, copy in absolute.items() if copy.exists()}
    return text, Source(canonical, "json", str(folder / SCENARIO), base, there)


def require_result(document: Mapping[str, Any]) -> None:
    """Makes sure that a document, which others may have edited, has what every result has.

    Raises:
        KeyError: A key is missing.
        TypeError: One has another type.
    """
    for key, kind in (("title", str), ("world", str), ("flows", list), ("links", list)):
        if not isinstance(document[key], kind):
            raise TypeError(f"{key} is {json.dumps(document[key])[:60]}")
        for row in document[key] if kind is list else ():
            if not isinstance(row, dict) or not isinstance(row.get("name"), str):
                raise TypeError(f"{key} has {json.dumps(row)[:60]}, not a table with a name")


def kept(path: Path) -> Source | None:
    """The scenario of a result or a sweep that has copies of the scenario's files; None of any other file."""
    folder = path.parent
    if path.name in (SCENARIO, _OF_SWEEP) and (folder / _SWEEP).is_file():
        return _kept_by_sweep(path)
    if path.name != SCENARIO or not (folder / RESULT).is_file() or not (folder / FILES).is_dir():
        return None
    return replace(read(folder.absolute())[1], name=str(path))


def _kept_by_sweep(path: Path) -> Source | None:
    """The scenario in a sweep's folder, with the title that it has there."""
    folder = path.parent.absolute()
    source = replace(Source.of_file(path), folder=folder)
    try:
        known = json.loads((folder / _SWEEP).read_text("utf-8"))
        there, title = copied(folder, known), (known["scenario"] or {}).get("title")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None  # what reads the sweep says what is wrong
    # without a title of its own, a scenario has the name of its file
    return replace(source, copies=there, title=title if source.has_no_title() else None)


def copied(folder: Path, known: Mapping[str, Any]) -> dict[str, Path]:
    """The copies of a sweep's files, by their names and their paths, as `Source.copies`.

    Args:
        folder: Its folder.
        known: Its description.

    Returns:
        Nothing of files without a copy, which older versions did not make.
    """
    places = {name: folder / FILES / digest for name, digest in known["files"].items() if digest}
    there = {name: copy for name, copy in places.items() if copy.exists()}
    # a file beside the scenario has a short name also where the scenario has its whole path, or `./`
    files = [name for name in files_of(json.dumps(known["scenario"])) if name not in known["files"]]
    short = {name: str(Path(name)) for name in files}
    longer = {name: there[short[name]] for name in files if short[name] in there}
    written = [name for name in files if Path(name).is_absolute() and short[name] not in known["files"]]
    ends = {path: [name for name in there if path.endswith(f"/{name}")] for path in written}
    whole = {path: there[max(names, key=len)] for path, names in ends.items() if names}
    named = there | longer
    return named | {os.path.join(folder, name): copy for name, copy in named.items()} | whole  # noqa: PTH118 - keeps `./`


def source_of(path: Path) -> Source:
    """A scenario file; that of a result or a sweep with the copies of its files there.

    Raises:
        ScenarioError: It cannot be read.
    """
    return kept(path) or Source.of_file(path)


def write(
    folder: Path,
    write_document: Callable[[Callable[[str], object]], None],
    canonical: str,
    source: Source,
    series: Sequence[tuple[dict[str, str | int], Any]],
    draw: Callable[[], Figure],
    asked: Mapping[str, Mapping[str, Any]],
    tables: Mapping[str, pd.DataFrame] | None = None,
) -> list[str]:
    """Fills a new result folder.

    Files that the scenario names are written into it as they were read, so that it can be run again anywhere.

    Args:
        folder: An empty folder.
        write_document: Writes `result.json`, as `--json` prints it, by calls of the function that it is given.
        canonical: `scenario.json`.
        source: The scenario as it was written, which knows where its files are.
        series: Tables of series, each with the columns that tell it from the others.
        draw: Draws the plot.
        asked: Options that the results depend on, by world: `Result.asked`.
        tables: Frames by the name of their CSV file.

    Returns:
        Remarks on the plots: without them the folder is complete.
    """
    from eddyline.columns import joined
    from eddyline.columns import write as write_table
    from eddyline.frames import write_csv

    (folder / SCENARIO).write_text(canonical, "utf-8")
    names = files_of(canonical)
    base, absolute = copies(folder, names)
    for name, copy in ({name: base / name for name in _relative(names)} | absolute).items():
        copy.parent.mkdir(parents=True, exist_ok=True)
        source.copy(name, copy)
    with (folder / RESULT).open("w", encoding="utf-8") as file:
        write_document(file.write)
        file.write("\n")
    if series:
        write_table(joined(series), folder / SERIES)
    for name, table in (tables or {}).items():
        write_csv(table, folder / name)
    remarks = _plots(folder, draw)
    write_manifest(folder, asked=asked)
    return remarks


WITHOUT_PLOTS = "the result is kept without plots"
"""What a remark begins with that is no mere note."""


def _plots(folder: Path, draw: Callable[[], Figure]) -> list[str]:
    """Draws the plots. Where that fails, the results of perhaps hours are kept all the same."""
    try:
        from eddyline.plots import render
        from eddyline.plots.fitting import resized

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the text's measures
            figure = resized(draw())
            complete = [render(figure, folder / name) for name in PLOTS]
    except OSError:
        raise  # a full disk is no fault of the figure
    except Exception as e:
        for name in PLOTS:
            (folder / name).unlink(missing_ok=True)
        said = str(e) if isinstance(e, InputError) else f"{type(e).__name__}: {e}"
        return [f"{WITHOUT_PLOTS}: drawing them failed: {said}"]
    return [] if all(complete) else ["plots: the font lacks some characters of names or title, boxes stand for them"]


@dataclass(frozen=True)
class Manifest:
    """What a result folder says about itself; empty where an old version wrote none.

    Attributes:
        asked: Options that the results depend on, by world: `Result.asked`.
        altered: Files that have changed since it was written, each `missing` or `changed`.
    """

    asked: dict[str, dict[str, Any]] = field(default_factory=dict)
    altered: dict[str, str] = field(default_factory=dict)


def manifest(folder: Path) -> Manifest:
    """The manifest of a result folder, compared with the folder's files.

    Raises:
        InputError: It cannot be read.
    """
    path = folder / MANIFEST
    if not path.exists():
        return Manifest()
    try:
        document = json.loads(path.read_text("utf-8"))
        if document["format"] != FORMAT:
            raise ValueError(f"format {document['format']!r}, not {FORMAT}")
        asked = {str(world): dict(options) for world, options in document.get("asked", {}).items()}
        found = {name: _alteration(folder / name, digest) for name, digest in dict(document["sha256"]).items()}
    except OSError as e:
        raise InputError(f"{e.filename or path}: cannot be read: {(e.strerror or str(e)).lower()}") from None
    except (ValueError, RecursionError) as e:
        raise InputError(f"{path} is damaged: {e}") from None
    except (KeyError, TypeError, AttributeError):
        raise InputError(f"{path} is damaged: not the digests of a result folder's files") from None
    return Manifest(asked, {name: what for name, what in found.items() if what is not None})


def _alteration(path: Path, digest: str) -> str | None:
    if not path.is_file():
        return "missing"
    return None if digest_of(path) == digest else "changed"


def files_of(canonical: str) -> list[str]:
    """Files that a scenario names, each once."""
    try:
        scenario = json.loads(canonical)
        names = {table["model"].get("file") for table in scenario.get("traffic", [])}
        names |= {table["size"].get("file") for table in scenario.get("arrivals", [])}
        sides = [table.get(way, {}) for table in scenario.get("duplex", []) for way in ("down", "up")]
        names |= {link["trace"].get("file") for link in [*scenario.get("link", []), *sides] if "trace" in link}
    except (ValueError, AttributeError, TypeError, KeyError, RecursionError):
        return []  # loading it reports what is wrong
    return sorted(name for name in names if isinstance(name, str))


def _is_absolute(name: str) -> bool:
    return Path(name).is_absolute()


def _relative(names: Sequence[str]) -> list[str]:
    return [name for name in names if not _is_absolute(name)]


def copies(folder: Path, names: Sequence[str]) -> tuple[Path, dict[str, Path]]:
    """Where the copies of a scenario's files are in a result folder.

    Returns:
        The folder where relative paths start, and the copies of files with absolute paths, by these: numbered, in a
        folder that no relative path leads to.
    """
    relative = _relative(names)
    absolute = [name for name in names if _is_absolute(name)]
    holder = "absolute"
    taken = {part for name in relative for part in Path(name).parts}
    while holder in taken:
        holder += "_"
    numbered = {name: folder / FILES / holder / str(n) / Path(name).name for n, name in enumerate(absolute, 1)}
    return placed(folder, relative), numbered


def placed(folder: Path, names: Sequence[str]) -> Path:
    """Where files named by relative paths are in a result folder: deep enough that no `..` of theirs leaves it."""
    depth = max((Path(name).parts.count("..") for name in names), default=0)
    return folder.joinpath(FILES, *["_"] * depth)
