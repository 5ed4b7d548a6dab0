"""The subcommands of ``python -m bot``, one module each.

A module has ``DESCRIPTION``, and ``run(arguments, settings)``, which returns the exit code; it has
``add_arguments(parser)`` if it takes any. :mod:`bot.__main__` imports only the module of the given command.
"""
