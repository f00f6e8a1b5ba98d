"""The code in the documents: fenced blocks, and the commands in them and in indented lines."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^( *)```(\S*)[^\n]*\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^ *(?:\$ )?(?:time )?(?=eddyline )")


def pages() -> list[Path]:
    """Every page for people who use the project, but generated ones and tutorials, which have tests of their own."""
    docs = [page for page in ROOT.glob("docs/**/*.md") if page.parent.name not in ("reference", "tutorials")]
    more = ["README.md", "examples/tasks/README.md", "crates/quic-cc/README.md", "web/npm/README.md"]
    papers = ROOT.glob("python/eddyline/papers/*/*.md")
    return sorted([*docs, *papers, *(ROOT / name for name in more)])


@dataclass(frozen=True)
class Block:
    """A fenced block."""

    page: Path
    line: int
    language: str
    code: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path, *languages: str) -> list[Block]:
    """The blocks of a page, those in the given languages if there are any."""
    text = page.read_text("utf-8")
    found = [Block(page, text[: m.start()].count("\n") + 1, m[2], m[3]) for m in BLOCK.finditer(text)]
    return [block for block in found if not languages or block.language in languages]


def commands(page: Path) -> list[str]:
    """Every command line of a page: in blocks of shell commands or terminal sessions, and in indented lines."""
    text = page.read_text("utf-8")
    spans = [m.span() for m in BLOCK.finditer(text)]
    indented = "".join(
        line if line.startswith("    ") or re.match(r" +eddyline ", line) else "\n"
        for line in _without(text, spans).splitlines(keepends=True)
    )
    fenced = [block.code for block in blocks(page, "sh", "console")]
    found = []
    for code in [*fenced, indented]:
        for line in code.replace("\\\n", " ").splitlines():
            if COMMAND.match(line):
                found += _parts(COMMAND.sub("", line))
    return found


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in reversed(spans):
        text = text[:start] + "\n" * text[start:end].count("\n") + text[end:]
    return text


def _parts(line: str) -> list[str]:
    """The commands of a line, without a comment, and without options in brackets, which may be left out."""
    lexer = shlex.shlex(re.sub(r"\s+#\s.*| \[-.*\]", "", line), posix=True, punctuation_chars="&;|")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:  # a quotation that ends lines below
        return [line.strip()]
    found: list[list[str]] = [[]]
    for word in words:
        if word in ("&&", ";", "|"):
            found.append([])
        else:
            found[-1].append(word)
    return [shlex.join(words) for words in found if words[:1] == ["eddyline"]]
