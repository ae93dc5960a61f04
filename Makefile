# Everything a newcomer needs: make ask, make check, make test, make install.
# A fresh machine with Go is enough. Go modules are downloaded once. make test, as
# root, installs Debian packages and prints before which and why; make check and
# make unit install nothing.

SHELL   := /bin/bash
GO      ?= go
PREFIX  ?= /usr
DESTDIR ?=
BIN     ?= bin
DIST    ?= dist
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 30s
SOAKTIME ?= 15m
SOAKMESSAGES ?= 100000
Q ?=
export Q := $(value Q)

# One set of flags for every build; no command of the project changes go.mod.
GOFLAGS_BUILD := -mod=readonly -trimpath
# LINK: more for the linker; a package links static-pie with it (PKGBUILD).
LDFLAGS := -s -w -X main.version=$(VERSION) $(LINK)
export CGO_ENABLED ?= 0

BRIDGES  := blunux-telegram-bridge blunux-wa-bridge
# What people call by name: these have man pages and completions.
PROGRAMS := blunux-ai blunux-aictl $(BRIDGES)
UNITS    := blunux-ai-agent.service blunux-ai-agent.socket blunux-ai-agent.timer blunux-ai-agent.path blunux-ai-bridges.socket
empty :=
space := $(empty) $(empty)
comma := ,

# What is built belongs to who built it: another (root, by sudo) installs it as
# it is. BUILT=1 says that it is built in any case.
BUILT ?= $(if $(filter $(shell id -u),$(shell stat -c %u .)),,1)

# Modules of their own, which are held to what the first one is.
MODULES := interop bridge/whatsapp

# Linters have a module of their own: an exact version each, and no question to
# a server once they were downloaded.
TOOL := $(GO) -C "$(CURDIR)/.ci/tools" tool -n

.PHONY: build man ask stop demo phrases test test-system test-programs test-claude lint unit test-deps bench soak fuzz install install-ai uninstall check bill dist package clean

# The bridge to WhatsApp is a module of its own: what it needs nothing else does.
build:
	@$(GO) build $(GOFLAGS_BUILD) -ldflags "$(LDFLAGS)" -o bin/ ./cmd/...
	@$(GO) build -C bridge/whatsapp $(GOFLAGS_BUILD) -ldflags "$(LDFLAGS)" -o "$(CURDIR)/bin/" ./cmd/...

