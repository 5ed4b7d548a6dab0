"""What time it is, and whether that is certain enough for what can't be undone.

A machine's clock may be wrong, most of all at boot, and it jumps when it is set. Three witnesses help: a
steady clock, which only counts seconds; the ids in the database, which carry the time at which Discord made
them, so that it is at least that late; and an id that Discord has just made. Until one of those was seen the
time is not certain. All times are Unix seconds, those of the steady clock seconds since any moment.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_DRIFT_SECONDS = 60.0
"""By how much two clocks may differ and still be said to agree."""

MAX_DELAY_SECONDS = 900.0
"""How long after it was made an id may arrive, for example when a connection is resumed."""


@dataclass(frozen=True, slots=True)
class Clock:
    """What is known about the time: it was ``time`` when the wall clock said ``wall`` and the steady clock
    ``steady``.
    """

    time: float
    wall: float
    steady: float
    certain: bool = False

    def now(self, steady: float) -> float:
        """Return the time."""
        return self.time + steady - self.steady

    def looked_at(self, wall: float, steady: float) -> tuple[Clock, float]:
        """Look at the wall clock. Return what is known now, and by how much the time has jumped, if it has.

        If the machine slept or its clock was set, the wall clock has gone a different way from the steady
        one; the time is then not certain until Discord's next id.
        """
        since = steady - self.steady
        agree = abs(wall - self.wall - since) <= MAX_DRIFT_SECONDS
        if agree and since < MAX_DRIFT_SECONDS:
            return self, 0.0
        expected = self.now(steady)
        if agree:
            # Clocks drift apart slowly, which is no jump.
            return Clock(expected, wall, steady, self.certain), 0.0
        if self.certain and abs(wall - expected) <= MAX_DRIFT_SECONDS:
            # A wrong wall clock was set right.
            return Clock(expected, wall, steady, certain=True), 0.0
        # What was certain has passed, whatever the wall clock says.
        time = max(wall, expected) if self.certain else wall
        return Clock(time, wall, steady), _jump(expected, time)

    def told(self, discord: float, steady: float) -> tuple[Clock, float]:
        """Take the time of an id that Discord has made lately. Return the same as :meth:`looked_at`."""
        expected = self.now(steady)
        ahead = discord - expected
        if abs(ahead) <= MAX_DRIFT_SECONDS:
            if self.certain:
                return self, 0.0
            return Clock(self.time, self.wall, self.steady, certain=True), 0.0
        if ahead < 0 and (self.certain or ahead >= -MAX_DELAY_SECONDS):
            # It took its time to arrive.
            return self, 0.0
        return Clock(discord, self.wall + steady - self.steady, steady, certain=True), ahead


def started(wall: float, steady: float, at_least: float = 0.0) -> Clock:
    """Return what is known at the start; ``at_least`` is the time of the youngest id in the database."""
    return Clock(max(wall, at_least), wall, steady)


def _jump(before: float, after: float) -> float:
    return after - before if abs(after - before) > MAX_DRIFT_SECONDS else 0.0
