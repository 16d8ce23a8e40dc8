# dynamo: DynamoDB inside PostgreSQL.  "make help" lists the targets.
#
# Targets of the first branch below install what they need, so they must work
# where there is no pg_config yet; all others are those of every PGXS
# extension.

# With a comment each, which "make help" prints.
define HELP
make                      build, as every PGXS extension; PG_CONFIG= picks the server
make install              install into that server
make installcheck         run the regression tests on a running server
make demo                 build, start a private server, walk through a shop
make demo-stop            end the server of the demo
make test                 every suite; ends with "N passed, M failed"
make test-distributed     tables on Citus, where it is installed or CITUS_SOURCE= names its sources
make beside               in a database with PostGIS, pg_cron and others, which it installs
make stores               buckets at another store, s3proxy, by HTTP and TLS; needs Java and Maven
make majors               compile for 15 to 19, and run the tests of SQL on one other than yours
make matrix               the tests with each of 15 to 19; MAJORS=18 MATRIX_SERVERS=DIR POSTGRES_SOURCES=DIR
make portable             compile for them by clang, too, and for other machines
make big-endian           the regression files on s390x, which qemu runs; TESTS="sql/a.sql sql/b.sql"
make test-upgrade         from one version of dynamo, and of PostgreSQL, to the next
make check TESTS="..."    some test files, by their paths: sql/shop.sql test/t/dump.pl
make bench                every benchmark, as Markdown tables; BENCH_DOCS=docs keeps them there
make fuzz                 fuzz every parser; SECONDS=3600 SEED=1
make torture              kill, fill and starve a server; SECONDS=600 ROUNDS=500 SEED=1
make past                 random faults over points in time; SECONDS=3600 SEED=1
make regions              random faults over three regions; SECONDS=3600 ROUNDS=200 SEED=1
make sanitize             tests and fuzzing where errors in memory are found; SECONDS=600
make foreign              core's tests: the same output with dynamo as without
make leak                 a million requests; does the memory of HTTP workers grow?
make console              build the page of GET /console, for "make install"; needs Node.js
make dist                 the archive of a release, the same bytes for the same commit, in tmp/dist
make package              Debian's package and an RPM, used as docs/install.md says, in a clean root; MAJOR=17
make image-test           the container image, built and run without docker; MAJOR=18
make ci-examples          the examples of docs/ci.md, without docker
make reference            docs/reference, from the COMMENTs and the table of operations
make site                 the documents as a site, in tmp/site; strict about links
make release              check, test, tag and archive; CONTRIBUTING.md has the list
make monitoring           the dashboard and the alerts of docs/monitoring, with Prometheus itself
make mutants              break the source on purpose; do the tests notice?
make format               lay the sources out as pgindent does
make differential         compare with DynamoDB Local; needs Java and Maven
endef
export HELP

COMMANDS = demo demo-stop test

ifneq (,$(filter $(COMMANDS) beside bench big-endian check ci-examples console differential dist foreign format fuzz help image-test leak majors matrix monitoring mutants package past portable reference regions release sanitize site stores test-distributed test-upgrade torture,$(MAKECMDGOALS)))

.PHONY: $(COMMANDS) beside bench big-endian check ci-examples console differential dist foreign format fuzz help image-test leak majors matrix monitoring mutants package past portable reference regions release sanitize site stores test-distributed test-upgrade torture
$(COMMANDS):
	@test/run $@

help:
	@echo "$$HELP"

# With assertions.  test/README.md says what is where.
check:
	@PG_CONFIG=$$(test/setup test) && export PG_CONFIG && \
		test/server install "-O2 -DUSE_ASSERT_CHECKING" && \
		test/run these $(TESTS)

# What is built is kept until the next one, and "make install" installs it.
console:
	@cd console && npm ci --no-audit --no-fund --loglevel=error && npm run check && npm run build

dist:
	@packaging/dist

# As root: they make clean roots of Debian's packages.
package:
	@test/package/run $(MAJOR)
image-test:
	@test/image/run $(or $(MAJOR),17)

ci-examples:
	@PG_CONFIG=$$(test/setup test) && export PG_CONFIG && \
		test/server install "-O2" && \
		test/ci/run

release:
	@packaging/release

reference:
	@PG_CONFIG=$$(test/setup test) && export PG_CONFIG && \
		test/server install && \
		test/run reference

site:
	@test/docs/site

