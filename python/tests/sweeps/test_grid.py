"""Which points there are, and how lists of values are read."""

from __future__ import annotations

import re
from itertools import product

import pytest

import eddyline as el
from eddyline.errors import InputError
from eddyline.keys import covers, require_effect
from eddyline.ranges import split
from eddyline.sweeps.grid import Grid, Vary, require_distinct, typed


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,2", ("1", "2")),
        ("50 packets, 75000 B", ("50 packets", "75000 B")),
        (r"a\,b,c", ("a,b", "c")),
        (r"['x'\, 'y'],['z']", ("['x', 'y']", "['z']")),
        ("", ("",)),
        ("1,,2", ("1", "", "2")),
        (r"a\b", (r"a\b",)),
        (r"a\\,b", (r"a\,b",)),
        ('{kind="a"},{kind="b",limit="30 packets"}', ('{kind="a"}', '{kind="b",limit="30 packets"}')),
        (r"{ a = 1\, b = 2 }, 0.01", ("{ a = 1, b = 2 }", "0.01")),
        ('[1,[2,3]],[{ a = "}," }]', ("[1,[2,3]]", '[{ a = "}," }]')),
        (r""""a,\",b",c""", (r'''"a,\",b"''', "c")),
        (r"""'a,\','b"',c""", (r"'a,\'", """'b"'""", "c")),
        (r"""["\\"],"x""" + '"', (r"""["\\"]""", '"x"')),
        ("it's,isn't,a[1,b{", ("it's", "isn't", "a[1", "b{")),
    ],
)
def test_commas_part_values_outside_tables_arrays_and_quotes(text, values):
    assert split("--vary k", text) == values


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{kind="codel",{kind="red"}', '{kind="codel",{kind="red"}: } is missing'),
        ("1,[2,3", "[2,3: ] is missing"),
        ("'a,b", "'a,b: ' is missing"),
        ("{a=[1}", "{a=[1}: } is missing"),
    ],
)
def test_what_is_never_closed_is_refused(text, said):
    with pytest.raises(InputError) as e:
        split("--vary k", text)
    assert str(e.value) == f"--vary k: {said}"


@pytest.mark.parametrize(
    ("values", "column"),
    [
        (("1", "20"), [1, 20]),
        (("1", "2.5"), [1.0, 2.5]),
        (("true", "false"), [True, False]),
        (("1", "2 packets"), ["1", "2 packets"]),
        (("10 ms", "20 ms"), ["10 ms", "20 ms"]),
        (('"10 ms"', "fast"), ["10 ms", "fast"]),
        (("['a']", "['b']"), ["['a']", "['b']"]),
        (("1", "true"), ["1", "true"]),
        (("9223372036854775808", "1"), [2.0**63, 1.0]),
        (("inf", "1"), ["inf", "1"]),
        (("2009-07-01", "x"), ["2009-07-01", "x"]),
    ],
)
def test_a_column_is_of_numbers_where_all_values_are(values, column):
    found = typed(values)
    assert found == column
    assert [type(v) for v in found] == [type(v) for v in column]


def test_points_are_the_product_in_order_seeds_fastest():
    vary = [Vary("a", ("1", "2", "3")), Vary("b", ("x", "y"))]
    grid = Grid(vary, first_seed=7, seeds=2)
    assert len(grid) == 12
    expected = list(product(("1", "2", "3"), ("x", "y"), (7, 8)))
    assert [(*grid.task(p).values, grid.task(p).seed) for p in range(12)] == expected
    assert [tuple(grid.labels(p).values()) for p in range(12)] == [(int(a), b, s) for a, b, s in expected]
    assert list(grid.labels(0)) == ["a", "b", "seed"]


def test_varied_seeds_are_the_seeds():
    grid = Grid([Vary("seed", ("5", "9")), Vary("a", ("1",))], first_seed=1)
    assert [grid.labels(p) for p in range(2)] == [{"seed": 5, "a": 1}, {"seed": 9, "a": 1}]
    assert grid.task(1).seed is None


@pytest.mark.parametrize(
    ("keys", "covered"),
    [
        (("link.down.delay", "link.*.delay"), "link.down.delay"),
        (("link.*.delay", "link.down.delay"), None),
        (("link.down.queue.target", "link.down.queue"), "link.down.queue.target"),
        (("link.down.queue", "link.down.queue.target"), None),
        (("link.down.delay", "link.down.rate"), None),
        (("link.down.delay", "link.up.delay"), None),
        (('flow."a.b".start', "flow.*.start"), 'flow."a.b".start'),
        (('flow."a.b".start', "flow.a.start"), None),
    ],
)
def test_a_key_that_a_later_one_sets_anew_is_refused(keys, covered):
    if covered is None:
        require_effect(keys)
        return
    with pytest.raises(InputError, match="comes after it and sets the same anew") as e:
        require_effect(keys)
    assert str(e.value).startswith(f"--vary {covered}: ")


def test_every_mistake_of_the_lists_is_said():
    vary = [Vary("a", ("1", "", "1")), Vary("seed", ("1",)), Vary("a", ("2",))]
    with pytest.raises(InputError) as e:
        Grid(vary, seeds=2)
    text = str(e.value)
    for said in (
        "--vary a: given 2 times",
        "--vary a: a value is empty",
        "--vary a: 1 is given 2 times",
        "--vary seed",
    ):
        assert said in text
    with pytest.raises(InputError, match="2\\^63"):
        Grid([Vary("a", ("1",))], first_seed=2**63 - 2, seeds=3)
    Grid([Vary("a", ("1",))], first_seed=2**63 - 2, seeds=2)


