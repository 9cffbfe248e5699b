# make run    everything one needs to try it: gateway on 8808, demos on 8809, live
# make quick  the inner loop: format, types, short Go tests, web tests without a browser
# make test   what must hold: format, types, short Go tests, web tests in Node and one browser; installs the browser on a fresh Debian
# make test-more  the rest: vet, staticcheck, the official SDKs, the race detector, long Go tests, the engine under Node, all browser tests in Chromium and Firefox, and one journey in WebKit
# make conformance  the official suite, through a page in Go and one in a browser
# make fuzz   every fuzz target for FUZZTIME=60s each
# make soak   what takes minutes: reloads and kills under load, SEEDS=1000 of the simulation
# make simulation  SEEDS=50 of the simulation; SEED=17 replays one and prints its history
# make reliability  figures of reloads and kills in a browser
# make flaky  RUNS=50 of the web tests in TESTS and of the Go packages in PACKAGES, while all cores are busy; outputs of failures are in .cache/flaky
# make mutants  changes of the engine that no test notices; see ARGS=-help
# make mutants-web  the same for TypeScript, by the tests in Node; SOURCES, TESTS and EVERY say what
# make bench  races ours against others and prints ratios; never fails on time; see web/bench/run.ts for ARGS
# make bundlers  runs an app in each bundler and framework, in Chromium; ONLY=vite8 for one; downloads them once
# make clients  connects Claude Code, Codex CLI, Gemini CLI and opencode by `pagemcp install`; downloads them each time
# make wine   the program of Windows under Wine: orders of starts, an upgrade, kills, broken state, texts
# make cluster  nodes of the hosted gateway as processes that fail, and figures
# make audit  looks up known vulnerabilities of what is shipped; needs the network
# make pack   the tarball of the npm package, in dist/npm
# make standalone  the program of a release for this machine, in bin/release: it contains the web files
# make release  all that is published, in dist/release, by goreleaser; NAMES=registered confirms the names, NAMES=trial is for tests
# make release-check  installs and runs what is in dist/release, without a network
# make version  V=0.2.0 sets the version in all files, and the names of server/published, and dates the changelog's section
# make build  bin/pagemcp, the npm package in dist/npm/pagemcp, the browser extension in dist/extension and dist/extension-firefox, each with its notices

STATICCHECK = v0.8.2 # of honnef.co/go/tools: 2026.1
GOVULNCHECK = v1.8.0 # of golang.org/x/vuln
GORELEASER  = v2.15.1 # of github.com/goreleaser/goreleaser/v2
ACTIONLINT  = v1.7.12 # of github.com/rhysd/actionlint

GO   = go
BIN  = $(CURDIR)/bin
NODE = $(CURDIR)/web/node_modules/.bin/node
# go_js_wasm_exec starts whatever `node` it finds, and a Go program in wasm takes
# no more than 12 KB of environment.
UNDER_NODE = env -i HOME="$$HOME" PATH="$(CURDIR)/web/node_modules/.bin:$$PATH" CI="$$CI" GOFLAGS="$$GOFLAGS" GOPROXY="$$($(GO) env GOPROXY)" \
	GOCACHE="$$($(GO) env GOCACHE)" GOMODCACHE="$$($(GO) env GOMODCACHE)" GOOS=js GOARCH=wasm
# What `make run` bundles, and all that builds and tests need besides.
RUN_STAMP = web/node_modules/.package-lock.json
NPM_STAMP = web/node_modules/.complete

# A module of its own: what only tests need is not among the modules of an embedder.
INTEROP = server/interop

FUZZTIME = 60s
# Files or patterns of web tests, and how many files run at once.
NODE_TESTS = 'test/*.test.ts' 'test/!(playground)/**/*.test.ts'
TESTS = $(NODE_TESTS)
JOBS = 3
SEEDS = 50
SEED =

.PHONY: quick quick-go types test test-more wine cluster run standalone release release-check version simulation reliability flaky mutants mutants-web soak bench bundlers clients build pack audit conformance fuzz lint format lint-more lint-go lint-web browsers test-go test-build race under-node vet-variants test-playground test-web built binary program

