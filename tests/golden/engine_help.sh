# The measured program by hand.
tacho-engine --help && tacho-engine --list
