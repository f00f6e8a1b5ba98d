"""`eddyline completion`."""

from __future__ import annotations

import click

from eddyline.cli.types import OneOf

__all__ = ["command"]


HELP = """Print the completion script for SHELL: commands, options, papers, presets, and the keys of FILE after --set.

\b
bash: eval "$(eddyline completion bash)" in ~/.bashrc
zsh:  eval "$(eddyline completion zsh)" in ~/.zshrc
fish: eddyline completion fish > ~/.config/fish/completions/eddyline.fish
"""


@click.command("completion", help=HELP, short_help="print a completion script")
@click.argument("shell", metavar="SHELL", type=OneOf(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """See HELP."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"no completion for {shell}")
    # `source()` of click's bash class would start bash to check its version; the script is the same
    complete = kind(ctx.find_root().command, {}, "eddyline", "_EDDYLINE_COMPLETE")
    click.echo(complete.source_template % complete.source_vars())
