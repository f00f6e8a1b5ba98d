"""The benchmarks of `benches/run.py`."""
