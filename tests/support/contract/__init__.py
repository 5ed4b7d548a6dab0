"""Check each request of a test against Discord's own API description and documentation.

``openapi.json`` is the part of https://github.com/discord/discord-api-spec that the bot uses (MIT, see
``LICENSE``), cut by ``tools/api_description.py``. See docs/decisions/contract-with-discord.md.
"""
