"""Controllers of your own: classes that scenarios may name.

`base` says what a controller hears and gives, `parameters` what its constructor may ask for, `registry` keeps the
classes by name, `sources` finds them in files and modules, `installed` in the packages of this machine, `names` says
what there is to choose from, `elsewhere` takes classes to other processes.
"""
