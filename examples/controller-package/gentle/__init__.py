"""A controller that comes with a package: nothing here registers it, `pyproject.toml` declares it."""

import eddyline as el


class Gentle(el.Controller):
    """Additive increase, multiplicative decrease by less than half.

    Source: Chiu and Jain, "Analysis of the Increase and Decrease Algorithms for Congestion Avoidance in Computer
    Networks", 1989.
    """

    def __init__(self, path: el.PathFacts, increase: float = 1.0, keeps: el.Percent = 0.8) -> None:
        self.cwnd = path.initial_window
        self.increase, self.keeps = increase, keeps

    def on_round(self, round: el.Round) -> None:
        """One step up a round trip."""
        if not round.in_recovery:
            self.cwnd += self.increase

    def on_loss(self, loss: el.Loss) -> None:
        """A share of what was in flight stays."""
        self.cwnd = max(self.keeps * loss.flight_size, 2.0)

    def on_timeout(self, timeout: el.Timeout) -> None:
        """From the start."""
        self.cwnd = 1.0
