"""People who open their tables from one channel, each in a thread of its own, and play there."""

from __future__ import annotations

from simcord.backend.models import Channel

from tests.support import screen
from tests.support.discord_server.player import Press, Script, Table


class ThreadScript(Script):
    """Opens its table in a channel that others use as well, and goes on in the thread of that table.

    Every second person takes their seat in the channel, by the message of the thread.
    """

    def table(self) -> Table | None:
        if not self.channel.is_thread:
            thread = self._thread()
            if thread is None:
                return None
            self.channel = thread
        return super().table()

    def _thread(self) -> Channel | None:
        """Return the thread of the host's table, if there is one."""
        backend = self.server.backend
        name = f"{self.game.capitalize()} · {backend.get_user(self.host.id).name}"
        made = (one for one in backend.channels.values() if one.parent_id == self.channel.id)
        return next((one for one in made if one.name == name), None)

    def _gather(self, table: Table) -> list[Press] | None:
        for number, (name, person) in enumerate(self.people.items()):
            start = self.server.message(self.channel.parent_id or 0, self.channel.id)
            if number % 2 and start is not None and f" {name}\n" not in f"{table.text}\n":
                # Not a button of the game's own: what it did shows in the thread.
                press = Press(person, "Join", None, person.click(start, screen.button(start, "Join")))
                self.presses.append(press)
                return [press]
        return super()._gather(table)
