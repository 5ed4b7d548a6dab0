"""The score chart shows every seat and event, and can be read on a phone."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest
from PIL import Image, ImageDraw, ImageFont

from bot.charts import canvas, letters, lines, scores
from bot.charts.names import drawn_name
from bot.charts.rating import rating_chart
from bot.charts.skill import skill_chart
from bot.charts.winning_chances import winning_chances_chart
from bot.discordpy.components import MAX_ALT, render
from bot.games.core import Leave, Result
from bot.games.seats import ai, person
from bot.games.tutto.state import STOP
from bot.i18n.catalogue import Catalogue
from bot.i18n.locales import number
from bot.i18n.say import say
from bot.records.game_log import GameLog
from bot.records.score_history import ScoreHistory, SeatScores, score_history_of
from bot.registry import GAMES, TEXT_ICONS, find
from bot.screens.advice import Report
from bot.screens.entry import Entry
from bot.screens.model import Screen
from bot.screens.result import SCORE_CHART, score_chart
from bot.standings.values import CurvePoint, SkillPoint
from bot.store.base import GameRow
from bot.strategy.skill import Skill
from tests.services.test_emojis import contrast
from tests.support.records import play_out

ROOT = Path(__file__).parents[2]

NAMES = (
    "Anna",
    "Benedikt von und zu Hohenlohe-Xy",
    "شيماء",
    "山田",
    "🦀🎲",
    "Łukasz",
    "W" * 32,
    "-",
    "Ωλ",
    "é",
)


def game(
    seats: int, seed: int, *, leaver: tuple[int, int] | None = None, **options: Any
) -> tuple[Entry, GameRow, GameLog]:
    """Return a whole game of Tutto as it is stored, in which seats mostly stop as soon as they may.

    ``leaver`` are the number of a move and the seat that leaves instead of it.
    """
    entry = find("tutto")
    rng = Random(seed)

    def choose(state: Any, number: int) -> Any:
        legal = entry.rules.legal(state)
        action = STOP if STOP in legal and rng.random() < 0.8 else legal[0]
        return Leave(leaver[1]) if leaver and number == leaver[0] else action

    given = entry.rules.options({"target": 2000, **options})
    played = play_out(entry.rules, given, seats, bytes([seed]) * 32, choose)
    row = SimpleNamespace(
        game="tutto",
        state=played.state,
        seats=tuple(person(n + 1, name) if n else ai("casual") for n, name in enumerate(NAMES[:seats])),
        locale="en-US",
    )
    return entry, cast(GameRow, row), played.log


@pytest.mark.parametrize("seed", range(8))
def test_lines_lead_from_the_start_to_the_result(seed: int) -> None:
    entry, row, log = game(3, seed)
    race = score_history_of(entry, log)
    state = row.state
    assert race.turns == entry.rules.turns(state)
    for seat, lane in enumerate(race.seats):
        turns = [turn for turn, _ in lane.points]
        assert turns == sorted(set(turns))
        assert lane.points[0] == (0, 0)
        assert lane.points[-1] == (race.turns, entry.rules.scores(state)[seat])
        assert all(point[0] <= race.turns for point, _ in lane.marks)
        assert lane.left is None


def test_a_line_has_a_corner_at_each_of_its_turns() -> None:
    entry, _, log = game(2, 3)
    race = score_history_of(entry, log)
    own = {turn for turn, _ in race.seats[0].points}
    assert own >= set(range(1, race.turns + 1, 2))


def test_tuttos_and_plus_minus_are_marked_and_a_leader_falls_steeply() -> None:
    kinds: set[str] = set()
    for seed in range(40):
        entry, _, log = game(3, seed, target=3000)
        for lane in score_history_of(entry, log).seats:
            kinds |= {kind for _, kind in lane.marks}
            scores = dict(lane.points)
            for (turn, score), kind in lane.marks:
                assert scores.get(turn, score) == score, "a mark lies on its line"
                if kind == "hit" and turn - 1 in scores:
                    assert scores[turn - 1] > score
    assert kinds == {"tutto", "plus-minus", "hit"}


def test_the_turn_in_which_a_seat_left_is_in_the_history() -> None:
    entry, _, log = game(3, 5, leaver=(6, 1))
    race = score_history_of(entry, log)
    left = race.seats[1].left
    assert left is not None
    assert 0 < left <= race.turns
    assert {lane.left for lane in (race.seats[0], race.seats[2])} == {None}


def picture(row: GameRow, log: GameLog) -> Image.Image:
    data = scores.score_chart(row, log, Catalogue(TEXT_ICONS))
    assert len(data) < 100_000
    image = Image.open(io.BytesIO(data))
    assert (image.format, image.width) == ("PNG", canvas.WIDTH)
    return image.convert("RGB")


@pytest.mark.parametrize("seats", [2, 5, 10])
def test_a_picture_shows_every_seat(seats: int) -> None:
    image = picture(*game(seats, 1, leaver=(4, 1) if seats > 2 else None)[1:])
    colours = {cast(tuple[int, ...], colour) for _, colour in image.getcolors(1 << 20) or []}

    def near(wanted: tuple[int, ...]) -> bool:
        return any(sum(abs(a - b) for a, b in zip(wanted, one, strict=True)) < 40 for one in colours)

    for colour in canvas.COLOURS[:seats]:
        assert near(rgb(colour)), colour
    assert image.getpixel((2, 2)) == rgb(canvas.BACKGROUND), "the picture has its own background"


def test_a_game_that_ends_at_once_is_drawn() -> None:
    words = lines.Labels((lines.Caption("1.", "Anna", True),) * 2, "turns", {}, "en")
    for lanes in ([(0, 0)], [(0, -1000), (1, -3000)], [(0, 0), (1, 50_000)]):
        race = ScoreHistory((SeatScores(tuple(lanes)), SeatScores(((0, 0),), left=1)), 1)
        assert lines.draw(race, words).startswith(b"\x89PNG")


def rgb(text: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(text[1:]))


@pytest.mark.parametrize("colour", [*canvas.COLOURS, canvas.TEXT, canvas.QUIET])
def test_everything_stands_out_from_the_background(colour: str) -> None:
    assert contrast(rgb(colour), rgb(canvas.BACKGROUND)) >= 6


def test_every_seat_has_its_own_colour() -> None:
    assert len(set(canvas.COLOURS)) == max(entry.rules.max_seats for entry in GAMES.values())


DRAWN = (
    "Anna",
    "Анна",
    "Λιλή",
    "Լիլիթ",
    "ნინო",
    "שלום",
    "محمد",
    "山田 Taro",
    "齋藤 髙橋 山﨑",
    "王子轩 陳婳 沈玟妤",
    "さくら ミユキ",
    "박서연",
    "สมชาย น้ำฝน",
    "ສົມຊາຍ",
    "राजेश",
    "ক্ষিতীশ",
    "ਗੁਰਪ੍ਰੀਤ",
    "ગુજરાતી",
    "ଓଡିଆ",
    "தமிழ்",
    "శ్రీను",
    "ಕನ್ನಡ",
    "മലയാളം",
    "සිංහල ශ්\u200dරී",
    "မြန်မာ",
    "አበበ",
    "ខ្មែរ",
    "Anna 🦀",
    "🦀🎲",
    "אנה 🎲 山田",
)
"""Names that are drawn as they are."""


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        *((name, name) for name in DRAWN),
        ("𝓐𝓷𝓷𝓪 Ｂｅｎ", "Anna Ben"),
        ("𝔊𝔯𝔢𝔱𝔞", "Greta"),
        ("ﾐﾕｷ", "ミユキ"),
        ("👍🏽", "👍"),
        ("Ann 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "Ann"),
        ("🏴", "🏴"),
        ("Anna \U0001fc00", "Anna"),
        ("ꦗꦮ", ""),
        ("山田 ꦗꦮ", ""),
        ("𠮷野", ""),
        ("\U0001fc00", ""),
        ("\u200d", ""),
        ("", ""),
    ],
)
def test_letters_without_a_font_are_left_out_of_names(name: str, shown: str) -> None:
    assert letters.drawable(name) == shown


def written(text: str) -> Image.Image:
    image = Image.new("L", (400, 60))
    letters.write(ImageDraw.Draw(image), (10, 30), text, "white", 26, 0)
    return image


@pytest.mark.parametrize("name", DRAWN)
def test_each_script_is_drawn_with_letters_and_not_with_boxes(name: str) -> None:
    drawn, missing = written(name), written("\U0010ffff" * len(name))
    box = drawn.getbbox()
    assert box is not None
    assert box[0] >= 8
    assert 30 - box[1] <= 20, "all fonts stand on one line"
    assert box[3] - 30 <= 22, "all fonts stand on one line"
    assert drawn.tobytes() != missing.tobytes()
    assert abs(box[2] - 10 - letters.width_of(name, 26)) < 6, "the score begins where the name ends"


def test_marks_stay_with_the_letter_before_them() -> None:
    """Unicode takes a vowel of Thai apart, which then stands above the tone, or as two boxes."""
    assert letters.drawable("น้ำ") == "น้ำ"
    assert letters.width_of("น้ำ", 26) == letters.width_of("นำ", 26)


def test_parts_of_a_name_stand_in_the_order_in_which_they_are_read() -> None:
    def order(name: str) -> list[str]:
        return [part for _, part in letters._runs(name)]

    assert order("山田 Taro") == ["山田", " Taro"]
    assert order("אנה 🎲") == ["🎲", "אנה "]


def test_letters_that_must_be_joined_are_not_drawn_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letters, "_can_join", lambda: False)
    assert letters.drawable("राजेश") == ""
    assert letters.drawable("สมชาย 山田") == "สมชาย 山田"
    assert letters._in_drawing_order("שלום") == "םולש"


def test_a_fallback_font_is_opened_with_the_first_name_that_needs_it() -> None:
    code = """
