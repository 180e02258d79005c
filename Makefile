# Tonearm: `make run`, `make demo FILE=song.mp3`, `make test`. `make help` lists the rest.

DATA ?= data
LISTEN ?= 127.0.0.1:8080
FILE ?=
TONEARM := target/release/tonearm
# Compiled in half the time. Delivery to many needs `make build`.
TRIAL := $${CARGO_TARGET_DIR:-target}/debug/tonearm
# The programs are built together with the tests: apart from them, they would need many libraries with other features.
nextest = if cargo nextest --version >/dev/null 2>&1; then cargo nextest run --workspace --all-targets --locked --profile $(TESTS) $(1); else cargo test --workspace --all-targets --locked $(1); fi
# A profile of .config/nextest.toml.
TESTS := gate

# What this project gets for its checks, without installing it.
export PATH := $(CURDIR)/.cache/tools/bin:$(PATH)

.PHONY: help run demo trial build package test-package image player sdk test test-all test-times lint style rules dependencies fmt browsers pictures chaos cluster simulate endurance neighbours fuzz-api fuzz-media fuzz-edge formats errors answers bench rust ffmpeg

help: ## List all targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

run: trial ffmpeg ## Start the service with SQLite and a local folder
	@$(TRIAL) --data-dir $(DATA) serve --listen $(LISTEN) --setup

demo: trial ffmpeg ## Process FILE (default: a generated sound) and print URLs that play
	@TONEARM_LISTEN=$(LISTEN) $(TRIAL) --data-dir $(DATA) demo $(if $(FILE),"$(FILE)")

trial: rust
	@cargo build --locked --bin tonearm

build: rust ## Build the program with optimizations (target/release/tonearm)
	@cargo build --release --quiet --bin tonearm

package: rust ## Build the Debian package, an archive for other systems, and the list of components (target/package)
	@tools/need python3 python3
	@tools/package/build

image: package ## Build a container image from the package, without a registry (target/package/tonearm-image.tar; needs root)
	@tools/need mmdebstrap mmdebstrap
	@tools/package/image $$(ls -t $${CARGO_TARGET_DIR:-target}/package/tonearm_*.deb | head -1) $${CARGO_TARGET_DIR:-target}/package/tonearm-image.tar

test-package: rust ## Test the package: boot a Debian system, install, play, upgrade, purge; and the container image (TONEARM_BINARY)
	@tools/package/test

player: ## Bundle the player after a change to its modules (needs npm)
	@tools/player/build

sdk: trial ## Generate the clients in sdk/ from the OpenAPI description
	@$(TRIAL) openapi > sdk/openapi.json.new && mv sdk/openapi.json.new sdk/openapi.json
	@tools/need python3 python3
	@tools/sdk/fetch
	@tools/sdk/generate
	@tools/sdk/types

test: rust ffmpeg ## Run the tests
	@tools/need psql postgresql jq jq curl curl openssl openssl python3 python3 node nodejs chromium chromium chromedriver chromium-driver nginx nginx-light
	@tools/unpack caddy caddy kubectl kubernetes-client promtool prometheus pebble pebble
	@tools/optional caddy caddy kubectl kubernetes-client docker-compose docker-compose-plugin promtool prometheus systemd-analyze systemd pebble pebble php php-cli
	@tools/axe/fetch
	@tools/tus/fetch
	@tools/sdk/fetch
	@$(call nextest,--no-run)
	@[ -e tools/axe/node_modules/axe-core/axe.min.js ] || export TONEARM_WITHOUT_AXE=1; \
		tools/test $(TRIAL) tools/with-postgres sh -c '$(call nextest)'

test-all: ## Run all tests: those of the gate, each on both databases, and pages in all views (pictures in target/pictures)
	@TONEARM_PICTURES="$(CURDIR)/target/pictures" $(MAKE) test TESTS=default

test-times: ## Print the slowest tests of the last run, and the sums of files
	@tools/test-times target/nextest/gate/junit.xml

lint: style ## Check formatting and lints
	@cargo clippy --workspace --all-targets --locked -- -D warnings

style: rust
	@cargo fmt --all --check
	@tools/check-dependencies
	@tools/unpack promtool prometheus
	@tools/check-rules

rules: ## Check the alerts for Prometheus with promtool
	@tools/unpack promtool prometheus
	@tools/check-rules

dependencies: rust ## Check licences, sources, unused dependencies and advisories (needs a network)
	@tools/check-dependencies --install
	@cargo deny check advisories

fmt: rust ## Format the code
	@cargo fmt --all

browsers: rust ffmpeg ## Before a release: a story in Firefox and in WebKit
	@tools/browsers

