# What may differ from build to build or machine to machine, and only that.
s/^(tacho|tacho-engine) [0-9]+\.[0-9]+\.[0-9]+(\+[0-9a-f]+(-dirty)?)?$/\1 VERSION/
s/^(compiler|sqlite) [0-9].*$/\1 VERSION/
