"""Figures of several runs, recorded so that they run again in the browser: one module for each kind of figure."""
