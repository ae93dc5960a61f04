# Everything a newcomer needs: make ask, make test, make bench, make install.
# A fresh machine with Go is enough; what else a target needs it installs
# through apt-get or the Go module proxy, and says so.

SHELL   := /bin/bash
GO      ?= go
PREFIX  ?= /usr
DESTDIR ?=
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 30s
SOAKTIME ?= 15m
SOAKMESSAGES ?= 100000
Q ?=
export Q := $(value Q)

# One set of flags for every build; no command of the project changes go.mod.
GOFLAGS_BUILD := -mod=readonly -trimpath
LDFLAGS := -s -w -X main.version=$(VERSION)
export CGO_ENABLED ?= 0

# Pinned: a linter that changes by itself breaks a build that was green.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOFUMPT     := mvdan.cc/gofumpt@v0.12.0

.PHONY: build ask stop phrases test test-claude lint unit test-deps bench soak fuzz install uninstall clean

build:
	@$(GO) build $(GOFLAGS_BUILD) -ldflags "$(LDFLAGS)" -o bin/ ./cmd/...

# The main job: client, daemon (started on demand), answer.
ask: build
	@./bin/blunux-aictl ask "$$Q"

# Ends a daemon that make ask started, so that the next one is the new build.
stop: build
	@./bin/blunux-aictl call '{"type":"action","action":"stop"}' >/dev/null

# Learns the offline engine's weights anew from its phrases and word lists.
phrases:
	@$(GO) test -mod=readonly ./providers/offline/intent -run TestWeightsAreThoseOfThePhrases -train -count=1

test: test-deps lint unit
	@echo "all checks passed"

lint:
	@echo "==> gofumpt, vet, staticcheck"
	@out=$$($(GO) run -mod=mod $(GOFUMPT) -l .) && if [ -n "$$out" ]; then echo "not formatted:"; echo "$$out"; exit 1; fi
	@$(GO) vet ./... && cd interop && $(GO) vet ./...
	@$(GO) run -mod=mod $(STATICCHECK) ./...
	@$(GO) mod verify >/dev/null && git diff --exit-code --stat go.mod go.sum interop/go.mod interop/go.sum

# Unit, race and end-to-end tests. The race detector needs a C compiler.
unit: build
	@echo "==> tests (race detector on)"
	@$(GO) test -mod=readonly ./providers/offline/intent -cross
	@$(GO) test -mod=readonly ./memory/recall -run TestTheIndexEqualsOneMadeAnew
	@$(GO) test -mod=readonly ./automation -run TestAYearOnAMachine
	@CGO_ENABLED=1 $(GO) test -mod=readonly -race -timeout 20m ./...
	@cd interop && $(GO) test -mod=readonly -timeout 10m ./...

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

# What tests drive for real: systemd, journald, pacman, a notification server.
DEB_PACKAGES := gcc libc6-dev systemd dbus dbus-user-session libpam-systemd util-linux procps iproute2 \
	systemd-container polkitd pacman-package-manager makepkg libarchive-tools sudo pkexec fakeroot openssl tmux socat nodejs \
	dunst xvfb

test-deps:
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  missing=; for p in $(DEB_PACKAGES); do dpkg -s $$p >/dev/null 2>&1 || missing="$$missing $$p"; done; \
	  if [ -n "$$missing" ]; then echo "==> installing for the tests:$$missing"; \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null; fi; \
	fi

bench: build
	@echo "==> benchmarks ($$(nproc) cores, $$($(GO) version | cut -d' ' -f3))"
	@$(GO) test -mod=readonly -run '^$$' -bench . -benchtime 1x ./e2e/...
	@$(GO) test -mod=readonly -run '^$$' -bench . -benchmem ./ipc/... ./tools/... ./providers/... ./agent/... ./memory/... ./usage/... ./automation/...

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

install: build
	install -Dm755 bin/blunux-ai "$(DESTDIR)$(PREFIX)/bin/blunux-ai"
	install -Dm755 bin/blunux-aictl "$(DESTDIR)$(PREFIX)/bin/blunux-aictl"
	install -Dm755 bin/blunux-ai-cell "$(DESTDIR)$(PREFIX)/lib/blunux-ai/blunux-ai-cell"
	install -d "$(DESTDIR)$(PREFIX)/lib/systemd/user"
	sed 's|/usr/bin/|$(PREFIX)/bin/|' systemd/blunux-ai-agent.service > "$(DESTDIR)$(PREFIX)/lib/systemd/user/blunux-ai-agent.service"
	chmod 644 "$(DESTDIR)$(PREFIX)/lib/systemd/user/blunux-ai-agent.service"
	install -m644 -t "$(DESTDIR)$(PREFIX)/lib/systemd/user" systemd/blunux-ai-agent.{socket,timer,path}
	install -Dm644 README.md "$(DESTDIR)$(PREFIX)/share/doc/blunux-ai/README.md"
	install -Dm644 -t "$(DESTDIR)$(PREFIX)/share/doc/blunux-ai" docs/*.md
	install -Dm644 LICENSE "$(DESTDIR)$(PREFIX)/share/licenses/blunux-ai/LICENSE"

uninstall:
	rm -f "$(DESTDIR)$(PREFIX)/bin/blunux-ai" "$(DESTDIR)$(PREFIX)/bin/blunux-aictl"
	rm -f "$(DESTDIR)$(PREFIX)/lib/systemd/user"/blunux-ai-agent.{service,socket,timer,path}
	rm -rf "$(DESTDIR)$(PREFIX)/lib/blunux-ai" "$(DESTDIR)$(PREFIX)/share/doc/blunux-ai" "$(DESTDIR)$(PREFIX)/share/licenses/blunux-ai"

clean:
	rm -rf bin