# Prometheus is Debian's, unpacked and not installed.
monitoring:
	@PG_CONFIG=$$(test/setup test) && export PG_CONFIG && \
		test/server install "-O2 -DUSE_ASSERT_CHECKING" && \
		test/monitoring/run

# With what Debian packages of the extensions that people have.
beside:
	@PG_CONFIG=$$(test/setup beside) && export PG_CONFIG && \
		test/server install "-O2 -DUSE_ASSERT_CHECKING" && \
		{ test/pgvector || true; } && \
		test/run these test/t/beside_extensions.pl

# Maven fetches a store of 43 MB, so it is no part of test.
stores:
	@PG_CONFIG=$$(test/setup clients) && export PG_CONFIG && \
		test/server install "-O2 -DUSE_ASSERT_CHECKING" && \
		test/run these test/t/store/s3proxy.pl

# test/majors/run says where they are looked for.
majors:
	@test/majors/run turn
matrix:
	@test/majors/run matrix $(MAJORS)
portable:
	@test/majors/run portable $(MAJORS)

# As root, like package.
big-endian:
	@test/majors/big-endian $(TESTS)

# CITUS_SOURCE=/path/to/citus.tar.xz; says that it is skipped where there is no
# Citus.
test-distributed:
	@test/distributed/run

# docs/upgrading.md, followed, between the majors that are found.
test-upgrade:
	@test/upgrade/run majors

# Needs Debian's pg-bsd-indent, and the objects of a build.
format:
	@test/format

# BENCH_DOCS=docs: what it prints becomes docs/benchmarks/results.md, with plots.
# BENCH_QUICK=1: tiny sizes, to see that every script runs through.  BENCH="plain
# http": these scripts alone.
bench:
	@test/run bench $(if $(BENCH_QUICK),--quick) $(if $(BENCH_DOCS),--docs $(BENCH_DOCS)) $(BENCH)

# Against Amazon's DynamoDB Local; wants Java and Maven, so it is no part of
# test.  DIFFERENTIAL="--count 20000 --seed 7"
differential:
	@test/differential/run.py $(DIFFERENTIAL)

# Every parser and the input of items, on a private server that is built for
# it; test does a little of it.
SECONDS ?= 600
SEED    ?= 1
fuzz:
	@PG_CONFIG=$$(test/setup test) && export PG_CONFIG && \
		test/fuzz/run.py --seconds $(SECONDS) --seed $(SEED)

# Clients at work while processes are killed, disks full and memory short, and
# a full check after each round; test does a little of it.
ROUNDS  ?= 1000000
torture:
	@PG_CONFIG=$$(test/setup test) && export PG_CONFIG && \
		test/torture/run.py --seconds $(SECONDS) --rounds $(ROUNDS) \
			--seed $(SEED)

# Times that are asked for while clocks are moved and processes stopped.
past:
	@PG_CONFIG=$$(test/setup test) && export PG_CONFIG && \
		test/torture/past.py --seconds $(SECONDS) --seed $(SEED)

# A global table in three regions, which all write while they are cut off and killed.
regions:
	@PG_CONFIG=$$(test/setup test) && export PG_CONFIG && \
		test/torture/regions.py --seconds $(SECONDS) --rounds $(ROUNDS) \
			--seed $(SEED)

# Core's own regression tests, in a database with the extension and in one
# without it.
foreign:
	@PG_CONFIG=$$(test/setup test) && export PG_CONFIG && \
		test/foreign

leak:
	@PG_CONFIG=$$(test/setup test) && export PG_CONFIG && \
		test/torture/leak.py

# Regression, isolation and fuzzing, on a server built from the source of
# PostgreSQL (test/sanitizer/build).
sanitize:
	@test/run sanitize $(SECONDS)

# Break the source in many small ways, and see that the tests notice.
mutants:
	@PG_CONFIG=$$(test/setup test) && export PG_CONFIG && \
		test/mutants/run.py $(MUTANTS)

else

EXTENSION   = dynamo
MODULE_big  = dynamo
DATA        = dynamo--1.0.sql dynamo--1.0--1.1.sql
PGFILEDESC  = "dynamo - DynamoDB inside PostgreSQL"

GENERATED   = src/expr/expr_gram.c src/expr/expr_gram.h src/expr/expr_scan.c \
			  src/partiql/partiql_gram.c src/partiql/partiql_gram.h \
			  src/partiql/partiql_scan.c

