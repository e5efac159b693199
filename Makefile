# Every target installs what it needs from Debian, builds, and does its job.
PREFIX ?= /usr/local
SOURCES := $(shell git ls-files '*.h' '*.cc' 2>/dev/null)

.PHONY: build test demo bench python install format lint asan tsan fuzz clean needs packages deb wheel tarball r-package web-test site
build: needs
	@cmake --preset release >/dev/null
	@cmake --build --preset release

test: build
	@tools/install_packages.sh test
	ctest --preset release

demo: needs
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target conflux_command
	examples/demo.sh build/release/apps/conflux/conflux out

# Limits of the machine and peers are measured in the same run.
bench: needs
	@tools/install_packages.sh study
	@cmake --preset bench >/dev/null
	@cmake --build --preset bench
	build/bench/bench/conflux_bench
	/usr/bin/python3 tools/compare_csv.py build/bench/bench/read_csv_time
	/usr/bin/python3 tools/compare_transform.py build/bench/apps/conflux/conflux

# Runs from the root: in python/ the sources would hide the installed package. Where `make test` has
# installed the command, the test of one workflow runs again, now with Python.
VENV := build/venv
INSTALLED := build/release/tests/installed/bin/conflux
python: needs
	@tools/install_packages.sh python
	@python/tools/make_venv.sh $(VENV)
	$(VENV)/bin/python -m pip install --verbose --no-deps --force-reinstall ./python
	@cmake --build build/release --target conflux_native_fit conflux_command
	$(VENV)/bin/python -m pytest -c python/pyproject.toml --rootdir python -q --doctest-modules --pyargs conflux python/tests
	@[ ! -x $(INSTALLED) ] || CONFLUX=$(CURDIR)/$(INSTALLED) /usr/bin/python3 tests/cli/test_one_workflow.py
	$(VENV)/bin/python -m mypy --config-file python/pyproject.toml --cache-dir build/mypy python/conflux
	$(VENV)/bin/python -m flake8 --config python/.flake8 python

install: build
	cmake --install build/release --prefix $(PREFIX)

