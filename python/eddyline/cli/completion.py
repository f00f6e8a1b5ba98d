"""`eddyline completion`."""

from __future__ import annotations

import click

from eddyline.cli.words import Word

__all__ = ["command"]


HELP = """Print the completion script for SHELL: commands, options, papers, presets, and the keys of FILE after --set.

\b
bash: eval "$(eddyline completion bash)" in ~/.bashrc
zsh:  eval "$(eddyline completion zsh)" in ~/.zshrc
fish: eddyline completion fish > ~/.config/fish/completions/eddyline.fish
"""


@click.command("completion", help=HELP, short_help="print a completion script")
@click.argument("shell", metavar="SHELL", type=Word(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """See HELP."""
    from click.shell_completion import get_completion_class

    from eddyline.cli.entry import command_line

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"no completion for {shell}")
    # Not `source()` of click's bash class alone, which starts bash to ask for its version: the script is the same.
    complete = kind(command_line, {}, "eddyline", "_EDDYLINE_COMPLETE")
    click.echo(complete.source_template % complete.source_vars())