from bot.charts import letters
opened = []
load = letters.font.__wrapped__
letters.font = lambda size, name="": opened.append(name) or load(size, name)
letters.drawable("Анна")
assert not any(opened), opened
letters.drawable("山田")
assert set(opened) == {"", letters.EAST_ASIAN}, opened
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_every_font_comes_with_its_licence_and_is_used() -> None:
    folder = letters.FALLBACK_FONTS
    assert {path.stem for path in folder.glob("*.ttf")} == set(letters.SCRIPTS)
    for licence in ("LICENSE-Noto.txt", "LICENSE-DroidSansFallback.txt"):
        assert "cut down" in (folder / licence).read_text(encoding="utf-8")


@pytest.mark.parametrize("language", Catalogue({}).languages)
@pytest.mark.parametrize("name", ["ꦗꦮ", "𠮷野", "山田 ꦗꦮ", "\U0001fc00"])
def test_a_name_that_no_font_can_draw_is_shown_as_a_number(language: str, name: str) -> None:
    """An empty place or boxes would say nothing, and colours alone are hard to tell apart."""
    seats = (person(1, "Anna"), person(2, name))
    shown = drawn_name(Catalogue({}), language, seats, 1)
    assert shown.endswith(" 2")
    assert letters.drawable(shown) == shown


