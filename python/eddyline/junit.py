"""JUnit XML, as continuous integration reads it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.etree import ElementTree as Xml

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Case", "Suite", "document"]


_COUNTS = {"failures": "failure", "errors": "error", "skipped": "skipped"}
"""Attributes of a suite, and the elements of cases that they count."""

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document has (XML 1.0, 2.2), as of the colours of a terminal."""


@dataclass(frozen=True)
class Case:
    """One test.

    Attributes:
        classname: The group that readers sort it into.
        name: Its name.
        message: One line about why it did not pass; None where it passed.
        text: The same at length.
        error: It did not run to its end, rather than fail.
        skipped: It did not pass, and does not count.
        seconds: Duration, where it is known.
    """

    classname: str
    name: str
    message: str | None = None
    text: str = ""
    error: bool = False
    skipped: bool = False
    seconds: float | None = None


@dataclass(frozen=True)
class Suite:
    """Tests that belong together.

    Attributes:
        name: Its name.
        cases: Its tests.
        seconds: Duration, where it is known.
    """

    name: str
    cases: Sequence[Case] = field(default_factory=list)
    seconds: float | None = None


def document(suites: Sequence[Suite]) -> str:
    """The XML document of all suites."""
    root = Xml.Element("testsuites")
    for suite in suites:
        kinds = [_kind(c) for c in suite.cases]
        counted = ((name, kinds.count(kind)) for name, kind in _COUNTS.items())
        counts = {"tests": str(len(kinds)), **{name: str(n) for name, n in counted if n or name != "skipped"}}
        time = {} if suite.seconds is None else {"time": f"{suite.seconds:.3f}"}
        element = Xml.SubElement(root, "testsuite", {"name": suite.name, **counts, **time})
        for c, kind in zip(suite.cases, kinds, strict=True):
            time = {} if c.seconds is None else {"time": f"{c.seconds:.3f}"}
            case = Xml.SubElement(element, "testcase", {"classname": c.classname, "name": c.name, **time})
            if c.message is not None:
                Xml.SubElement(case, kind, message=c.message).text = c.text
    Xml.indent(root)
    text = Xml.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
    return _FORBIDDEN.sub("\ufffd", text)


def _kind(case: Case) -> str:
    """The element that says why it did not pass; empty where it did."""
    if case.message is None:
        return ""
    return "skipped" if case.skipped else "error" if case.error else "failure"
