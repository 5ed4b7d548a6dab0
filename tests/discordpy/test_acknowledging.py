"""When an interaction is acknowledged, by its age and a clock that may be wrong."""

from __future__ import annotations

import discord
import pytest

from bot.discordpy.acknowledging import ACK_SECONDS, seconds_to_ack, snowflake_seconds

MADE = 1_767_225_600.0
ID = int(MADE * 1000) - discord.utils.DISCORD_EPOCH << 22


def test_an_id_tells_when_it_was_made() -> None:
    assert snowflake_seconds(ID) == MADE
    assert snowflake_seconds(175928847299117063) == pytest.approx(1462015105.796)


@pytest.mark.parametrize(
    ("age", "seconds"),
    [
        (0.0, 1.5),
        (0.1, 1.4),
        (1.0, 0.5),
        (1.8, 0.2),
        (2.7, 0.2),
        (3.0, 0.2),
        # The clock is wrong: it counts from the arrival.
        (-0.01, 1.5),
        (-7200.0, 1.5),
        (3.01, 1.5),
        (86_400.0, 1.5),
    ],
)
def test_the_time_left_counts_from_the_click(age: float, seconds: float) -> None:
    assert seconds_to_ack(ID, MADE + age) == pytest.approx(seconds)


def test_an_interaction_is_acknowledged_well_before_discord_gives_up() -> None:
    assert ACK_SECONDS <= 2
