"""Sweeps: a grid over keys of a scenario and seeds, on all processors or a cluster, stored in a folder.

`grid` has the points, `plan` checks them, `worker` runs them, `pool` and `cluster` are engines of workers, `store`
keeps the outcomes, `frame` reads them, `sweep` runs the whole.
"""