# Names without the folder of the sources, which is another than that of the
# build after "make -f /path/to/Makefile".
found       = $(patsubst $(srcdir)/%,%,$(wildcard $(addprefix $(srcdir)/,$(1))))
SOURCES     = $(filter-out $(GENERATED), $(call found,src/*/*.c)) \
			  $(call found,src/*/*.y src/*/*.l)
OBJS        = $(sort $(addsuffix .o, $(basename $(SOURCES))))
LOCAL_HEADERS = $(filter-out $(GENERATED), $(call found,src/*/*.h))

# The version of the SQL objects, and that of the release: 1.0 is in 1.0.0 and 1.0.1.
EXT_VERSION = $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" $(srcdir)/dynamo.control)
EXT_RELEASE = $(shell sed -n 's/^   "version": "\(.*\)",/\1/p' $(srcdir)/META.json)

PG_CPPFLAGS = -I$(srcdir)/src -Isrc -I$(libpq_srcdir) \
			  -DDYNAMO_VERSION='"$(EXT_VERSION)"' -DDYNAMO_RELEASE='"$(EXT_RELEASE)"'
SHLIB_LINK  = $(libpq) -ljansson -lmicrohttpd -lcurl -lexpat -lgnutls -lz -lzstd

# A server loads all modules into one space of names.  Only what it looks up can
# be seen from outside, and nobody's function of the same name is called in the
# place of ours.  So the compiler may inline, and a call is a call.
EXPORTS     = $(srcdir)/src/exports.map
SHLIB_LINK += -Wl,--version-script=$(EXPORTS) -Wl,-Bsymbolic

# Whatever the encoding and the locale of the server.
REGRESS      = $(sort $(patsubst sql/%.sql,%,$(call found,sql/*.sql)))
REGRESS_OPTS = --inputdir=$(srcdir) --load-extension=dynamo --encoding=UTF8 --no-locale

EXTRA_CLEAN = $(GENERATED) results regression.diffs regression.out

# Bitcode serves inlining by the JIT; nothing here runs inside a JITed query.
override with_llvm = no

BISON ?= bison
FLEX  ?= flex

PG_CONFIG ?= pg_config
PGXS      := $(shell $(PG_CONFIG) --pgxs)
ifeq ($(wildcard $(PGXS)),)
$(error $(PG_CONFIG) shows no server to build for: install \
	postgresql-server-dev-15 or newer, or name one by PG_CONFIG=)
endif
include $(PGXS)

override CFLAGS += -fno-semantic-interposition

$(OBJS): $(LOCAL_HEADERS) dynamo.control META.json
$(OBJS) $(filter %.c, $(GENERATED)): | ready

# What lacks is named before the compiler stumbles over it.
.PHONY: ready
ready:
	@CPPFLAGS='$(filter -I%, $(CPPFLAGS))' $(srcdir)/test/setup libraries
	@mkdir -p $(sort $(dir $(OBJS)))

dynamo.so: $(EXPORTS)

# The console's files, where "make console" has built them, or the archive of a
# release has them, with the licenses of what is in them.
console_files = $(wildcard $(addprefix $(srcdir)/console/dist/, index.html console.js console.css \
				index.html.gz console.js.gz console.css.gz notices.txt))
ifneq ($(console_files),)
install: install-console
uninstall: uninstall-console
endif
.PHONY: install-console uninstall-console
install-console:
	$(MKDIR_P) '$(DESTDIR)$(datadir)/dynamo-console'
	chmod 755 '$(DESTDIR)$(datadir)/dynamo-console'
	$(INSTALL_DATA) $(console_files) '$(DESTDIR)$(datadir)/dynamo-console/'
uninstall-console:
	rm -rf '$(DESTDIR)$(datadir)/dynamo-console'

# Bison writes the parser and its header in one go, in no certain order.
src/expr/expr_gram.h: src/expr/expr_gram.c
	touch $@
src/expr/expr_gram.c: BISONFLAGS += -d
src/expr/expr_gram.o src/expr/expr_scan.o: src/expr/expr_gram.h
src/partiql/partiql_gram.h: src/partiql/partiql_gram.c
	touch $@
src/partiql/partiql_gram.c: BISONFLAGS += -d
src/partiql/partiql_gram.o src/partiql/partiql_scan.o: src/partiql/partiql_gram.h

endif