run:
	@$(MAKE) --no-print-directory -j 2 $(RUN_STAMP) program
	@$(BIN)/pagemcp dev $(ARGS)

build: $(NPM_STAMP) binary
	$(BIN)/pagemcp build

# npm publish takes the tarball, or the directory that it is made of.
pack: build
	npm pack --pack-destination dist/npm ./dist/npm/pagemcp

standalone: $(NPM_STAMP)
	$(GO) run ./cmd/release -prepare .cache/release
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -tags release -o $(BIN)/release/pagemcp ./cmd/pagemcp

# Ten minutes the first time: goreleaser has 1.9 GB of modules. A release tells readers to run packages by name, so that the
# project must own the names first.
NAMES =
release: $(NPM_STAMP) $(BIN)/goreleaser-$(strip $(GORELEASER))
	@test "$(NAMES)" = trial || test "$(NAMES)" = registered || { echo 'Nothing confirms that the names in server/published/names.go are registered. Register all of them, then: make release NAMES=registered. For tests only: make release NAMES=trial'; exit 1; }
	PAGEMCP_VERSION=$$($(GO) run ./cmd/release) $(BIN)/goreleaser-$(strip $(GORELEASER)) release --clean --skip=publish $(if $(filter trial,$(NAMES)),--snapshot)

$(BIN)/goreleaser-$(strip $(GORELEASER)):
	@mkdir -p $(BIN)
	GOBIN=$(BIN) $(GO) install github.com/goreleaser/goreleaser/v2@$(strip $(GORELEASER))
	@mv $(BIN)/goreleaser $@

release-check: $(NPM_STAMP) browsers
	cd web && $(NODE) --test --test-timeout=300000 'test/release/*.check.ts'

V =
version:
	@test -n "$(V)" || { echo 'which one? make version V=0.2.0'; exit 1; }
	$(GO) run ./cmd/release -set $(V)

# As go vet and go test compile the packages, so that it is done once. The demo is for tests of pagemcpd.
export CGO_ENABLED = 0
BUILD = $(GO) build -buildvcs=false
program:
	@$(BUILD) -o $(BIN)/pagemcp ./cmd/pagemcp
binary: program
	@$(BUILD) -o $(BIN)/pagemcpd ./cmd/pagemcpd
	@$(BUILD) -o $(BIN)/pagemcpd-demo ./server/hosted/demo

# Versions and hashes are the lock file's, and no package runs a script of its own. Node
# is a package by platform (web/runtime); where there is none, the machine's own is used.
$(RUN_STAMP): web/package-lock.json
	cd web && npm ci --omit=dev --omit=optional --ignore-scripts --loglevel=error
	@touch $@

$(NPM_STAMP): web/package-lock.json
	cd web && npm ci --ignore-scripts --loglevel=error
	@test -e $(NODE) || ln -s "$$(command -v node)" $(NODE)
	@ln -sf ../typescript/bin/tsc web/node_modules/.bin/tsc # oldest-typescript, of the tests, has a tsc, too
	@touch $@

lint: lint-go lint-web lint-more

