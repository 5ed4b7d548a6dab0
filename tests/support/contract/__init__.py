"""What Discord takes: each request of a test is held against Discord's own description and documentation.

``openapi.json`` is the part of https://github.com/discord/discord-api-spec that the bot uses (MIT, see
``LICENSE``), cut by ``tools/api_description.py``. See docs/decisions/contract-with-discord.md.
"""
