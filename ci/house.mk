# The house: style, layers, sanitizers, installation. Included by the Makefile.
.PHONY: clean
clean: ## remove build/
	rm -rf build
