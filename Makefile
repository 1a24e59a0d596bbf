# What a contributor and a pipeline run. Beyond Go, gcc and git, every tool is built from a pinned Go module.
SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS   += --no-print-directory

# All programs are built in one way, so that what plugin, demo, tests and Kubernetes share is compiled once. The race
# detector needs another.
export CGO_ENABLED := 0

# The Kubernetes version that demo and test run on; a folder of test/kubernetes.
export KUBE_VERSION ?= v1.37.1

VERSION := $(shell git describe --tags --dirty 2>/dev/null || echo v0.0.0-dev)
LDFLAGS := -s -w -X github.com/kubectl-finalizers/kubectl-finalizers/pkg/cmd.version=$(VERSION)
MODULES := . test test/release test/tools $(wildcard test/kubernetes/*)
TOOL    := go tool -modfile=$(CURDIR)/test/tools/go.mod
# The tree as it lies on disk, as one hash: asked for before and after, it tells whether anything was rewritten.
TREE     = GIT_INDEX_FILE=$(CURDIR)/bin/.tree bash -c 'mkdir -p bin && git add -A && git write-tree'

.PHONY: help build demo demo-down test test-skew operators dumps browser lint words fmt verify generate snapshot release vulncheck chaos fuzz story golden bench bench-stuck soak

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build the plugin: bin/kubectl-finalizers
	go build -ldflags "$(LDFLAGS)" -o bin/ ./cmd/kubectl-finalizers

demo: build ## start a control plane with stuck objects to look at
	go run -C test ./cmd/demo up --plugin $(CURDIR)/bin/kubectl-finalizers

demo-down: ## stop it
	go run -C test ./cmd/demo down

# How many stories are played at the same time, whatever the machine: they wait more than they work, and some bring a control
# plane of their own, of half a gigabyte.
PARALLEL ?= 6

test: build ## run all tests, end to end on a real control plane included
	CGO_ENABLED=1 go test -race -shuffle=on -timeout 30m ./...
	go test -C test/release -shuffle=on -timeout 30m ./...
	go test -C test -shuffle=on -parallel $(PARALLEL) -timeout 90m ./...

# On which other versions test-skew plays the stories, and what else: what reads, removes and restores.
VERSIONS ?= $(filter-out $(KUBE_VERSION),$(notdir $(wildcard test/kubernetes/*)))
SKEW     := ^(TestGolden|TestReads|TestListOutput|TestHealth.*|TestRemoval.*|TestRestore.*)$$

test-skew: build ## play stories, removal and health on the other supported Kubernetes versions, which builds each
	@for version in $(VERSIONS); do echo "== Kubernetes $$version"; \
		KUBE_VERSION=$$version go test -C test -shuffle=on -count=1 -parallel $(PARALLEL) -timeout 90m ./e2e -run '$(SKEW)' $(UPDATE) || exit 1; done

# Which operators and stories of test/operators, as go test -run has it, and -update to write their golden files again.
STORIES ?= .
UPDATE  ?=

operators: build ## play real operators, which takes long: see CONTRIBUTING.md
	go test -C test -v -count=1 -parallel $(PARALLEL) -timeout 4h ./operators -run '^TestOperators$$/$(STORIES)' -play $(UPDATE)

dumps: ## let the tools that write dumps write those in testdata/dumps/*-real, and what list and explain say of them; read the diff
	@mkdir -p bin/dumpers
	@for tool in test/dumpers/inspect:. test/dumpers/sonobuoy:. test/dumpers/support-bundle:github.com/replicatedhq/troubleshoot/cmd/troubleshoot; do \
		echo "building $${tool%%:*}"; \
		go build -C "$${tool%%:*}" -ldflags "-s -w" -o $(CURDIR)/bin/dumpers/"$$(basename "$${tool%%:*}")" "$${tool#*:}" || exit 1; done
	go run -C test ./cmd/dumps
	go test ./pkg/cmd -run '^TestDumps$$' -update

browser: ## draw -o mermaid and open -o html in a browser; needs npm and Chromium
	mkdir -p bin/browser && cp test/browser/package*.json bin/browser/
	npm ci --prefix bin/browser --ignore-scripts --no-audit --no-fund
	go test -C test -count=1 -timeout 30m ./browser -browse

lint: ## check the code against .golangci.yml, the words against the glossary, the workflows and the Krew manifest
	$(TOOL) golangci-lint run
	cd test && $(TOOL) golangci-lint run
	cd test/release && $(TOOL) golangci-lint run
	go tool -modfile=$(CURDIR)/test/release/go.mod actionlint
	go run -C test ./cmd/words
	$(TOOL) validate-krew-manifest -manifest plugins/finalizers.yaml -skip-install

words: ## find phrases that the glossary replaces, and say what to write instead
	@go run -C test ./cmd/words

fmt: ## format the code
	$(TOOL) golangci-lint fmt

verify: ## check go.mod and go.sum files, formatting, links between pages, and that generated files are fresh
	@for m in $(MODULES); do echo "go mod tidy -diff in $$m"; (cd $$m && go mod tidy -diff && go mod verify) || exit 1; done
	$(TOOL) golangci-lint fmt --diff
	go test ./docs
	@before=$$($(TREE)); $(MAKE) generate; git --no-pager diff --exit-code "$$before" "$$($(TREE))" \
		|| { echo "generated files were stale, and are now rewritten: read them and commit them"; exit 1; }

generate: ## rewrite what is generated: pkg/diagnose/zz_causes.go and pages in docs/
	go run -C test ./cmd/registry
	go run -C test ./cmd/generate

# Goreleaser has a module of its own, since it depends on 1500 packages. Make verify leaves that one out: to tidy it
# downloads modules that only tests of its dependencies need. PROCESSES is how many builds run at once.
GORELEASER := go tool -modfile=$(CURDIR)/test/tools/goreleaser/go.mod goreleaser
PROCESSES  ?= 1

snapshot: ## build everything that a release contains, in bin/dist, without publishing anything
	$(GORELEASER) release --snapshot --clean --skip=sign --parallelism $(PROCESSES)
	bin/release image bin/dist/image bin/dist/*_linux_*/kubectl-finalizers

release: ## publish a release of the tag that is checked out, as a draft: the workflow does it
	$(GORELEASER) release --clean --parallelism $(PROCESSES)
	bin/release image bin/dist/image bin/dist/*_linux_*/kubectl-finalizers

vulncheck: ## look for known vulnerabilities in what the plugin calls; needs vuln.go.dev
	$(TOOL) govulncheck ./...

# How long each fuzz target runs, and which do, as a regular expression.
FUZZTIME ?= 20s
TARGET   ?= .*

fuzz: ## feed the parsers of what others write with made-up input
	@grep -rHo --include='*_test.go' '^func Fuzz[A-Za-z]*' pkg internal | grep -E ' ($(TARGET))$$' | sort | while IFS=: read -r file target; do \
		echo "== $$file $${target#func }"; \
		go test "./$$(dirname "$$file")" -run '^$$' -fuzz "^$${target#func }$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x </dev/null || exit 1; \
	done

# What bench fills its cluster with, how often it measures, and at which other sizes.
OBJECTS ?= 80000
CRDS    ?= 200
ROUNDS  ?= 5
GROWTH  ?= 20000,320000

bench: build ## measure on a big cluster, beside the alternatives, and rewrite docs/performance.md
	go run -C test ./cmd/bench --plugin $(CURDIR)/bin/kubectl-finalizers --page $(CURDIR)/docs/performance.md \
		--objects $(OBJECTS) --crds $(CRDS) --rounds $(ROUNDS) --growth "$(GROWTH)"

# How much is stuck for bench-stuck: objects, of how many types, in how many namespaces; of CUSTOM types in all, beside IDLE objects.
STUCK      ?= 20000
TYPES      ?= 200
NAMESPACES ?= 500
CUSTOM     ?= $(TYPES)
IDLE       ?= 0

bench-stuck: build ## let much be stuck, and see that memory and requests stay within their bounds
	go run -C test ./cmd/bench stuck --plugin $(CURDIR)/bin/kubectl-finalizers \
		--objects $(STUCK) --types $(TYPES) --namespaces $(NAMESPACES) --crds $(CUSTOM) --idle $(IDLE)

soak: build ## follow a churning cluster for ten minutes, and see that list -w does not grow
	go run -C test ./cmd/bench soak --plugin $(CURDIR)/bin/kubectl-finalizers

# How many schedules of faults chaos plays, and from which seed on: a test's name says its own.
FAULTS ?= 1000
SEED   ?= 1000

chaos: build ## run every command against servers that are broken at random; replay one with FAULTS=1 SEED=<seed>
	go test -C test ./e2e -timeout 0 -count=1 -run '^TestFaults$$' -faults $(FAULTS) -fault-seed $(SEED)

story: ## play NAME=<folder of testdata/scenarios>, record it and rewrite its golden files
	@: $(if $(NAME),,$(error name the story: make story NAME=<folder of testdata/scenarios>))
	@: $(if $(wildcard testdata/scenarios/$(NAME)/story.yaml),,$(error there is no testdata/scenarios/$(NAME)/story.yaml))
	@$(MAKE) build
	go test -C test ./e2e -timeout 30m -run '^TestGolden$$/^$(NAME)$$' -update
	go test ./pkg/cmd -run '^TestScenarios$$/^$(NAME)$$' -update

golden: build ## record all stories again and rewrite their golden files; read the diff before you commit it
	go test -C test ./e2e -parallel $(PARALLEL) -timeout 90m -run Golden -update
	go test ./pkg/cmd -run Scenarios -update
