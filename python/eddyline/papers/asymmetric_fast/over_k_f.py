"""Does asymmetry affect stability? The letter's setting over k_f, by every link model and by packets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eddyline.papers.asymmetric_fast.cases import MARGIN, SWING, swing
from eddyline.papers.asymmetric_fast.equations import backward_bps
from eddyline.papers.runner import NS2_PROFILE, Run

if TYPE_CHECKING:
    from eddyline.papers.context import Context
    from eddyline.reports.exhibit import Exhibit, Row

__all__ = ["stability"]

_FACTORS = (0.1, 0.25, 0.5, 0.8, 0.9, 1.0, 1.1, 1.25, 2.0, 4.0, 10.0, 40.0, 100.0)
_ALPHAS = (1000, 100)
_MODELS = {"integrator": "integrator", "ack_clocked": "ack-clocked", "joint": "joint"}
_PROFILES = {"packets, clean": None, "packets, ns-2 profile": NS2_PROFILE}
_LONGEST_S = 0.045  # round trip without queueing


def stability(context: Context) -> Exhibit:
    """One flow, gamma = 1/2, alpha 1,000 as in the letter and 100."""
    settings = [(alpha, k_f) for alpha in _ALPHAS for k_f in _FACTORS]
    runs = {
        (alpha, k_f, name): _run(alpha, k_f, profile) for alpha, k_f in settings for name, profile in _PROFILES.items()
    }
    results = dict(zip(runs, context.runner.run_all(list(runs.values())), strict=True))
    rows: list[Row] = []
    for alpha, k_f in settings:
        theory = context.runner.run(Run("sweep", "theory", None, _changes(alpha, k_f))).flow("flow 1")
        rtt, wait = theory["rtt_s"]["mean"], theory["queueing_delay_s"]
        shared = {"alpha": alpha, "k_f": k_f, "rtt_s": rtt, "rho": wait / rtt}
        for model, name in _MODELS.items():
            document = context.runner.theory("sweep", "stability", _changes(alpha, k_f), link_model=model)
            growth = document["roots"][0][0] * rtt
            rows.append(
                {
                    **shared,
                    "by": name,
                    "verdict": "oscillates" if growth > MARGIN else "settles",
                    "growth": growth,
                    "gain_margin": document["gain_margin"],
                }
            )
        for name in _PROFILES:
            spread = swing(results[alpha, k_f, name], _times(alpha, k_f)[1])
            rows.append(
                {**shared, "by": name, "verdict": "oscillates" if spread > SWING else "settles", "swing": spread}
            )
    return context.definition("stability-over-k-f").exhibit(rows)


def _times(alpha: int, k_f: float) -> tuple[float, float]:
    """Duration and warm-up in seconds: a fixed number of round trips, start-up included."""
    rtt = _LONGEST_S + alpha * max(1.0, k_f) * 80e-6
    return 160.0 * rtt, 100.0 * rtt


def _changes(alpha: int, k_f: float) -> tuple[tuple[str, str], ...]:
    duration, warmup = _times(alpha, k_f)
    return (
        ("link.backward.rate", f"{backward_bps(k_f, 1000):.6f} bit/s"),
        ("flow.*.controller.alpha", f"{alpha} packets"),
        ("duration", f"{duration:.6f} s"),
        ("warmup", f"{warmup:.6f} s"),
    )


def _run(alpha: int, k_f: float, profile: str | None) -> Run:
    duration, _ = _times(alpha, k_f)
    return Run("sweep", "sim", profile, _changes(alpha, k_f), f"{duration / 1280:.6f} s")
