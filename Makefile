# make run    everything one needs to try it: gateway on 8808, demos on 8809, live
# make check  the inner loop: format, vet, linters, types, unit tests
# make test   all that must hold; installs browsers on a fresh Debian
# make test-all  the same with every browser test in both browsers, and axe in every language and theme
# make conformance  the official suite, through a page in Go and one in a browser
# make fuzz   every fuzz target for FUZZTIME=60s each
# make soak   what takes minutes: a million records, reloads and kills under load, SEEDS=1000 of the simulation
# make simulation  SEEDS=50 of the simulation; SEED=17 replays one and prints its history
# make reliability  the figures of memory, speed of recovery and idle cost, as a table
# make flaky  repeats every test file; see ARGS=--help
# make mutants  changes of the engine that no test notices; see ARGS=-help
# make bench  races ours against others and prints ratios; never fails on time; see web/bench/run.ts for ARGS
# make bench-playground  the playground under load, and MCP Inspector under the same burst
# make bench-watch  from a click in a page to the line of `pagemcp watch`, in both browsers, visible and hidden; ARGS='--clicks 100'
# make bundlers  runs an app in each bundler and framework, in Chromium; ONLY=vite8 for one; downloads them once
# make clients  connects Claude Code, Codex CLI, Gemini CLI and opencode by `pagemcp install`; downloads them each time
# make cluster  nodes of the hosted gateway as processes that fail, and figures
# make audit  looks up known vulnerabilities of what is shipped; needs the network
# make pack   the tarball of the npm package, in dist/npm
# make standalone  the program of a release for this machine, in bin/release: it contains the web files
# make release  all that is published, in dist/release, by goreleaser; NAMES=registered confirms the names, NAMES=trial is for tests
# make release-check  installs and runs what is in dist/release, without a network
# make picture  records the moving picture of README and documentation again, into web/docs; look at it before it is committed
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
UNDER_NODE = env -i HOME="$$HOME" PATH="$(CURDIR)/web/node_modules/.bin:$$PATH" CI="$$CI" PAGEMCP_FLAKY="$(PAGEMCP_FLAKY)" GOFLAGS="$$GOFLAGS" GOPROXY="$$($(GO) env GOPROXY)" \
	GOCACHE="$$($(GO) env GOCACHE)" GOMODCACHE="$$($(GO) env GOMODCACHE)" GOOS=js GOARCH=wasm
# What `make run` bundles, and all that builds and tests need besides.
RUN_STAMP = web/node_modules/.package-lock.json
NPM_STAMP = web/node_modules/.complete

# A module of its own: what only tests need is not among the modules of an embedder.
INTEROP = server/interop

FUZZTIME = 60s
# Of in-node: files, or patterns in quotation marks; and how many run at once, if not by the number of cores.
TESTS = 'test/**/*.test.ts'
JOBS =
SEEDS = 50
SEED =

.PHONY: picture test-all cluster run standalone release release-check version check test simulation reliability flaky mutants soak bench bench-playground bench-watch bundlers clients build pack audit conformance fuzz lint unit browsers race race-others race-server unraced unraced-server unraced-others under-node in-node binary program

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

# The page, the gateway and the messages are real: web/picture/record.ts. Half a minute.
picture: $(NPM_STAMP) binary browsers
	@rm -rf .cache/built
	@$(BIN)/pagemcp build --out .cache/built
	cd web && PAGEMCP_BUILT=$(CURDIR)/.cache/built $(NODE) picture/record.ts

V =
version:
	@test -n "$(V)" || { echo 'which one? make version V=0.2.0'; exit 1; }
	$(GO) run ./cmd/release -set $(V)

# The same bytes wherever they are built: TestBuildsAreReproducible. The demo is for tests of pagemcpd.
BUILD = CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags=-buildid=
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

check: lint unit

# Of make test-all, since they compile everything that differs: 350 s of a processor.
define VET_VARIANTS
GOOS=windows $(GO) vet ./...
	GOOS=darwin $(GO) vet ./...
	$(GO) vet -tags registered ./cmd/pagemcp ./server/published ./server/release
endef