# Man pages and completions out of the programs themselves: dist/man as below
# share/man, dist/completion by shell. Pages are set ragged and unhyphenated, as
# Korean and names of files need it. The date is left out: a build is the same
# each time.
man: $(if $(BUILT),,build) bill
	@rm -rf $(DIST)/man $(DIST)/completion && mkdir -p $(DIST)/man $(DIST)/completion
	@for p in $(PROGRAMS); do \
	  $(BIN)/$$p man $(DIST)/man || exit 1; \
	  for s in bash zsh fish; do LC_ALL=C BLUNUX_AI_LANG=en $(BIN)/$$p completion $$s > $(DIST)/completion/$$p.$$s || exit 1; done; done
	@for f in docs/man/*.md; do \
	  n=$$(basename "$$f" .md); l=$${n##*.}; n=$${n%.*}; \
	  case "$$l" in ko) d=ko/;; zh) d=zh_CN/;; *) d=;; esac; \
	  mkdir -p "$(DIST)/man/$${d}man$${n##*.}" && cp "$$f" "$(DIST)/man/$${d}man$${n##*.}/$$n.md" || exit 1; done
	@# groff's Chinese macros never end a long list without a place to break it (\:).
	@md2man=$$($(GO) tool -n go-md2man) && find $(DIST)/man -name '*.md' | while read -r f; do \
	  "$$md2man" -in "$$f" -out "$${f%.md}" && sed -i -e '/^\.TH /a .ad l\n.nh' -e 's/、/、\\:/g' "$${f%.md}" && rm "$$f" || exit 1; done

# The main job: client, daemon (started on demand), answer. It builds only what a
# question needs and shows how far the first build is.
ask:
	@set -o pipefail; $(GO) build -v $(GOFLAGS_BUILD) -ldflags "$(LDFLAGS)" -o bin/ ./cmd/blunux-ai ./cmd/blunux-aictl ./cmd/blunux-ai-cell 2>&1 | .ci/progress
	@./bin/blunux-aictl ask "$$Q"

# Ends a daemon that make ask started, so that the next one is the new build.
stop:
	@./bin/blunux-aictl call '{"type":"action","action":"stop"}' >/dev/null

# Records docs/demo.txt and docs/demo.ko.txt with the real programs in tmux, and draws
# docs/demo.svg and docs/demo.ko.svg from them.
demo: build
	@$(GO) test -mod=readonly ./docs -run '^TestTheRecordingIsReal$$' -count=1 -update

# Learns the built-in helper's weights anew from its phrases and word lists.
phrases:
	@$(GO) test -mod=readonly ./providers/offline/intent -run TestWeightsAreThoseOfThePhrases -train -count=1

# With -k a lint that fails does not hide what the tests say.
test: test-deps lint unit
	@echo "all checks passed"

# make build and everything without the race detector compile alike, so that
# nothing is compiled twice: sqlite alone is a minute.
PLAIN := GOFLAGS="$$($(GO) env GOFLAGS) -trimpath -mod=readonly"

# One after the other: each uses all cores by itself. Builds what vet reads first.
lint:
	@echo "==> gofumpt, vet, staticcheck"
	@rc=0; $(GO) vet -mod=readonly .ci/*.go || rc=1; \
	gofumpt=$$($(TOOL) gofumpt) && staticcheck=$$($(TOOL) staticcheck) || exit 1; \
	out=$$("$$gofumpt" -l .) || rc=1; if [ -n "$$out" ]; then echo "not formatted:"; echo "$$out"; rc=1; fi; \
	for m in . $(MODULES); do (cd $$m && $(PLAIN) $(GO) vet ./...) || rc=1; done; \
	(cd bridge/whatsapp && $(PLAIN) $(GO) vet -tags watest ./...) || rc=1; \
	$(PLAIN) $(GO) vet -tags crashtest ./crash ./cmd/... || rc=1; \
	$(PLAIN) $(GO) vet -tags systemtest ./packaging/system || rc=1; \
	for m in . $(MODULES); do \
	  (cd $$m && $(GO) mod verify >/dev/null) & \
	  (cd $$m && $(PLAIN) "$$staticcheck" ./...) || rc=1; \
	  wait $$! || rc=1; \
	done; \
	git diff --exit-code --stat go.mod go.sum $(foreach m,$(MODULES) .ci/tools,$m/go.mod $m/go.sum) || rc=1; \
	if [ $$rc = 0 ]; then echo "lint: nothing found"; else echo "lint: FAILED"; fi; exit $$rc

# tally runs go test -json and says what matters of it. Vet is lint's.
TALLY := $(GO) run .ci/tally.go -skips .ci/skips
TEST  := $(GO) test -json -vet=off -mod=readonly

# The longest first, and beside its waits the others.
JOBS     ?= $(shell echo $$(($$(nproc) + 1)))
PACKAGES := ./e2e ./daemon ./bridge/telegram ./memory/recall $$($(GO) list -mod=readonly ./... | grep -vE "blunux-ai/(e2e|daemon|bridge/telegram|memory/recall)$$")

# The packages as they are shipped, on a whole booted system: minutes, and root.
test-system: test-deps
	@echo "==> packages on a booted system"
	@$(TALLY) '$(TEST) -trimpath -tags systemtest -count=1 -timeout 60m ./packaging/system'

# What may run unasked writes nothing: tried with as many of the programs as Debian
# has in small packages. The last of CI's stages, because it installs them.
test-programs:
	@.ci/needs programs
	@$(TALLY) '$(TEST) -count=1 -run TestSafeCommandsWriteNothing ./tools/safety'

# The race detector needs a C compiler; without one the tests run without it.
RACE = $(if $(shell command -v "$$($(GO) env CC)"),-race)

# Unit, race and end-to-end tests. What the race detector makes too slow for as
# many tries as promised is tried without it, too.
unit: build
	@echo "==> tests (race detector $(if $(RACE),on,off: no C compiler))"
	@$(TALLY) \
	  'CGO_ENABLED=$(if $(RACE),1,0) $(TEST) $(RACE) -p $(JOBS) -parallel $(JOBS) -timeout 60m $(PACKAGES)' \
	  'cd bridge/whatsapp && CGO_ENABLED=$(if $(RACE),1,0) $(TEST) $(RACE) -p $(JOBS) -timeout 40m ./...' \
	  '$(TEST) -trimpath -run "TestTheIndexEqualsOneMadeAnew|TestAYearOnAMachine|TestMutations" ./memory/recall ./automation ./tools/safety' \
	  '$(TEST) -trimpath ./providers/offline/intent -cross' \
	  'cd interop && $(TEST) -trimpath -timeout 10m ./...' \
	  '$(TEST) -trimpath ./.ci'

# The real claude on a loopback model and the daemon's tools. Where npm cannot
# bring it, says why and is content.
CLAUDE_VERSION ?= 2.1.197
CLAUDE_DIR ?= $(shell $(GO) env GOCACHE)/blunux-ai-claude
test-claude:
	@if ! command -v npm >/dev/null; then echo "==> claude is not tested: there is no npm"; \
	elif ! timeout 300 npm install --silent --no-fund --no-audit --prefix "$(CLAUDE_DIR)" @anthropic-ai/claude-code@$(CLAUDE_VERSION) >/dev/null 2>"$(CLAUDE_DIR).log"; then \
	  echo "==> claude is not tested: npm cannot install it:"; tail -3 "$(CLAUDE_DIR).log"; \
	else echo "==> $$("$(CLAUDE_DIR)/node_modules/.bin/claude" --version)"; \
	  BLUNUX_AI_CLAUDE="$(CLAUDE_DIR)/node_modules/.bin" $(GO) test -mod=readonly ./e2e -run '^TestRealClaude' -count=1 -timeout 5m -v; fi

# What tests drive for real (systemd, pacman, a notification server), from apt-get.
test-deps:
	@.ci/needs

bench: build
	@echo "==> benchmarks ($$(nproc) cores, $$($(GO) version | cut -d' ' -f3))"
	@$(GO) test -mod=readonly -run '^$$' -bench . -benchtime 1x ./e2e/...
	@$(GO) test -mod=readonly -run '^$$' -bench . -benchmem ./ipc/... ./tools/... ./providers/... ./agent/... ./memory/... ./usage/... ./automation/... ./tui/... ./bridge/...
	@$(GO) test -C bridge/whatsapp -mod=readonly -run '^$$' -bench . -benchmem ./...

# Talks to one daemon until there were SOAKMESSAGES (0: no matter how many) or
# SOAKTIME is over, and holds that it takes no more of the machine than before.
soak: build
	@BLUNUX_AI_SOAK=$(SOAKTIME) BLUNUX_AI_SOAK_MESSAGES=$(SOAKMESSAGES) \
	  $(GO) test -mod=readonly -run '^TestSoak$$' -count=1 -timeout 0 -v ./e2e

fuzz:
	@set -e; for p in $$($(GO) list -mod=readonly ./...); do \
	  for f in $$($(GO) test -mod=readonly -list '^Fuzz' $$p | grep '^Fuzz' || true); do \
	    echo "==> $$p $$f"; $(GO) test -mod=readonly -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5x $$p; \
	  done; done

# Where things are installed: below the two together, in programs and units
# below PREFIX. A man page's and a completion's place bear its program's name.
root = $(DESTDIR)$(PREFIX)
install-%: export ROOT = $(root)
install-%: export PREFIX := $(PREFIX)
uninstall: export ROOT = $(root)

# Three parts, which are three packages; no file is in two of them.
PARTS := install-ai $(BRIDGES:blunux-%=install-%)

install: $(if $(BUILT),,build man)
	@$(MAKE) --no-print-directory $(PARTS)

# One part: $(1) its package and the first of its programs, $(2) what else of it
# people call by name, $(3) the units.
define install-part
	@test -x bin/$(1) && test -d $(DIST)/man && test -d $(DIST)/bill || { echo "nothing is built yet: make build man" >&2; exit 1; }
	for p in $(1) $(2); do \
	  install -Dm755 bin/$$p "$$ROOT/bin/$$p" && \
	  install -Dm644 $(DIST)/completion/$$p.bash "$$ROOT/share/bash-completion/completions/$$p" && \
	  install -Dm644 $(DIST)/completion/$$p.zsh "$$ROOT/share/zsh/site-functions/_$$p" && \
	  install -Dm644 $(DIST)/completion/$$p.fish "$$ROOT/share/fish/vendor_completions.d/$$p.fish" || exit 1; done
	pages=$$(cd $(DIST)/man && ls {,ko/,zh_CN/}man?/$(1){,-*}.?$(foreach p,$(2), {,ko/,zh_CN/}man?/$p{,-*}.?) 2>/dev/null); \
	for f in $$pages; do install -Dm644 "$(DIST)/man/$$f" "$$ROOT/share/man/$$f" || exit 1; done
	for u in $(3); do packaging/install-unit.sh systemd/$$u "$$PREFIX" "$$ROOT/lib/systemd/user" || exit 1; done
	install -Dm644 -t "$$ROOT/share/licenses/$(1)" LICENSE $(DIST)/bill/$(1)/THIRD-PARTY
	install -Dm644 $(DIST)/bill/$(1)/sbom.cdx.json "$$ROOT/share/doc/$(1)/sbom.cdx.json"
endef

# Links of documents lead to where the others are, or to the project.
install-ai:
	$(call install-part,blunux-ai,blunux-aictl,$(UNITS))
	install -Dm755 -t "$$ROOT/lib/blunux-ai" bin/blunux-ai-cell bin/blunux-ai-chat
	install -Dm644 -t "$$ROOT/share/applications" packaging/desktop/org.blunux.ai.desktop
	install -Dm644 -t "$$ROOT/share/metainfo" packaging/desktop/org.blunux.ai.metainfo.xml
	install -Dm644 -t "$$ROOT/share/icons/hicolor/scalable/apps" packaging/desktop/org.blunux.ai.svg
	install -Dm644 -t "$$ROOT/share/blunux-ai" packaging/config.toml packaging/card/ai-agent.card.json
	install -Dm755 -t "$$ROOT/share/blunux-ai" packaging/card/install-ai-agent.sh
	install -Dm644 -t "$$ROOT/share/doc/blunux-ai/examples" packaging/examples/*
	for f in README.md README.ko.md README.zh.md CHANGELOG.md docs/*.md docs/demo.*; do \
	  sed -E -e 's,\]\((\.\./)?(HACKING\.md|LICENSE),](https://github.com/nidoit/blunux-ai/blob/main/\2,g' -e 's,\]\((docs|\.\.)/,](,g' "$$f" > "$$ROOT/share/doc/blunux-ai/$$(basename "$$f")" && \
	  chmod 644 "$$ROOT/share/doc/blunux-ai/$$(basename "$$f")" || exit 1; done

install-%-bridge:
	$(call install-part,blunux-$*-bridge,,blunux-$*-bridge.service)

uninstall:
	rm -f "$$ROOT"/bin/{blunux-ai{,ctl},$(subst $(space),$(comma),$(BRIDGES))}
	rm -f "$$ROOT"/lib/systemd/user/{$(subst $(space),$(comma),$(UNITS) $(BRIDGES:=.service))}
	for p in $(PROGRAMS); do \
	  rm -f "$$ROOT"/share/man/{,ko/,zh_CN/}man?/$$p{,-*}.? "$$ROOT/share/bash-completion/completions/$$p" \
	    "$$ROOT/share/zsh/site-functions/_$$p" "$$ROOT/share/fish/vendor_completions.d/$$p.fish" || exit 1; done
	rm -f "$$ROOT"/share/{applications/org.blunux.ai.desktop,metainfo/org.blunux.ai.metainfo.xml,icons/hicolor/scalable/apps/org.blunux.ai.svg}
	rm -rf "$$ROOT"/{lib,share}/blunux-ai "$$ROOT"/share/{doc,licenses}/{blunux-ai,$(subst $(space),$(comma),$(BRIDGES))}

# What a packager's check() runs: no root, no service manager, no network, and
# the programs as they were built.
CHECKED := . ./config ./daemon/approval ./i18n ./ipc ./journal ./manual ./memory ./names ./packaging/bill \
	./secret ./tools/commandlog ./tools/safety ./usage

check: $(if $(wildcard $(BIN)/blunux-ai),,build)
	@$(GO) test -short $(CHECKED)
	@for p in $(PROGRAMS); do $(BIN)/$$p --version || exit 1; done
	@$(BIN)/blunux-ai check --exit-code 'df -h' && ! $(BIN)/blunux-ai check --exit-code 'rm -rf /'

# Licences of what is linked in and the bill of materials, out of the built
# programs: dist/bill by package.
bill: $(if $(BUILT),,build)
	@rm -rf $(DIST)/bill && $(GO) run -mod=readonly ./packaging/bill -version "$(VERSION)" -to $(DIST)/bill \
	  blunux-ai=bin/blunux-ai,bin/blunux-aictl,bin/blunux-ai-cell,bin/blunux-ai-chat $(foreach b,$(BRIDGES),$b=bin/$b)

# A release in dist/release: the sources of COMMIT, the same bytes each time, and
# a PKGBUILD that takes them, with their checksum. PKGVER makes another version.
COMMIT ?= HEAD
PKGVER ?= $(shell sed -n 's/^pkgver=//p' PKGBUILD)
dist:
	@packaging/release.sh "$(COMMIT)" "$(PKGVER)" $(DIST)/release

# The packages out of a release, in dist/pkg. makepkg refuses root, who is
# somebody else meanwhile, with the same files.
package: dist
	@packaging/makepkg.sh $(DIST)/release $(DIST)/pkg

# Written anew after each change to PKGBUILD.
.SRCINFO: PKGBUILD
	packaging/makepkg.sh --printsrcinfo . > $@.new && mv $@.new $@

clean:
	rm -rf bin dist
