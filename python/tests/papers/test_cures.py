"""The cures: measures against closed forms, ranks and sentences from made-up rows, one link simulated."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Any

import pytest
from code_blocks import ROOT

from eddyline.fairness import jain
from eddyline.papers import find
from eddyline.papers.bidirectional_tcp.cures.access_links import ACCESS_LINKS
from eddyline.papers.bidirectional_tcp.cures.catalogue import AS_IT_COMES, SMALL_PACKETS, catalogue
from eddyline.papers.bidirectional_tcp.cures.interactive import rating, responsiveness
from eddyline.papers.bidirectional_tcp.cures.ranking import findings, ranked
from eddyline.papers.context import Context

if TYPE_CHECKING:
    from eddyline.reports.exhibit import Row


def test_responsiveness_is_the_mean_of_two_rates() -> None:
    # 100 ms are 600 round trips a minute, 300 ms are 200
    assert responsiveness(0.1, 0.3) == pytest.approx(400.0)


def test_rating_of_a_call() -> None:
    # with the 20 ms of packetisation: 100 ms, no loss; 277.3 ms; 1 % loss
    assert rating(0.080, 0.0) == pytest.approx(94.2 - 2.4)
    assert rating(0.2573, 0.0) == pytest.approx(94.2 - 0.024 * 277.3 - 11.0)
    assert rating(0.080, 0.01) == pytest.approx(94.2 - 2.4 - 30 * log(1.15))
    assert rating(5.0, 0.0) == 0.0


def test_jain() -> None:
    assert jain([1.0, 1.0, 1.0]) == pytest.approx(1.0)
    for equal in ([3.3] * n for n in range(1, 30)):
        assert 1.0 - 1e-12 < jain(equal) <= 1.0
    assert jain([1.0, 0.0]) == pytest.approx(0.5)
    assert jain([0.0]) is None


def _row(cure: str, **more: Any) -> Row:
    row: Row = {
        "line": "a line",
        "uploads": 1,
        "cure": cure,
        "changes": "queue",
        "download_alone": 10.0,
        "upload_alone": 1.0,
        "download": 5.0,
        "upload": 0.5,
        "acks": 0.1,
        "up_p99_s": 0.1,
        "down_p99_s": 0.1,
        "up_loss": 0.0,
        "down_loss": 0.0,
        "rpm": 100.0,
        "page_s": 10.0,
        "call_rating": 50.0,
    }
    return row | more


def test_the_better_remedy_is_first_and_the_text_says_so() -> None:
    rows = [
        _row(AS_IT_COMES, changes="nothing"),
        _row(SMALL_PACKETS),
        _row("magic", download=9.0, upload=0.9, rpm=500.0, page_s=2.0, call_rating=90.0, up_p99_s=0.01),
    ]
    definition = Context(find("bidirectional-tcp").folder).definition("cures")
    sentences = findings(ranked(rows), definition)
    assert next(r["cure"] for r in ranked(rows)) == "magic"
    assert sentences[0].startswith("a line, 1 upload: magic: download 90% (as it comes 50%)")
    assert "instead of 100" in sentences[0]
    # the other way round the verdict flips
    worse = [
        r | {"rpm": 10.0, "page_s": 99.0, "call_rating": 1.0, "download": 1.0} if r["cure"] == "magic" else r
        for r in rows
    ]
    assert [r["cure"] for r in ranked(worse)][-1] == "magic"
    assert "no cure is better" in findings(ranked(worse), definition)[0]


def test_a_remedy_that_slows_a_lone_transfer_gains_nothing() -> None:
    crippled = _row("crippled", download_alone=5.0, download=5.0)
    other = next(r for r in ranked([_row(AS_IT_COMES), _row(SMALL_PACKETS), crippled]) if r["cure"] == "crippled")
    assert other["download_kept"] == pytest.approx(0.5)
    assert other["download_lost"] == pytest.approx(0.0)


def test_values_that_are_nearly_equal_share_a_place() -> None:
    rows = ranked([_row(AS_IT_COMES, rpm=100.0), _row(SMALL_PACKETS, rpm=101.0), _row("c", rpm=110.0)])
    assert {r["cure"]: r["rank_rpm"] for r in rows} == {AS_IT_COMES: 2.0, SMALL_PACKETS: 2.0, "c": 1.0}


@pytest.fixture
def papers_link(bidirectional: dict[str, Any]) -> list[Row]:
    return [r for r in bidirectional["cures"].rows if r["line"] == ACCESS_LINKS[0].name]


def test_every_discipline_and_option_is_among_them() -> None:
    import json

    from eddyline import _core

    changed = " ".join(f"{key}={value}" for c in catalogue(ACCESS_LINKS[0], 1) for key, value in c.changes)
    for kind in json.loads(_core.register())["queues"]:
        assert f'"{kind["name"]}"' in changed, kind["name"]
    for option in (
        "ack_every",
        "receive_window",
        "pacing",
        "ecn",
        "initial_window",
        "rack",
        "prr",
        "hystart++",
        "medium",
    ):
        assert option in changed, option


def test_the_papers_link(papers_link: list[Row]) -> None:
    by_name = {r["cure"]: r for r in papers_link if r["uploads"] == 1}
    nothing = by_name[AS_IT_COMES]
    # Fig. 1: both get about 200 kbit/s once the upload is there, as far as the uplink has them
    assert nothing["download"] == pytest.approx(200e3, rel=0.25)
    assert nothing["upload"] == pytest.approx(192e3 * 1460 / 1500, rel=0.05)
    # alone: the link's payload
    assert nothing["download_alone"] == pytest.approx(2e6 * 1460 / 1500, rel=0.01)
    # a full download has one ACK of 40 B for two packets: 2e6 / 12000 / 2 * 320 bit/s, 13.9 % of the uplink
    assert by_name["ACKs first"]["acks"] == pytest.approx(2e6 / 12000 / 2 * 320 / 192e3, rel=0.03)
    # a full buffer of 75,000 B is 3.1 s at 192 kbit/s
    assert nothing["up_p99_s"] < 75_000 * 8 / 192e3 * (1 + 1 / 32)
    assert by_name["CAKE, ACK filter"]["kept"] > 0.8
    assert all(0.0 <= r["call_loss"] <= 1.0 and r["page_s"] > 0.0 for r in papers_link)
    for n in (1, 10):
        assert sorted(r["rank"] for r in papers_link if r["uploads"] == n) == list(
            range(1, len(catalogue(ACCESS_LINKS[0], n)) + 1)
        )


def test_the_guide_has_its_numbers(papers_link: list[Row]) -> None:
    """docs/guides/upload-kills-download.md."""
    text = (ROOT / "docs" / "guides" / "upload-kills-download.md").read_text("utf-8")
    by_name = {r["cure"]: r for r in papers_link if r["uploads"] == 1}
    for label, cure in {
        "nothing (75,000 B of buffer)": AS_IT_COMES,
        "buffers of the advised size, in bytes": "drop-tail, advised size in bytes",
        "acknowledgements first": "ACKs first",
        "FQ-CoDel": "FQ-CoDel",
        "CAKE with ACK filter": "CAKE, ACK filter",
    }.items():
        row = by_name[cure]
        wait = f"{row['up_p99_s']:.1f}" if row["up_p99_s"] > 1 else f"{row['up_p99_s']:.2f}"
        rates = f"{row['download'] / 1e3:,.0f} | {row['upload'] / 1e3:.0f}"
        assert f"| {label} | {rates} | {wait} s | {row['rpm']:.0f} | {row['page_s']:.0f} s |" in text
