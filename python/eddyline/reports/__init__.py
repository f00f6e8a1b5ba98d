"""Reports: exhibits (a table with its figures), as HTML pages, files and tables on the terminal.

The papers, evaluations and the gauntlet's scorecards are written with this package; it knows none of them.
"""
