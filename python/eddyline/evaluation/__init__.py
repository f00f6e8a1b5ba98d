"""Controllers measured side by side: `eddyline evaluate`, `el.evaluate`.

Each experiment has a file: `response`, `rtt_fairness`, `convergence`, `step`, `sharing`, `buffers`, `trace`. They run
on a `path`; `trial` runs them, `document` has the measurements, `plots` and `report` render them. The terms are those
of RFC 5166.
"""

from eddyline.evaluation.document import DOCUMENT, VERSION, Failure, Measured
from eddyline.evaluation.evaluation import Evaluation
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
