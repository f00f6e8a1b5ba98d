"""Sweeps: a grid over keys of a scenario and seeds, on all processors or a cluster, kept in a folder as it grows.

`grid` says which points there are, `plan` checks them, `worker` answers them, `pool` and `cluster` have workers answer
them, `store` keeps the answers, `frame` reads them, `sweep` puts these together.
"""
