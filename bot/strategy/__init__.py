"""Players made of code. Knows the rules, never Discord or SQL."""