lint: $(NPM_STAMP) $(BIN)/staticcheck-$(strip $(STATICCHECK)) $(BIN)/actionlint-$(strip $(ACTIONLINT))
	@unformatted=$$(gofmt -l cmd server wasm web/*.go); test -z "$$unformatted" || { echo "not formatted: $$unformatted; run gofmt -w"; exit 1; }
	$(GO) vet ./...
	$(GO) vet -C $(INTEROP) ./...
	GOOS=js GOARCH=wasm $(GO) vet ./wasm/...
	$(if $(PAGEMCP_ALL),$(VET_VARIANTS))
	$(BIN)/staticcheck-$(strip $(STATICCHECK)) ./...
	cd $(INTEROP) && $(BIN)/staticcheck-$(strip $(STATICCHECK)) ./...
	GOOS=js GOARCH=wasm $(BIN)/staticcheck-$(strip $(STATICCHECK)) ./wasm/...
	$(BIN)/actionlint-$(strip $(ACTIONLINT)) -shellcheck= -pyflakes= # the same result wherever it runs
	cd web && node_modules/.bin/tsc --noEmit
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

# Licences, notices, the lock file and reproducible builds are checked by `make test`.
audit: build $(BIN)/govulncheck-$(strip $(GOVULNCHECK))
	$(BIN)/govulncheck-$(strip $(GOVULNCHECK)) ./...
	GOOS=js GOARCH=wasm $(BIN)/govulncheck-$(strip $(GOVULNCHECK)) ./wasm
	cd web && npm audit --omit=dev
	cd web && $(NODE) test/harness/audit.ts

$(BIN)/govulncheck-$(strip $(GOVULNCHECK)):
	@mkdir -p $(BIN)
	GOBIN=$(BIN) $(GO) install golang.org/x/vuln/cmd/govulncheck@$(strip $(GOVULNCHECK))
	@mv $(BIN)/govulncheck $@

# The tests of interoperability run tests of the other module, which Go's cache of results does not notice.
unit: $(NPM_STAMP) binary
	$(GO) test ./...
	$(GO) test -C $(INTEROP) -count=1 ./...

# With CI=true, packages and files that fail run once more, alone (cmd/internal/gotest, web/test/harness/repeat.ts).
# Those that pass then are printed at the end with both outputs: each is a defect to be found.
export PAGEMCP_FLAKY = $(CURDIR)/.cache/failed-once
GOTEST = $(BIN)/gotest

$(GOTEST): $(wildcard cmd/internal/gotest/*.go)
	@$(GO) build -o $@ ./cmd/internal/gotest

# Two at a time: tests of the gateway wait for half of their time. The output of each is printed when it ends.
# What the machine lacks is installed while lint compiles.
test:
	@rm -rf $(PAGEMCP_FLAKY)
	@$(MAKE) --no-print-directory -j 2 --output-sync=target browsers lint race-server race-others under-node unraced
	@$(MAKE) --no-print-directory in-node
	@if test -d $(PAGEMCP_FLAKY); then cat $(PAGEMCP_FLAKY)/*; echo "FLAKY $$(ls $(PAGEMCP_FLAKY) | wc -l)"; head -qn 1 $(PAGEMCP_FLAKY)/*; fi
	@echo "all tests passed"

# See web/test/harness/platforms.ts. The promises of the simulation are the same under each seed: make test has fewer of them.
test-all: export PAGEMCP_ALL = true
test-all: test
SIMULATED = $(if $(PAGEMCP_ALL),50,12)
SIMULATED_RACED = $(if $(PAGEMCP_ALL),4,1)

# What mostly waits for other programs (the official suite, esbuild, brotli, tsc), what measures memory, all but a few
# seeds of the simulation, and what takes five times as long with the race detector (days of a test's clock, lists of
# 20,000 entries, hundreds of joins, messages of megabytes, all of Unicode), run without it; the rest of the tests drive the same code.
# So do, except in `make test-all`, packages that start no goroutines, programs, whose goroutines are those of the packages that
# they start, and the cluster: with its NATS servers, it is most of what would be compiled for the detector alone.
ESBUILD_WORK = TestWebFilesAreReproducible|TestShippedPartsHaveTheirNotices|TestBuildsAreReproducible|TestAppsHaveNoCodeOfUnusedSources|TestAppsKeepToTheirBudgets|TestExtensionIsWritten
REPETITIVE = TestOtherOriginsGetNoNameByManyJoins|TestNamesHaveQuotaPerOrigin|TestLargestMessageIsServed|TestLargeCapabilitiesAreNotKept|TestSavesSurviveLossOfPowerAtEachStep|TestSessionsOutliveKill|TestNamesOfLongJoinedTabsOutliveKill|TestNamesProperties|TestEndlessListsAreBounded|TestAMirrorIsBounded|TestAThousandPagesOfAHundredValues|TestManySkillsAreListed|TestPlainTextKeepsNothingThatUnicodeHides
UNRACED = $(if $(PAGEMCP_ALL),none,cmd/.*|server/(bundle|clientconfig|cluster|clustertest|docs|metrics|published|release|site)|server/hosted/config|server/internal/(files|keys|labels|wait|testlimit|testports)|wasm/internal/(plain|schema)|web)
OTHERS_WORK = TestConformanceNative|TestReadsGoOnThroughFaults|TestSessionsOutliveNodes|TestNewerOfTwoHoldersStays|TestKeysAreRotated|TestPagesAreReadAtEachNodeAndOutliveOne|TestEngineKeepsToItsBudget|TestPackageHasTypes|TestSimulation|TestHostilePagesCostOthersLittle|TestLargeFramesOfAPageAreBounded|TestUnreadFramesAreBounded|$(REPETITIVE)|$(ESBUILD_WORK)

# Collecting garbage less often saves a third of the time of some packages, and takes some hundred MB.
race-others race-server: export GOGC = 400

race: race-others race-server unraced

race-others: browsers $(NPM_STAMP) $(GOTEST) binary
	$(GOTEST) -race -skip '^($(OTHERS_WORK))$$' $$($(GO) list ./... | grep -vE '/server$$|/pagemcp/pagemcp/($(UNRACED))$$')

# The messages of these tests are written down and compared with the schemas afterwards.
race-server: browsers $(NPM_STAMP) $(GOTEST) binary
	@rm -rf .cache/messages
	PAGEMCP_MESSAGES=$(CURDIR)/.cache/messages $(GOTEST) -race -count=1 -skip '^($(subst TestSimulation|,,$(OTHERS_WORK)))$$' ./server -sim.seeds $(SIMULATED_RACED)
	PAGEMCP_MESSAGES=$(CURDIR)/.cache/messages $(GOTEST) -count=1 ./server/internal/gateway
	PAGEMCP_MESSAGES=$(CURDIR)/.cache/messages $(GOTEST) -C $(INTEROP) -count=1 ./...

# Of the packages that run with the race detector, only those that have such tests: linking the others would take time without a test.
unraced: unraced-server unraced-others

unraced-server: $(NPM_STAMP) $(GOTEST) binary
	$(GOTEST) -run '^($(OTHERS_WORK))$$' ./server -sim.seeds $(SIMULATED)

unraced-others: $(NPM_STAMP) $(GOTEST) binary
	$(if $(PAGEMCP_ALL),,$(GOTEST) $$($(GO) list ./... | grep -E '/pagemcp/pagemcp/($(UNRACED))$$'))
	$(GOTEST) -run '^($(OTHERS_WORK))$$' $$(grep -rlE 'func ($(OTHERS_WORK))\(' --include='*_test.go' cmd server wasm | xargs -n 1 dirname | sort -u | grep -vE '^(server|$(UNRACED))$$' | sed 's|^|./|')

# What runs in a page: Remote does not.
under-node: $(NPM_STAMP) $(GOTEST)
	$(UNDER_NODE) $(GOTEST) -exec="$$($(GO) env GOROOT)/lib/wasm/go_js_wasm_exec" $$(GOOS=js GOARCH=wasm $(GO) list ./wasm/... | grep -v /remote)

# What our side says in these tests is written down, and compared with the schemas
# of all revisions afterwards. test/conformance is among them.
in-node: $(NPM_STAMP) binary browsers
	@$(BIN)/pagemcp build
	@rm -rf web/test/.messages .cache/built
	@$(BIN)/pagemcp build --out .cache/built
	cd web && PAGEMCP_BUILT=$(CURDIR)/.cache/built $(NODE) test/run.ts $(if $(JOBS),--jobs $(JOBS)) $(TESTS)
	PAGEMCP_MESSAGES=$(CURDIR)/web/test/.messages $(GO) test -C $(INTEROP) -count=1 -run TestRecordedMessagesFit ./internal/mcpschema

# Up to 10 minutes: nodes and NATS servers as processes, and figures of hosted.md.
cluster:
	$(GO) test -count=1 -v -timeout 10m ./server/clustertest -all
	$(GO) test -count=1 -run TestTenantsGetNothingOfEachOther ./server/hosted -isolation 1000000 -timeout 10m
	$(GO) test -run '^$$' -bench 'Joins|Rejoin' -benchtime 5000x -timeout 10m ./server/clustertest
	$(GO) test -run '^$$' -bench 'Hop' -benchtime 2000x ./server/clustertest
	$(GO) test -run '^$$' -bench 'FirstRequest|Updates' -benchtime 200x ./server/clustertest
	$(GO) test -run '^$$' -bench . -benchtime 1s ./server/cluster
	$(GO) test -run '^$$' -bench Neighbour -benchtime 100x -timeout 10m ./server/hosted

conformance: $(NPM_STAMP) binary browsers
	$(GO) test -count=1 -v -run TestConformanceNative ./server
	cd web && PAGEMCP_ALL=true $(NODE) --test --test-timeout=300000 'test/conformance/*.test.ts' test/hosted/conformance.test.ts test/hosted/cluster.test.ts

# Debian's browsers, a C compiler for the race detector, and openssl for tests of keys.
browsers:
	@missing=; \
	command -v chromium >/dev/null || missing="$$missing chromium"; \
	command -v firefox-esr >/dev/null || missing="$$missing firefox-esr"; \
	command -v gcc >/dev/null || missing="$$missing gcc libc6-dev"; \
	command -v openssl >/dev/null || missing="$$missing openssl"; \
	test -z "$$missing" && exit 0; \
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

flaky: $(NPM_STAMP) binary browsers
	@rm -rf .cache/built
	@$(BIN)/pagemcp build
	@$(BIN)/pagemcp build --out .cache/built
	cd web && PAGEMCP_BUILT=$(CURDIR)/.cache/built $(NODE) test/flaky.ts $(ARGS)

mutants:
	$(GO) run ./cmd/internal/mutants $(ARGS)

soak: $(NPM_STAMP) binary browsers
	@$(BIN)/pagemcp build
	$(MAKE) simulation SEEDS=$(if $(filter command line,$(origin SEEDS)),$(SEEDS),1000)
	$(GO) test ./server -count=1 -timeout 30m -v -run '^TestReliability$$' -reliability
	cd web && $(NODE) --test --test-timeout=1200000 'test/**/*.soak.ts'

bench: $(NPM_STAMP) binary
	cd web && $(NODE) bench/run.ts $(ARGS)

bench-playground: $(NPM_STAMP) binary browsers
	cd web && $(NODE) bench/playground.ts $(ARGS)

bench-watch: $(NPM_STAMP) binary browsers
	@$(BIN)/pagemcp build --out .cache/built
	cd web && PAGEMCP_BUILT=$(CURDIR)/.cache/built $(NODE) bench/watch.ts $(ARGS)

# The packed package, installed as an app does; about ten minutes. The tools stay in .cache/bundlers.
ONLY =
bundlers: $(NPM_STAMP) binary browsers
	@$(BIN)/pagemcp build
	cd web && $(NODE) --disable-warning=ExperimentalWarning test/bundlers/run.ts $(if $(ONLY),'$(ONLY)')

# npm fetches half a gigabyte into a temporary directory; it takes about three minutes.
clients: binary
	$(GO) run ./cmd/internal/clients

# The gateway's figures take two minutes, those of browsers a quarter of an hour:
# RELOADS=200 KILLS=50 are what the soak does.
reliability: $(NPM_STAMP) binary browsers
	@$(BIN)/pagemcp build
	$(GO) test ./server -count=1 -timeout 30m -v -run '^TestReliability$$' -reliability
	cd web && $(NODE) --test --test-timeout=1200000 'test/faults/reliability.soak.ts'