def test_captions_keep_their_distance_and_stay_inside() -> None:
    base = lines.TOP + 10 * lines.LINE_HEIGHT
    heights = lines._spread([100.0] * 10, base)
    gaps = [below - above for above, below in zip(sorted(heights), sorted(heights)[1:], strict=False)]
    assert min(gaps) >= canvas.FONT_SIZE
    assert min(lines._spread([0.0] * 10, base)) >= canvas.FONT_SIZE / 2
    assert max(lines._spread([base] * 10, base)) <= base - lines.EDGE


@pytest.mark.parametrize("language", Catalogue({}).languages)
@pytest.mark.parametrize("turns", [1, 10, 40, 100, 5000])
def test_the_last_number_keeps_its_distance_from_the_name_of_the_axis(language: str, turns: int) -> None:
    name = Catalogue({}).text(language, say("chart-turns"))
    captions = (lines.Caption("1.", "A"), lines.Caption("2.", "B"))
    history = ScoreHistory((SeatScores(((0, 0), (turns, 900)), ()),) * 2, turns)
    axes = lines._Axes(history, lines.Labels(captions, name, {}, language))
    letter = letters.font(canvas.FONT_SIZE)
    number_ends = axes.x(turns) + letter.getlength(number(language, turns)) / 2
    name_begins = canvas.WIDTH - lines.EDGE - letter.getlength(f"{name} →")
    assert number_ends + lines.EDGE <= name_begins


