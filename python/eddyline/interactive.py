"""A scenario with sliders, in a notebook."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import eddyline.ranges as ranges
from eddyline.encoding import given_text
from eddyline.errors import EddylineError, InputError, NotInstalled
from eddyline.loading import loaded
from eddyline.remarks import remarks
from eddyline.worlds import RunOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from eddyline.loading import Given
    from eddyline.scenario import Result

__all__ = ["interact"]


def interact(
    scenario: Given,
    keys: Mapping[str, Sequence[object] | str],
    *,
    world: str = "sim",
    draw: Callable[[Result], Figure | Axes] | None = None,
) -> Any:
    """Sliders for keys of a scenario, and below them the figure of a run with their values.

    Args:
        scenario: A scenario, a dict of its structure, or its file.
        keys: Keys by dotted name, and the values of each slider: a list or a range, `"1 Mbit/s..10 Mbit/s:10"`.
        world: `"sim"` or `"theory"`.
        draw: Draws a result and returns the figure, or axes in it; `Result.plot` by default.

    Returns:
        An `ipywidgets` box, for the last line of a cell. Its first children are the sliders; the last shows the figure.
        Where a run with their values fails, or `draw` does, the reason is above the figure, which stays the last one;
        so is what the world does not honour, as controllers that theory has no model of.

    Raises:
        NotInstalled: ipywidgets is not installed.
        InputError: A range is wrong, a value of a slider is invalid, or `draw` returns no figure.
    """
    try:
        import ipywidgets
    except ImportError:
        raise NotInstalled("ipywidgets is not installed", "pip install 'eddyline[notebook]'") from None
    given = loaded(scenario)
    if not isinstance(keys, Mapping):
        raise InputError(f"keys with their values are expected, not {keys!r}", _EXAMPLE)
    values = {key: _values(key, given) for key, given in keys.items()}
    if not values:
        raise InputError("no keys: nothing to slide", _EXAMPLE)
    for key, each in values.items():
        for value in each:
            given.with_overrides([(key, value)])  # raises before anything is shown
    sliders = [
        ipywidgets.SelectionSlider(
            options=each, description=key, continuous_update=False, layout={"width": "40rem"}, style=_STYLE
        )
        for key, each in values.items()
    ]
    image, reason = ipywidgets.Image(format="png"), ipywidgets.Label()

    def chosen_run() -> Result:
        chosen = [(key, slider.value) for key, slider in zip(values, sliders, strict=True)]
        return given.with_overrides(chosen).run_with(RunOptions(), world)

    def show(result: Result) -> None:
        reason.value = "; ".join([*result.approximations, *remarks(result.scenario.to_dict(), world)])
        image.value = _png(result.plot() if draw is None else _figure(draw(result)))

    def changed(_change: object) -> None:
        reason.value = ""  # a notebook hides what a widget raises
        try:
            result = chosen_run()
        except EddylineError as e:
            reason.value = f"not run: {e}"
            return
        except Exception as e:
            reason.value = f"not run: {type(e).__name__}: {e}"
            raise
        try:
            show(result)
        except Exception as e:
            reason.value = f"not drawn: {type(e).__name__}: {e}"
            raise

    for slider in sliders:
        slider.observe(changed, names="value")
    show(chosen_run())
    return ipywidgets.VBox([*sliders, reason, image])


_EXAMPLE = "as in {'link.up.rate': '1 Mbit/s..10 Mbit/s:10'}"
_STYLE = {"description_width": "initial"}


def _values(key: str, given: Sequence[object] | str) -> tuple[str, ...]:
    if isinstance(given, str):
        return ranges.values(key, given)
    if not isinstance(given, Iterable):
        raise InputError(f"{key}: a list, or a range as text, is expected, not {given!r}", _EXAMPLE)
    values = tuple(given_text(key, value) for value in given)
    if not values:
        raise InputError(f"{key}: an empty list has no value to slide over")
    return values


def _figure(drawn: object) -> Figure:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    figure = drawn.get_figure(root=True) if isinstance(drawn, Axes) else drawn
    if not isinstance(figure, Figure):
        raise InputError(f"draw must return a Figure, or Axes, not {drawn!r}", "end the function with `return figure`")
    return figure


def _png(figure: Figure) -> bytes:
    """The figure as a picture. One of pyplot is closed, or the notebook would show it a second time."""
    from io import BytesIO

    try:
        with BytesIO() as file:
            figure.savefig(file, format="png", dpi=100)
            return file.getvalue()
    finally:
        if (pyplot := sys.modules.get("matplotlib.pyplot")) is not None:
            pyplot.close(figure)
