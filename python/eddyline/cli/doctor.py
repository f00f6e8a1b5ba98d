"""`eddyline doctor`."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from eddyline.worlds import available, needed, served, text

__all__ = ["command"]

_VIRTUAL = "user-mode Linux"


@dataclass(frozen=True)
class Finding:
    """One thing that this machine has or lacks.

    Attributes:
        what: Its name.
        serves: What needs it.
        ok: Whether it is there.
        detail: Version, path or reason.
        remedy: How to get it.
    """

    what: str
    serves: str
    ok: bool
    detail: str
    remedy: str | None = None


@click.command("doctor", short_help="what this machine can do")
@click.option("--json", "as_json", is_flag=True, help="Print as one JSON document.")
@click.option("--clean", is_flag=True, help="Remove what killed runs of world kernel have left, and nothing else.")
def command(as_json: bool, clean: bool) -> int:
    """Report what this machine can do, what is missing, and how to get it.

    Exit 1 if Python or the extension module are unusable: no world can run. With --clean the JSON document has the
    removed folders (`removed`).
    """
    if clean:
        return _clean(as_json)
    findings = [*_installation(), *_controllers(), *_tools(), *_system()]
    if as_json:
        click.echo(json.dumps([asdict(f) for f in findings], indent=2))
    else:
        wide = max(len(f.what) for f in findings)
        for f in findings:
            click.echo(f"{'yes' if f.ok else 'no ':<3}  {f.what:<{wide}}  {f.detail}  ({f.serves})")
            if f.remedy and not f.ok:
                click.echo(f"     {'':<{wide}}  remedy: {f.remedy}")
    return 0 if all(f.ok for f in findings if f.serves == "everything") else 1


def _installation() -> list[Finding]:
    version = platform.python_version()
    found = [
        Finding("Python", "everything", sys.version_info >= (3, 11), version, "install Python 3.11 or newer"),
    ]
    try:
        import eddyline._core as _core

        found.append(Finding("eddyline", "everything", True, f"{_core.VERSION}, worlds {text(sorted(available()))}"))
    except ImportError as e:
        found.append(Finding("eddyline", "everything", False, str(e), "make build"))
    from eddyline.papers import papers, unreadable

    names = ", ".join(p.name for p in papers())
    found.append(
        Finding(
            "papers",
            "reproduce",
            bool(names),
            names or "none found",
            "install eddyline again: its papers are missing",
        )
    )
    found += [Finding("paper", "reproduce", False, str(wrong), wrong.hint) for wrong in unreadable()]
    return found


def _controllers() -> list[Finding]:
    """Controllers that installed packages declare, each imported once."""
    from eddyline.controllers.installed import declared, import_declared
    from eddyline.errors import InputError

    found = []
    for each in declared():
        why: str | None = None
        remedy = None
        try:
            import_declared([each.name])
        except InputError as e:
            why, remedy = str(e).splitlines()[0], e.hint
            last = str(e).splitlines()[-1]
            why = why if last == why else f"{why}: {last}"
        detail = why or f"{each.entry.value}, of {each.package}"
        found.append(Finding(each.name, "a controller of yours", why is None, detail, remedy))
    return found


_TOOLS = (
    ("rustc", ("rustc", "--version"), "building", "https://rustup.rs"),
    ("cargo", ("cargo", "--version"), "building", "https://rustup.rs"),
    *(
        (name, (name, option), served(name), f"apt install {package}")
        for name, option, package in (("clang", "--version", "clang"),)
        if needed(name)
    ),
    ("ns2", ("ns",), "make bench: comparison with ns-2", "apt install ns2"),
    ("ns3", ("pkg-config", "--modversion", "ns3-core"), "make bench: comparison with ns-3", "apt install libns3-dev"),
)


def _tools() -> list[Finding]:
    return [_tool(*tool) for tool in _TOOLS]


def _tool(name: str, command: tuple[str, ...], serves: str, remedy: str) -> Finding:
    path = shutil.which(command[0])
    if path is None:
        return Finding(name, serves, False, "not found", remedy)
    if name == "ns2":  # it does not print its version
        return Finding(name, serves, True, path)
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=10, stdin=subprocess.DEVNULL, check=False)
    except (OSError, subprocess.TimeoutExpired) as e:
        return Finding(name, serves, False, f"does not answer: {type(e).__name__}", remedy)
    if ran.returncode != 0:
        return Finding(name, serves, False, "not found" if name == "ns3" else f"exit {ran.returncode}", remedy)
    line = (ran.stdout or ran.stderr).strip().splitlines()
    return Finding(name, serves, True, line[0] if line else path)


def _system() -> list[Finding]:
    linux = sys.platform == "linux"
    root = linux and os.geteuid() == 0
    release = platform.release()
    lacking = _lacking() if root else ""
    namespaces, whose = _namespaces(lacking) if linux else (False, "not for users")
    found = [
        Finding("Linux", served("Linux"), linux, f"{platform.system()} {release}", "run on Linux"),
        _live(),
        _virtual_time(),
        Finding(
            "root",
            served("root"),
            root and not lacking,
            f"yes, {lacking}" if lacking else "yes" if root else "no",
            _CAPABLE if root else "sudo",
        ),
        Finding(
            "namespaces",
            served("namespaces"),
            namespaces,
            whose,
            _CAPABLE if root else _settings(),
        ),
        Finding("TUN", served("TUN"), Path("/dev/net/tun").exists(), "/dev/net/tun", "modprobe tun"),
        Finding(
            "BTF",
            served("BTF"),
            Path("/sys/kernel/btf/vmlinux").exists(),
            "/sys/kernel/btf/vmlinux",
            "a kernel built with CONFIG_DEBUG_INFO_BTF=y",
        ),
    ]
    return [each for each in found if needed(each.what) or each.what == _VIRTUAL]


_CAPABILITIES = {"NET_ADMIN": 12, "SYS_ADMIN": 21}
"""Bits of what root may lack in a container (linux/capability.h)."""

_STATUS = Path("/proc/self/status")
_CAPABLE = "docker run --cap-add SYS_ADMIN --cap-add NET_ADMIN --device /dev/net/tun"


def _lacking() -> str:
    """Which of them this process lacks."""
    try:
        lines = _STATUS.read_text().splitlines()
        bits = next(int(line.split()[1], 16) for line in lines if line.startswith("CapEff:"))
    except (OSError, StopIteration, ValueError):
        return ""
    names = [name for name, bit in _CAPABILITIES.items() if not bits >> bit & 1]
    return f"without {' and '.join(names)}" if names else ""


def _live() -> Finding:
    import eddyline.live as live

    program, serves = live.executable(), served("eddyline-live")
    remedy = f"cargo build --release -p eddyline-live, or name it in {live.VARIABLE}"
    if program is None:
        return Finding("eddyline-live", serves, False, "not found", remedy)
    if (other := live.foreign(program)) is not None:
        return Finding("eddyline-live", serves, False, other.reason, other.hint)
    ran = subprocess.run([program, "--features"], capture_output=True, text=True, timeout=10, check=False)
    features = " ".join(ran.stdout.split()) or "without BPF: no controllers fast and vfast"
    return Finding("eddyline-live", serves, ran.returncode == 0, f"{program} ({features})", remedy)


def _virtual_time() -> Finding:
    import eddyline.live as live

    found, serves = live.linux(), "world kernel in virtual time"
    return Finding(_VIRTUAL, serves, found is not None, str(found or "not found"), live.LINUX_REMEDY)


def _clean(as_json: bool) -> int:
    """Runs in real time leave nothing: their namespaces and devices end with the process."""
    import eddyline.live as live

    removed = live.clean()
    if as_json:
        click.echo(json.dumps({"removed": [str(folder) for folder in removed]}, indent=2))
        return 0
    for folder in removed:
        click.echo(f"removed {folder}")
    if not removed:
        click.echo("nothing was left")
    return 0


def _namespaces(lacking: str) -> tuple[bool, str]:
    """Whether this process may have namespaces, and as whom, or why not."""
    if os.geteuid() == 0 and not lacking:
        return True, "as root"
    if _user_namespaces():
        return True, "for users"
    return False, f"no: {lacking}" if lacking else "not for users"


_NAMESPACES = """
import ctypes, os
user, group, libc = os.geteuid(), os.getegid(), ctypes.CDLL(None)
if libc.unshare(0x10000000):  # CLONE_NEWUSER
    raise SystemExit(1)
for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
    with open(f"/proc/self/{name}", "w") as file:
        file.write(text)
raise SystemExit(libc.unshare(0x40000000) != 0)  # CLONE_NEWNET
"""


def _user_namespaces() -> bool:
    """Whether this process may have a user namespace, and a network namespace in it: by trial, in another process."""
    words = [sys.executable, "-I", "-c", _NAMESPACES]
    try:
        return subprocess.run(words, capture_output=True, timeout=10, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


_REFUSING = {
    "kernel/unprivileged_userns_clone": ("0", "1"),
    "user/max_user_namespaces": ("0", "10000"),
    "kernel/apparmor_restrict_unprivileged_userns": ("1", "0"),
}
"""Settings of Linux by which users have no namespaces: that value, and one by which they have."""


def _settings() -> str:
    """What to do where users have no namespaces."""
    for name, (refuses, allows) in _REFUSING.items():
        try:
            value = Path("/proc/sys", name).read_text().strip()
        except OSError:
            continue
        if value == refuses:
            return f"sudo, or sysctl {name.replace('/', '.')}={allows}"
    return "sudo"
