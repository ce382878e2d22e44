# The built-in plan with every default written out; its canonical text is its own canonical text.
tacho plan --print >first.yaml && tacho plan --print first.yaml >second.yaml && cmp first.yaml second.yaml && cat first.yaml
