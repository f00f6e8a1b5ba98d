"""Controllers of your own: classes that scenarios may name.

`base` has the events and outputs of a controller, `parameters` the parameters of its constructor, `registry` the
classes by name, `plugins` controllers from compiled files; `sources` loads either from files and modules, `installed`
from installed packages; `transfer` sends controllers to other processes, `digest` identifies the code of classes and
`imports` the modules that belong to a file.
"""
