# Without a command: the help on standard error, status 2.
tacho