# What others install. Dates are those of the last commit, so that the same sources give the same bytes.
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
MULTIARCH = $(shell dpkg-architecture -qDEB_HOST_MULTIARCH)
deb: needs
	@tools/install_packages.sh package
	@cmake --preset release -DCMAKE_INSTALL_LIBDIR=lib/$(MULTIARCH) >/dev/null
	@cmake --build --preset release --target conflux conflux_shared conflux_command_manual
	@cmake -E rm -rf build/release/packages
	cd build/release && cpack >/dev/null
	@cmake --preset release -DCMAKE_INSTALL_LIBDIR=lib >/dev/null
	@mkdir -p build/packages && rm -f build/packages/*.deb && mv build/release/packages/*.deb build/packages/
	lintian --fail-on error,warning --allow-root build/packages/*.deb

tarball: needs
	@tools/install_packages.sh package
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target conflux_command_manual
	packaging/make_tarball.sh build/release build/packages

# Everything but the C and C++ libraries is inside; tested in a fresh environment.
wheel: needs
	@tools/install_packages.sh python package
	@mkdir -p build/packages
	CONFLUX_BUNDLE=1 /usr/bin/python3 -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/packages ./python
	packaging/try_wheel.sh build/packages

# ROOMS="files tables" builds and tests these rooms only; without, everything. LEAVE_OUT="Suite.Test
# Other.*" leaves out these tests, and says so.
ROOMS ?=
LEAVE_OUT ?=
space := $() $()
asan: needs
	@tools/install_packages.sh test clang
	@cmake --preset asan >/dev/null
	@cmake --build --preset asan $(if $(ROOMS),--target $(ROOMS:%=%_test))
	$(if $(LEAVE_OUT),GTEST_FILTER='-$(subst $(space),:,$(strip $(LEAVE_OUT)))') \
	  ctest --preset asan $(if $(ROOMS),-R '^($(subst $(space),|,$(strip $(ROOMS))))_[0-3]$$')

# The programs whose subjects share work among threads, and what the command does on threads: every method
# and every judgement (test_threads.py), its reports, its server.
THREADED ?= core comm slicing flow metrics matching fitting training judging
THREADED_TOPICS ?= threads report serve
# clang 14's ThreadSanitizer cannot start where kernels scatter addresses as widely as newer ones do.
PLAIN_ADDRESSES = $(shell setarch -R true 2>/dev/null && echo setarch -R)
tsan: needs
	@tools/install_packages.sh test clang
	@cmake --preset tsan >/dev/null
	@cmake --build --preset tsan --target conflux_command $(THREADED:%=%_test)
	@for room in $(THREADED); do \
	  RC_PARAMS="seed=1 max_success=20" $(PLAIN_ADDRESSES) build/tsan/tests/$${room}_test --gtest_brief=1 || exit 1; done
	@for topic in $(THREADED_TOPICS); do \
	  CONFLUX=$(CURDIR)/build/tsan/apps/conflux/conflux $(PLAIN_ADDRESSES) /usr/bin/python3 tests/cli/test_$$topic.py || exit 1; done

# Parsers on inputs that libFuzzer invents, and the properties of the tests that `make asan` has built
# on new ones. SEED=1 makes the same inputs every time and leaves out the properties; RUNS=2000 makes so
# many, unless SECONDS_EACH is over before.
FUZZERS := csv npy npz mat idx fcs mtx h5ad nc picture model http
SECONDS_EACH ?= 60
SEED ?= 0
RUNS ?= -1
fuzz: needs
	@tools/install_packages.sh clang
	@cmake --preset asan >/dev/null
	@cmake --build --preset asan --target $(FUZZERS:%=fuzz_%)
	@for parser in $(FUZZERS); do mkdir -p build/fuzz/corpus/$$parser && \
	  build/asan/tests/fuzz/fuzz_$$parser -seed=$(SEED) -runs=$(RUNS) -max_total_time=$(SECONDS_EACH) -max_len=65536 -len_control=10 -print_final_stats=1 \
	    -artifact_prefix=build/fuzz/ build/fuzz/corpus/$$parser tests/fuzz/seeds/$$parser || exit 1; done
	@[ $(SEED) != 0 ] || for tests in build/asan/tests/*_test; do \
	  [ ! -x $$tests ] || $$tests --gtest_brief=1 --gtest_filter='*_RapidCheck.*' || exit 1; done

# The pages in a real browser; says so and passes where there is none.
web-test: needs
	@tools/install_packages.sh web || true
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target conflux_command
	tests/web/run.sh build/release/apps/conflux/conflux build/web

# The documentation as pages, with reports on the data that DATA holds.
DATA ?= ../shared/data
site: needs
	@tools/install_packages.sh site
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target conflux_command conflux_reproduce
	/usr/bin/python3 tools/make_gallery.py build/release/apps/conflux/conflux $(DATA) build/gallery
	/usr/bin/python3 tools/make_site.py build/release/apps/conflux/conflux build/gallery build/site
	doxygen docs/site/Doxyfile && cp -r build/doxygen/html build/site/cpp

needs:
	@tools/install_packages.sh build

# R CMD INSTALL build/packages/conflux_*.tar.gz, with libconflux installed.
r-package:
	@tools/install_packages.sh r
	@mkdir -p build/packages
	cd build/packages && R CMD build --no-manual ../../r

# Everything that others install, into build/packages.
packages: deb tarball wheel r-package

format:
	@tools/install_packages.sh lint
	clang-format -i $(SOURCES)

# TIDY=changed checks what is compiled together with the sources that the last commit and the working
# tree have changed. clang cannot read the headers that g++ has precompiled, nor knows all its
# warnings, so clang-tidy has flags of its own.
TIDY ?= all
LAST := $(shell git rev-parse -q --verify HEAD~1 || git hash-object -t tree /dev/null)
CHANGED = $(shell git diff --name-only --diff-filter=d $(LAST) -- 'src/*.cc')
lint: needs
	@tools/install_packages.sh lint
	clang-format --dry-run -Werror $(SOURCES)
	@cmake --preset lint >/dev/null
ifeq ($(TIDY),changed)
	$(if $(CHANGED),tools/tidy.py build/lint $(CHANGED))
else
	tools/tidy.py build/lint
endif

clean:
	rm -rf build out
