"""Commands for those who work on the bot; the bot itself needs none of them."""
