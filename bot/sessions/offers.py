"""Asking somebody to take over a seat, as pure functions; see :mod:`~bot.sessions.commands`.

A question is stored with the game, and its message has buttons for the person who is asked and for those who
may take the question back. Until the person accepts, nothing about the seat changes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from bot.games.values import replace
from bot.sessions import commands, turns
from bot.sessions.lobby import seat_of
from bot.sessions.rated import gave_up
from bot.sessions.request import Click, Echo, Refused, check_manager, seat_number
from bot.store.base import LIVE, OPEN, TAKEN, WITHDRAWN, Change, GameRow, Offer

OFFER_SECONDS = 3600.0
"""How long a person has to answer; a lobby stays open for as long."""


def ask(row: GameRow, click: Click, now: float, *, user_id: int, to: int) -> Change:
    """Ask the person ``to`` to take over the seat of the person ``user_id``.

    Only the host, or a member with Manage Messages, may do so. An earlier question about the seat expires.
    """
    commands.check_hand_over(row, click, user_id)
    if seat_number(row, to) is not None:
        raise Refused("error-seated-already")
    if gave_up(row, to):
        raise Refused("error-gave-up-seat")
    others = (offer for offer in row.offers if offer.seated != user_id and offer.until > now)
    offer = Offer(click.interaction_id, user_id, to, now + OFFER_SECONDS)
    return _with(row, (*others, offer), click.interaction_id)


def answer(row: GameRow, click: Click, now: float, *, number: int, given: str) -> Change:
    """Take over the seat, decline it, or withdraw the question; ``given`` is the answer.

    Only the person who is asked may accept or decline, and only the host or a member with Manage Messages may
    withdraw. Raises :class:`Refused` if the question is not open any more, and :class:`Echo` if it has been
    answered already.
    """
    offer = find_offer(row, number)
    if offer is None:
        raise Refused("error-offer-over")
    if given == WITHDRAWN:
        check_manager(click, row)
    elif click.user_id != offer.user_id:
        raise Refused("error-offer-other")
    if offer.answer != OPEN:
        raise Echo(row)
    seat = seat_number(row, offer.seated)
    if now >= offer.until or seat is None or (row.status == LIVE and seat in commands.left_seats(row)):
        raise Refused("error-offer-over")
    answered = dataclasses.replace(offer, answer=given)
    offers = tuple(answered if one is offer else one for one in row.offers)
    if given != TAKEN:
        return _with(row, offers, click.interaction_id)
    if seat_number(row, click.user_id) is not None:
        raise Refused("error-already-seated")
    others = [one for number, one in enumerate(row.seats) if number != seat]
    return commands.take_seat(replace(row, offers=offers), seat, seat_of(click, others), now, click)


def find_offer(row: GameRow, interaction_id: int) -> Offer | None:
    """Return the question that this interaction asked, open or answered, or None if it is gone."""
    return next((offer for offer in row.offers if offer.interaction_id == interaction_id), None)


def without_person(row: GameRow, user_id: int) -> Change | None:
    """Remove the questions to a person and about their seat. Return None if there are none."""
    offers = [offer for offer in row.offers if user_id not in (offer.user_id, offer.seated)]
    return _with(row, offers) if len(offers) < len(row.offers) else None


def _with(row: GameRow, offers: Iterable[Offer], interaction_id: int | None = None) -> Change:
    return turns.touch(replace(row, offers=tuple(offers)), interaction_id)
