# Both programs tell their version.
tacho --version && tacho-engine --version