format:
	@unformatted=$$(gofmt -l cmd server wasm web/*.go); test -z "$$unformatted" || { echo "not formatted: $$unformatted; run gofmt -w"; exit 1; }

lint-go: format
	$(GO) vet ./...
	GOOS=js GOARCH=wasm $(GO) vet -trimpath ./wasm/... # as engine.wasm is built

# To compile and run these on a fresh machine takes five minutes of a processor.
lint-more: $(BIN)/staticcheck-$(strip $(STATICCHECK)) $(BIN)/actionlint-$(strip $(ACTIONLINT))
	$(BIN)/staticcheck-$(strip $(STATICCHECK)) ./...
	cd $(INTEROP) && $(BIN)/staticcheck-$(strip $(STATICCHECK)) ./...
	GOOS=js GOARCH=wasm $(BIN)/staticcheck-$(strip $(STATICCHECK)) ./wasm/...
	$(BIN)/actionlint-$(strip $(ACTIONLINT)) -shellcheck= -pyflakes= # the same result wherever it runs

types: $(NPM_STAMP)
	cd web && node_modules/.bin/tsc --noEmit --incremental --tsBuildInfoFile ../.cache/tsc.json
lint-web: types
	cd web && node_modules/.bin/biome check --error-on-warnings .

# Built for this machine, whatever it is to look at.
$(BIN)/staticcheck-$(strip $(STATICCHECK)):
	@mkdir -p $(BIN)
	GOBIN=$(BIN) $(GO) install honnef.co/go/tools/cmd/staticcheck@$(strip $(STATICCHECK))
	@mv $(BIN)/staticcheck $@

$(BIN)/actionlint-$(strip $(ACTIONLINT)):
	@mkdir -p $(BIN)
	GOBIN=$(BIN) $(GO) install github.com/rhysd/actionlint/cmd/actionlint@$(strip $(ACTIONLINT))
	@mv $(BIN)/actionlint $@

# Licences, notices and the lock file are checked by `make test`, reproducible builds by `make test-more`.
audit: build $(BIN)/govulncheck-$(strip $(GOVULNCHECK))
	$(BIN)/govulncheck-$(strip $(GOVULNCHECK)) ./...
	GOOS=js GOARCH=wasm $(BIN)/govulncheck-$(strip $(GOVULNCHECK)) ./wasm
	cd web && npm audit --omit=dev
	cd web && $(NODE) test/harness/audit.ts

$(BIN)/govulncheck-$(strip $(GOVULNCHECK)):
	@mkdir -p $(BIN)
	GOBIN=$(BIN) $(GO) install golang.org/x/vuln/cmd/govulncheck@$(strip $(GOVULNCHECK))
	@mv $(BIN)/govulncheck $@

# What waits for the network does so beside what compiles. To vet on a fresh machine takes a minute of a processor.
test:
	@$(MAKE) --no-print-directory -j 3 --output-sync=target lint-web browsers format test-go test-build
	@$(MAKE) --no-print-directory -j 2 --output-sync=target test-playground test-web TESTS="$(NODE_TESTS) 'test/**/*.smoke.ts'"
	@echo "all tests passed"

test-more:
	@$(MAKE) --no-print-directory browsers NEEDED="chromium firefox-esr WebKitWebDriver Xvfb gcc openssl"
	@$(MAKE) --no-print-directory -j 2 --output-sync=target lint-go lint-more vet-variants race under-node
	@$(MAKE) --no-print-directory test-go test-build SHORT=
	@$(MAKE) --no-print-directory test-web TESTS="'test/**/*.long.ts' 'test/**/*.page.ts' 'test/**/*.firefox.ts' 'test/**/*.webkit.ts'"
	@echo "all tests passed"

quick: format $(NPM_STAMP)
	@$(MAKE) --no-print-directory -j 4 --output-sync=target quick-go types test-playground test-web
quick-go:
	$(GO) test $(GO_TEST) -short ./...

# Other systems and the build of a release compile everything that differs.
vet-variants:
	GOOS=windows $(GO) vet ./...
	GOOS=darwin $(GO) vet ./...
	$(GO) vet -C $(INTEROP) ./...
	$(GO) vet -tags wine ./server
	$(GO) vet -tags registered ./cmd/pagemcp ./server/published ./server/release

# Tests that take more than seconds skip themselves with -short. The messages of these tests are written down and compared with
# the schemas of the protocol. The tests of interoperability run tests of the other module, which Go's cache does not notice.
# Vet is lint's; what debuggers need takes a third of the time of linking. Tests of the gateway wait for most of their time.
SHORT = -short
GO_TEST = -vet=off -ldflags=-w -parallel 4
test-go: $(if $(SHORT),program,$(NPM_STAMP) binary)
	@rm -rf .cache/messages
	$(GO) test $(GO_TEST) $(SHORT) $$($(GO) list ./... | grep -vE '/pagemcp/(server|server/internal/gateway|server/bundle|cmd/pagemcp)$$')
	PAGEMCP_MESSAGES=$(CURDIR)/.cache/messages $(GO) test $(GO_TEST) $(SHORT) -count=1 ./server ./server/internal/gateway
	test -n "$(SHORT)" || PAGEMCP_MESSAGES=$(CURDIR)/.cache/messages $(GO) test -C $(INTEROP) $(GO_TEST) -count=1 ./...

# What bundles, or reads the licences of, packages of npm.
test-build: $(NPM_STAMP) program
	$(GO) test $(GO_TEST) $(SHORT) ./server/bundle ./cmd/pagemcp

# Collecting garbage less often saves a third of the time of some packages, and takes some hundred MB.
race: export GOGC = 400
race: export CGO_ENABLED = 1
race: $(NPM_STAMP) binary
	$(GO) test -race -vet=off -ldflags=-w -short ./...

under-node: $(NPM_STAMP)
	$(UNDER_NODE) $(GO) test -short -exec="$$($(GO) env GOROOT)/lib/wasm/go_js_wasm_exec" $$(GOOS=js GOARCH=wasm $(GO) list ./wasm/...)

# In one process: to load the playground again for each file takes three times as long.
test-playground: built
	cd web && $(NODE_TEST) --test-isolation=none 'test/playground/**/*.test.ts'

# What our side says in these tests is written down, too.
test-web: built $(if $(findstring hosted,$(TESTS)),binary)
	@rm -rf web/test/.messages
	cd web && $(WEB_TEST) --test-concurrency=$(JOBS) $(TESTS)
	test ! -d web/test/.messages || PAGEMCP_MESSAGES=$(CURDIR)/web/test/.messages $(GO) test -C $(INTEROP) -vet=off -ldflags=-w -count=1 -run TestRecordedMessagesFit ./internal/mcpschema

NODE_TEST = PAGEMCP_BUILT=$(CURDIR)/.cache/built NODE_COMPILE_CACHE=$(CURDIR)/.cache/compiled $(NODE) --test --test-timeout=300000
WEB_TEST = $(NODE_TEST) --test-global-setup=test/harness/setup.ts \
	--test-reporter=spec --test-reporter-destination=stdout --test-reporter=./test/harness/files.ts --test-reporter-destination=stdout

# The package, the extension and the pages, as tests use them; again if a file or directory is newer.
built: $(NPM_STAMP) program
	@test -d dist/npm/pagemcp && test -e .cache/built/.made && test -z "$$(find cmd server wasm web \
		-path web/node_modules/\* -prune -o -path web/test -prune -o -newer .cache/built/.made -print | head -n 1)" || { \
		rm -rf .cache/built; \
		$(BIN)/pagemcp build && $(BIN)/pagemcp build --out .cache/built && touch .cache/built/.made; }

# Two minutes. The tests, like those of ./server, run on this system, and start the program of Windows.
wine:
	@$(MAKE) --no-print-directory browsers NEEDED=wine
	$(GO) test $(GO_TEST) -count=1 -tags wine -run TestWindowsProgram ./server

# Up to 10 minutes: nodes and NATS servers as processes that fail, and figures.
cluster:
	$(GO) test -C $(INTEROP) -count=1 -v -timeout 15m ./cluster -all
	$(GO) test -count=1 -run TestTenantsGetNothingOfEachOther ./server/hosted -isolation 1000000 -timeout 10m

conformance: built binary browsers
	$(GO) test -count=1 -v -run TestConformanceNative ./server
	cd web && $(WEB_TEST) 'test/conformance/*.page.ts' test/hosted/conformance.page.ts test/hosted/cluster.page.ts

# Debian's browsers, a C compiler for the race detector, and openssl for tests of keys.
NEEDED = chromium openssl
browsers:
	@missing=; for one in $(NEEDED); do command -v $$one >/dev/null || missing="$$missing $$one"; done; \
	test -z "$$missing" && exit 0; \
	missing=$$(echo "$$missing" | sed 's/gcc/gcc libc6-dev/; s/WebKitWebDriver/webkit2gtk-driver/; s/Xvfb/xvfb/'); \
	echo "the tests need$$missing, which the package manager of this system installs now"; \
	sudo=; test "$$(id -u)" = 0 || sudo="sudo -n"; \
	if command -v apt-get >/dev/null && $$sudo true 2>/dev/null; then \
		$$sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq --no-install-recommends $$missing; \
	else \
		echo "missing for the tests: run  sudo apt-get install$$missing"; exit 1; \
	fi

# One target at a time is all that Go does. What it finds, it writes to testdata/
# beside the target: commit that together with the fix. Inputs are not minimized: a
# run that ends in the midst of that is reported as a failure.
fuzz:
	@for dir in $$(grep -rl '^func Fuzz' --include='*_test.go' wasm server | xargs -n 1 dirname | sort -u); do \
		for target in $$(grep -h -o '^func Fuzz[A-Za-z]*' $$dir/*_test.go | sed 's/func //'); do \
			echo "$$dir $$target"; \
			$(GO) test -C $$dir . -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x || exit 1; \
		done; \
	done

# One seed fixes the parties, their acts, every fault and every delay. Goroutines that
# run at the same instant may take turns in another order: repeat with COUNT=20.
COUNT = 1
simulation:
	$(GO) test ./server -count=$(COUNT) -timeout 60m -run '^TestSimulation$$' $(if $(SEED),-sim.seed $(SEED) -sim.print,-sim.seeds $(SEEDS))

RUNS = 20
PACKAGES =
flaky: built binary browsers
	@mkdir -p .cache/flaky
	@for core in $$(seq $$(nproc)); do $(NODE) -e 'for (;;);' & busy="$$busy $$!"; done; trap "kill $$busy" EXIT; \
	failed=0; for run in $$(seq $(RUNS)); do \
		(cd web && $(WEB_TEST) --test-concurrency=$(JOBS) $(TESTS)) >.cache/flaky/web-$$run.txt 2>&1 && rm .cache/flaky/web-$$run.txt || { failed=$$((failed + 1)); echo "run $$run failed: .cache/flaky/web-$$run.txt"; }; \
		test -z "$(PACKAGES)" || $(GO) test -count=1 $(PACKAGES) >.cache/flaky/go-$$run.txt 2>&1 && rm -f .cache/flaky/go-$$run.txt || { failed=$$((failed + 1)); echo "run $$run failed: .cache/flaky/go-$$run.txt"; }; \
	done; echo "$$failed of $(RUNS) runs failed"; test $$failed = 0

mutants:
	$(GO) run ./cmd/internal/mutants $(ARGS)

SOURCES = playground/compose
EVERY = 10
mutants-web: $(NPM_STAMP)
	cd web && $(NODE) test/mutants.ts $(SOURCES) $(if $(filter command line,$(origin TESTS)),$(TESTS),'test/playground/compose/*.test.ts') $(EVERY)

soak: $(NPM_STAMP) binary browsers
	@$(BIN)/pagemcp build
	$(MAKE) simulation SEEDS=$(if $(filter command line,$(origin SEEDS)),$(SEEDS),1000)
	cd web && $(NODE) --test --test-timeout=1200000 'test/**/*.soak.ts'

bench: $(NPM_STAMP) binary
	cd web && $(NODE) bench/run.ts $(ARGS)

# The packed package, installed as an app does; about ten minutes. The tools stay in .cache/bundlers.
ONLY =
bundlers: $(NPM_STAMP) binary browsers
	@$(BIN)/pagemcp build
	cd web && $(NODE) --disable-warning=ExperimentalWarning test/bundlers/run.ts $(if $(ONLY),'$(ONLY)')

# npm fetches half a gigabyte into a temporary directory; it takes about three minutes.
clients: binary
	$(GO) run ./cmd/internal/clients

# It takes a quarter of an hour: RELOADS=200 KILLS=50 are what the soak does.
reliability: $(NPM_STAMP) binary browsers
	@$(BIN)/pagemcp build
	cd web && $(NODE) --test --test-timeout=1200000 'test/faults/reliability.soak.ts'
