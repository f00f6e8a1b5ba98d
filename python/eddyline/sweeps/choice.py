"""What is to be shown of a sweep, checked before the sweep runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from eddyline.errors import InputError, ScenarioError
from eddyline.spelling import unknown
from eddyline.sweeps.entities import ENTITIES
from eddyline.sweeps.groups import single_groups
from eddyline.sweeps.schema import columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from eddyline.sweeps.plan import Plan

__all__ = ["no_table", "possible_metrics", "require", "require_axis"]


def require(plan: Plan, of: str, metrics: Sequence[str]) -> None:
    """Makes sure that the results of a sweep can have such a table with these metrics.

    Raises:
        InputError: They have none.
    """
    known = possible_metrics(of)
    for name in metrics:
        if name not in known:
            elsewhere = [kind for kind in ENTITIES if name in possible_metrics(kind)]
            parts = [each for each in known if each.startswith(f"{name}.")]
            if parts:
                raise InputError(f"{of} have no metric {name!r}", f"they have {', '.join(parts)}")
            if elsewhere:
                fitting = [kind for kind in elsewhere if all(metric in possible_metrics(kind) for metric in metrics)]
                hint = f"{', '.join(elsewhere)} have it: " + (
                    f"--of {fitting[0]}"
                    if fitting
                    else f"--of {elsewhere[0]} in a call of its own, which on the finished folder only draws and prints"
                )
                raise InputError(f"{of} have no metric {name!r}", hint)
            raise unknown("metric", name, known)
    found: dict[str, None] = {}
    for scenario in _scenarios(plan):
        found |= dict.fromkeys(_tables(scenario, plan.grid.columns))
        if of in found:
            return
    if found:
        raise no_table(of, list(found))


def no_table(of: str, found: Sequence[str]) -> InputError:
    """The error about a table without rows."""
    return InputError(f"the results have no {of}", f"they have {', '.join(found)}: --of" if found else None)


def require_axis(keys: Sequence[str], x: str | None, by: str | None) -> None:
    """Makes sure that there is something to draw over.

    Args:
        keys: The varied keys, `seed` left out.
        x: The key of the axis.
        by: The key whose values tell lines apart.

    Raises:
        InputError: There is no key, or no such key.
    """
    if not keys:
        raise InputError("only seeds vary: there is no axis to draw", "run --seeds N --plot FILE draws repetitions")
    for key in (x, by):
        if key is not None and key not in keys:
            raise unknown("varied key", key, keys)


def possible_metrics(of: str) -> list[str]:
    """The columns of numbers that a table may have, those among them that some scenarios have only."""
    return [name for name, kind in columns(of).items() if kind != "string"]


def _tables(scenario: Mapping[str, Any], keys: Iterable[str]) -> list[str]:
    """The tables that have rows in the results of a canonical scenario, where these keys vary."""
    flows = scenario.get("flow", ())
    there = {
        "flows": flows,
        "links": [*scenario.get("link", ()), *scenario.get("duplex", ())],
        "groups": [*(f for f in flows if f.get("count", 1) > 1), *single_groups(flows, keys)],
        "arrivals": scenario.get("arrivals"),
        "probes": scenario.get("probe"),
        "traffic": scenario.get("traffic"),
    }
    return [name for name, entities in there.items() if entities]


def _scenarios(plan: Plan) -> Iterator[dict[str, Any]]:
    """The canonical scenario of every combination that has no error: errors are reported when all are checked."""
    for combination in range(plan.grid.combinations):
        try:
            yield json.loads(plan.source.load([*plan.given, *plan.grid.overrides(combination)]).canonical)
        except ScenarioError:
            continue