pictures: rust ffmpeg ## Take screenshots of every dashboard page (DIR, default target/pictures)
	@tools/need chromium chromium chromedriver chromium-driver
	@tools/axe/fetch
	@[ -e tools/axe/node_modules/axe-core/axe.min.js ] || export TONEARM_WITHOUT_AXE=1; \
		TONEARM_PICTURES="$(or $(DIR),$(CURDIR)/target/pictures)" cargo test --package tonearm --test it -- --include-ignored \
		pictures_of_every_page what_scripts_add_to_pages an_app_is_set_up an_account_at_a_provider a_disabled_person \
		pages_that_follow_a_form the_bar_and_the_selection

chaos: rust ffmpeg ## Upload while the server is killed repeatedly (ROUNDS, default 20)
	@TONEARM_CHAOS_ROUNDS=$${ROUNDS:-20} cargo test --release --package tonearm --test it chaos -- --nocapture
	@cargo test --release --package tonearm --test it webhooks -- --ignored --nocapture

endurance: build ffmpeg ## Upload 8 GiB over a connection that breaks, and 500 files to nodes that are killed (BYTES, UPLOADS)
	@TONEARM_BIN=$(abspath $(TONEARM)) TONEARM_ENDURANCE_BYTES=$${BYTES:-8589934592} TONEARM_ENDURANCE_UPLOADS=$${UPLOADS:-500} \
		cargo test --release --package tonearm --test it endurance -- --ignored --nocapture --test-threads 1

neighbours: rust ffmpeg ## Test a rolling upgrade: the previous version (NEIGHBOUR, a commit) and this one on one database
	@tools/neighbours $${NEIGHBOUR:-e49ecea}

cluster: build ffmpeg ## Upload while nodes, database, bucket and disk fail for minutes (UPLOADS, OUTAGE, NODES, SEED, DISK_UPLOADS, DISK_OUTAGE)
	@tools/need psql postgresql unshare util-linux
	@cargo build --release --quiet --package tonearm-cluster
	@target/release/tonearm-cluster --uploads $${UPLOADS:-10000} --outage $${OUTAGE:-600} --nodes $${NODES:-3} --seed $${SEED:-1}
	@target/release/tonearm-cluster --disk --uploads $${DISK_UPLOADS:-1000} --outage $${DISK_OUTAGE:-20} --seed $${SEED:-1}

simulate: rust ## Simulate 1, 10 and 100 nodes, and their load on the database (MINUTES, JOBS, PLAYS, SEED; docs/scaling.md)
	@tools/need psql postgresql
	@cargo run --release --quiet --package tonearm-simulation -- --minutes $${MINUTES:-10} --jobs $${JOBS:-600} --plays $${PLAYS:-5} --seed $${SEED:-1}

fuzz-api: build ffmpeg ## Test the whole API with schemathesis (EXAMPLES, default 200)
	@tools/fuzz-api $(TONEARM) $${EXAMPLES:-200}

fuzz-media: rust ffmpeg ## Upload damaged audio files of every kind, and try loudness targets in every codec (FILES, default 2000)
	@TONEARM_DAMAGED_FILES=$${FILES:-2000} cargo test --release --package tonearm --test it damaged -- --nocapture
	@cargo test --release --package tonearm-media --test it targets -- --ignored

fuzz-edge: rust ## Try forged URLs and odd ranges (CASES, default 1000000)
	@PROPTEST_CASES=$${CASES:-1000000} cargo test --release --package tonearm-signing --test it -- forgeries tampering
	@PROPTEST_CASES=$${CASES:-1000000} cargo test --release --package tonearm-edge --lib -- range conditional

formats: rust ffmpeg ## Regenerate the tables of docs/formats.md
	@TONEARM_WRITE_FORMATS=1 cargo test --package tonearm-media --test it every_format_of_the_document

errors: rust ## Regenerate the tables of docs/errors.md
	@TONEARM_WRITE_ERRORS=1 cargo test --package tonearm-domain --lib the_page_of_errors

answers: rust ffmpeg ## Record the example answers of /docs again; then make sdk
	@TONEARM_WRITE_ANSWERS=1 cargo test --package tonearm-api --test it contract::sqlite::every_operation_answers_as_described

bench: rust ffmpeg ## Run the benchmarks with the program as packages ship it; see docs/benchmarks.md
	@tools/need wrk wrk h2load nghttp2-client nginx nginx-light openssl openssl
	@cargo build --profile dist --quiet --package tonearm
	@cargo run --profile dist --quiet --package tonearm-bench

rust:
	@command -v cargo >/dev/null 2>&1 || { echo "Please install Rust 1.95 or newer from rustup.rs" >&2; exit 1; }
	@tools/need cc build-essential

ffmpeg:
	@tools/need ffmpeg ffmpeg