@pytest.mark.parametrize(
    ("values", "same"),
    [
        (("1 Mbit/s", "2 Mbit/s", "1000 kbit/s"), "1 Mbit/s and 1000 kbit/s"),
        (("0.5", "5e-1"), "0.5 and 5e-1"),
        (("1", "1.0"), "1 and 1.0"),
        (("'1 s'", "1000 ms"), "'1 s' and 1000 ms"),
        (("1 kB", "1000 packets", "1 s", "1", "cubic", "CUBIC", "true"), None),
        (("1 BDP", "1.0 BDP"), None),  # a scenario says how much that is
        ((str(2**53), str(2**53 + 1)), None),
    ],
)
def test_values_that_are_the_same_in_other_words_are_refused(values, same):
    vary = [Vary("seed", ("1", "2")), Vary("a", values)]
    if same is None:
        require_distinct(vary)
    else:
        with pytest.raises(InputError, match=f"^--vary a: {re.escape(same)} are the same value$"):
            require_distinct(vary)


def test_values_that_are_wrong_with_others_only_name_them(tmp_path):
    flow = {"name": "x", "controller": {"kind": "cubic"}, "data": ["l"], "ack": ["l"]}
    base = {"duration": "1 s", "link": [{"name": "l", "rate": "1 Mbit/s", "delay": "1 ms"}], "flow": [flow]}
    kinds, target = {"link.l.queue.kind": ["droptail", "codel", "pie"]}, {"link.l.queue.target": ["5 ms"]}
    with pytest.raises(el.ScenarioError) as caught:
        el.sweep(base, kinds | target, out=tmp_path / "s")
    text = str(caught.value)
    assert "--vary link.l.queue.target=5 ms: " in text
    assert "so it is with link.l.queue.kind=droptail; keys that depend on each other vary as one table" in text
    with pytest.raises(el.ScenarioError) as caught:
        el.sweep(
            base, {"link.l.queue.kind": ["droptail"], "link.l.delay": ["1 ms", "2 ms"]} | target, out=tmp_path / "s"
        )
    assert "so it is with" not in str(caught.value)
    tables = ['{ kind = "droptail" }', '{ kind = "codel", target = "5 ms" }']
    assert not el.sweep(base, {"link.l.queue": tables}, out=tmp_path / "s").failures
    for kind_key, target_key in (
        ("link.*.queue.kind", "link.l.queue.target"),
        ('link."l".queue.kind', "link.l.queue.target"),
    ):
        with pytest.raises(el.ScenarioError) as caught:
            el.sweep(base, {kind_key: ["droptail", "codel"], target_key: ["5 ms"]}, out=tmp_path / "t")
        assert "vary as one table: --vary 'link.l.queue={ ... },{ ... }'" in str(caught.value)
    # a whole link is no table that varies, so no table has both of these keys; 200 kbit/s and 2 ms are 50 bytes
    rates = {"link.l.rate": ["200 kbit/s", "20 Mbit/s"]}
    for vary in (
        {"link.l.queue.limit": ["1 BDP"]},
        {"link.*.queue.limit": ["1 BDP"]},
        {"link.l.queue": ['{ kind = "droptail", limit = "1 BDP" }']},
    ):
        with pytest.raises(el.ScenarioError, match="holds no packet") as caught:
            el.sweep(base, rates | vary, out=tmp_path / "t")
        said = "so it is with link.l.rate=200 kbit/s; give a value that fits all of them, or sweep these alone"
        assert said in str(caught.value)


@pytest.mark.parametrize(
    ("later", "earlier", "covered"),
    [
        ("link.*.rate", "link.up.rate", True),
        ("link.up.rate", "link.*.rate", False),
        ("link.*.rate", "duplex.home.up.rate", True),
        ("link.home/up.rate", "duplex.home.up.rate", True),
        ("duplex.home.up.rate", "link.home/up.rate", True),
        ("duplex.*.up.rate", "link.home/up.rate", True),
        ("duplex.*.up.rate", "link.home/down.rate", False),
        ("duplex.home.up", "link.home/up.rate", True),
        ("duplex.home.preset", "link.home/up.rate", False),
    ],
)
def test_a_direction_of_a_duplex_is_the_link_that_it_makes(later: str, earlier: str, covered: bool) -> None:
    assert covers(later, earlier) == covered


def test_what_a_wider_varied_key_sets_anew_cannot_be_set(lossy, tmp_path) -> None:
    for vary, set_ in (
        ("link.*.rate", {"link.up.rate": "3 Mbit/s"}),
        ("flow.*.controller", {"flow.f.controller.kind": "reno"}),
    ):
        values = ["1 Mbit/s", "2 Mbit/s"] if "rate" in vary else [{"kind": "cubic"}, {"kind": "bbr"}]
        with pytest.raises(el.InputError, match=r"--set .*: --vary .* sets the same anew"):
            el.sweep(lossy(), {vary: values}, out=tmp_path / "grid", set=set_)
    # of a scenario with overrides of its own, the varied keys count
    scenario = el.Scenario.load(lossy(), set={"link.up.rate": "3 Mbit/s"})
    swept = el.sweep(scenario, {"link.*.rate": ["1 Mbit/s", "2 Mbit/s"]}, out=tmp_path / "grid", workers=1)
    assert swept.done == 2


def test_a_grid_has_an_end():
    """Each point is checked before the first one runs; a slip in LO..HI:N made 1e9 of them."""
    values = tuple(map(str, range(1000)))
    with pytest.raises(InputError) as e:
        Grid([Vary("a", values), Vary("b", values), Vary("c", ("1",))], seeds=11)
    points, lengths = "11,000,000 points", "(1,000 x 1,000 x 11)"
    assert str(e.value) == f"{points} {lengths}: a sweep has at most 10,000,000; LO..HI:N takes fewer of a range"
    assert len(Grid([Vary("a", values), Vary("b", values)], seeds=10)) == 10_000_000
