"""Subcommands that work on games without Discord; each ``add_…`` hangs one into an argparse parser."""

from bot.cli.simulate import add_simulate
from bot.cli.verify import add_verify

__all__ = ["add_simulate", "add_verify"]
