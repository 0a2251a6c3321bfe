# SPDX-License-Identifier: MIT
# This file only calls others: CMakeLists.txt builds, tools/setup.sh installs what is missing,
# tools/check.sh tests, tools/kit.sh packs the kit, tools/release.sh a release.
BUILD := build
PREFIX ?= /usr/local

.PHONY: all run check check-long kit release install clean help
.NOTPARALLEL:

all: # build only; installs nothing
	@tools/setup.sh build --ask
	@cmake -S . -B $(BUILD) -G Ninja --log-level=WARNING
	@cmake --build $(BUILD)

run: # set up what running needs, build, and measure the best device with preset quick
	@tools/setup.sh run
	@$(MAKE) --no-print-directory all
	@page="--html fathom.html"; \
	[ -s $(BUILD)/web/page.html ] || { page=; \
	    echo "no fathom.html: report page not in this build, because $$(cat $(BUILD)/web/reason.txt)"; }; \
	$(BUILD)/fathom run --preset quick -o fathom.json $$page

check: # set up what the tests need, then every test, as CI does
	@tools/setup.sh check
	@tools/check.sh

check-long: # the same with every model, analyzer path, kit test, and a million runs a fuzz target
	@tools/setup.sh check
	@FATHOM_LONG=1 tools/check.sh

kit: # a folder and tarball for a machine with nothing but a GPU driver; another with GPU tests
	@tools/setup.sh check
	@tools/kit.sh

release: # release/fathom-VERSION with both kits, .deb, schema of run files and checksums
	@tools/setup.sh check
	@tools/release.sh

install: all # DESTDIR, PREFIX
	@DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX)

clean: # everything that was built; results stay
	rm -rf build build-*

help: # this
	@sed -n 's/^\([a-z-]*\):[^#]*# /\1: /p' Makefile | awk -F': ' '{ printf "make %-11s %s\n", $$1, $$2 }'
