"""Commands for developers; the bot itself needs none of them."""
