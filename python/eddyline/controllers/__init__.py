"""Controllers of your own: classes that scenarios may name.

`base` has the events and outputs of a controller, `parameters` the parameters of its constructor, `registry` the
classes by name; `sources` loads classes from files and modules, `installed` from installed packages; `transfer` sends
classes to other processes, `digest` identifies their code.
"""
