"""Controllers measured side by side: `eddyline evaluate`, `el.evaluate`.

Each experiment has a file: `response`, `rtt_fairness`, `convergence`, `step`, `sharing`, `buffers`, `trace`. `path` is
what they run on, `trial` runs them, `document` holds what came of it, `report` writes it. The terms are those of RFC
5166.
"""

from eddyline.evaluation.document import DOCUMENT, VERSION, Evaluation, Failure, Measured
from eddyline.evaluation.subject import BUILT_IN, Subject
from eddyline.evaluation.trial import EXPERIMENTS, evaluate

__all__ = [
    "BUILT_IN",
    "DOCUMENT",
    "EXPERIMENTS",
    "VERSION",
    "Evaluation",
    "Failure",
    "Measured",
    "Subject",
    "evaluate",
]