@pytest.mark.parametrize("language", Catalogue({}).languages)
@pytest.mark.parametrize(
    ("kinds", "rows"), [(("tutto", "plus-minus", "hit", "left"), 2), (("row", "costs"), 1), (("lesson",), 1)]
)
def test_the_legend_fits(language: str, kinds: tuple[str, ...], rows: int) -> None:
    catalogue = Catalogue({})
    said = {kind: catalogue.text(language, say(f"chart-mark-{kind}")) for kind in kinds}
    assert not any(kind in text for kind, text in said.items() if "-" in kind)
    legend = lines._legend(lines.Labels((), "", said, language))
    assert len(legend) <= rows, "a shorter text is needed"
    assert tuple(kind for row in legend for _, kind, _ in row) == kinds
    for row in legend:
        x, _, text = row[-1]
        assert x + lines.MARK_WIDTH + letters.width_of(text, canvas.FONT_SIZE) <= canvas.WIDTH


@pytest.mark.parametrize("language", Catalogue({}).languages)
def test_letters_can_be_read_on_a_phone(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A phone 360 pixels wide shows a chart 240 wide, and letters there should have 9 pixels."""
    sizes = set[int]()
    truetype = ImageFont.truetype

    def opened(path: str, size: int) -> Any:
        sizes.add(size)
        return truetype(path, size)

    letters.font.cache_clear()
    monkeypatch.setattr(ImageFont, "truetype", opened)
    row, log = game(3, 1)[1:]
    cast(Any, row).locale = language
    catalogue = Catalogue(TEXT_ICONS)
    chances = tuple((turn / 9, 1 - turn / 9, 0.0) for turn in range(10))
    report = SimpleNamespace(chances=chances, lessons=())
    points = [CurvePoint(number, 0.0, 1000 + number) for number in (1, 2)]
    skills = [SkillPoint(number, Skill(1, 20, 0.06)) for number in range(1, 7)]
    pictures = (
        scores.score_chart(row, log, catalogue),
        winning_chances_chart(cast(Report, report), row.seats, catalogue, language),
        rating_chart(points, catalogue, language),
        skill_chart(skills, catalogue, language),
    )
    letters.font.cache_clear()
    assert all(Image.open(io.BytesIO(one)).width == canvas.WIDTH for one in pictures)
    drawn = sizes - {letters._SIZE}
    assert drawn
    assert min(drawn) * 240 / canvas.WIDTH >= 9


def test_pillow_is_imported_with_the_first_picture() -> None:
    code = "import sys, bot.charts.scores; sys.exit('PIL' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def alt(result: Result, names: tuple[str, ...]) -> str:
    """Return the alternative text of the picture as it is sent."""
    seats = [person(number + 1, name) for number, name in enumerate(names)]
    screen = Screen.of(score_chart(seats, result))
    (container,) = render(screen, Catalogue(TEXT_ICONS), "en-US").to_components()
    (gallery,) = [part for part in container["components"] if "items" in part]
    (item,) = gallery["items"]
    assert item["media"]["url"] == f"attachment://{SCORE_CHART}"
    return str(item["description"])


def test_the_alt_text_says_who_won_and_how() -> None:
    text = alt(Result((6050, 4900), (0,), "target"), ("Anna", "_Ben_"))
    assert text.startswith("Anna wins with 6,050 points. Final scores: Anna 6,050, _Ben_ 4,900.")
    shared = alt(Result((500, 500), (0, 1), "target"), ("Anna", "Ben"))
    assert shared.startswith("Anna and Ben share the win with 500 points each.")
    clover = alt(Result((100, 4900), (0,), "cloverleaf"), ("Anna", "Ben"))
    assert clover.startswith("Anna wins with the Cloverleaf. Final scores: Anna 100, Ben 4,900.")
    left = alt(Result((100, 4900), (0,), "left", (1,)), ("Anna", "Ben"))
    assert left.startswith(
        "Anna wins because everyone else has left. Final scores: Anna 100, Ben 4,900 (left)."
    )


def test_the_alt_text_of_ten_long_names_fits() -> None:
    text = alt(Result((50_000,) * 10, tuple(range(10)), "target"), ("W" * 32,) * 10)
    assert len(text) <= MAX_ALT
