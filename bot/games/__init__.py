"""The rules of the games. Pure: no Discord, no SQL, no asyncio, no clock, no randomness."""
