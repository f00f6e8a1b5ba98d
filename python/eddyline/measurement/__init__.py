"""Measurement of a real link in both directions, between a client and a server of ours.

`datagrams` sends and receives numbered datagrams; `protocol` is what client and server say to each other; `server` and
`client` are the two ends; `link` turns what arrived into rates and buffers, and into a scenario file.
"""
