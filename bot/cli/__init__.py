"""The subcommands of ``python -m bot``, one module each.

A module has ``DESCRIPTION``, ``add_arguments(parser)``, and ``run(arguments, settings)``, which returns the
exit code. :mod:`bot.__main__` imports only the module of the given command.
"""
