"""A scenario with sliders, in a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import eddyline.ranges as ranges
from eddyline.encoding import value_text
from eddyline.errors import InputError, NotInstalled
from eddyline.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from eddyline.scenario import Result

__all__ = ["interact"]


def interact(
    scenario: Scenario | Mapping[str, Any] | str | Path,
    keys: Mapping[str, Sequence[object] | str],
    *,
    world: str = "sim",
    draw: Callable[[Result], Figure] | None = None,
) -> Any:
    """Sliders for keys of a scenario, and below them the figure of a run with their values.

    Args:
        scenario: A scenario, a dict of its structure, or its file.
        keys: Keys by dotted name, and the values of each slider: a list or a range, `"1 Mbit/s..10 Mbit/s:10"`.
        world: `"sim"` or `"theory"`.
        draw: Draws a result; `Result.plot` by default.

    Returns:
        An `ipywidgets` box, for the last line of a cell. Its first children are the sliders; the last shows the figure.

    Raises:
        NotInstalled: ipywidgets is not installed.
        InputError: A range is wrong, or a value of a slider is invalid.
    """
    try:
        import ipywidgets
    except ImportError:
        raise NotInstalled("ipywidgets is not installed", "pip install 'eddyline[notebook]'") from None
    loaded = _loaded(scenario)
    values = {
        key: ranges.values(key, given) if isinstance(given, str) else tuple(map(value_text, given))
        for key, given in keys.items()
    }
    if not values:
        raise InputError("no keys: nothing to slide", "as in {'link.up.rate': '1 Mbit/s..10 Mbit/s:10'}")
    for key, each in values.items():
        for value in each:
            loaded.with_overrides([(key, value)])  # raises before anything is shown
    sliders = [
        ipywidgets.SelectionSlider(
            options=each, description=key, continuous_update=False, layout={"width": "40rem"}, style=_STYLE
        )
        for key, each in values.items()
    ]
    image = ipywidgets.Image(format="png")

    def update(_change: object = None) -> None:
        chosen = [(key, slider.value) for key, slider in zip(values, sliders, strict=True)]
        result = loaded.with_overrides(chosen).run(world)
        figure = result.plot() if draw is None else draw(result)
        image.value = _png(figure)

    for slider in sliders:
        slider.observe(update, names="value")
    update()
    return ipywidgets.VBox([*sliders, image])


_STYLE = {"description_width": "initial"}


def _loaded(scenario: Scenario | Mapping[str, Any] | str | Path) -> Scenario:
    if isinstance(scenario, Scenario):
        return scenario
    return Scenario(scenario) if isinstance(scenario, Mapping) else Scenario.load(scenario)


def _png(figure: Figure) -> bytes:
    from io import BytesIO

    with BytesIO() as file:
        figure.savefig(file, format="png", dpi=100)
        return file.getvalue()
