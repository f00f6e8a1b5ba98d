"""A controller provided by a package: `pyproject.toml` declares it, so nothing here registers it."""

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
        """Increases the window once per round trip."""
        if not round.in_recovery:
            self.cwnd += self.increase

    def on_loss(self, loss: el.Loss) -> None:
        """Keeps a fraction of the packets in flight."""
        self.cwnd = max(self.keeps * loss.flight_size, 2.0)

    def on_timeout(self, timeout: el.Timeout) -> None:
        """Restarts from one packet."""
        self.cwnd = 1.0
