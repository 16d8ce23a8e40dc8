# dynamo: DynamoDB inside PostgreSQL
#
# make, make install, make installcheck           as in every PGXS extension
# make demo, make demo-stop, make test, make bench   see README.md
# make fuzz SECONDS=3600 SEED=1                      see test/fuzz/run.py
#
# The second line's targets install what they need, so they must work where
# there is no pg_config yet.

COMMANDS = demo demo-stop test bench

ifneq (,$(filter $(COMMANDS) differential fuzz,$(MAKECMDGOALS)))

.PHONY: $(COMMANDS) differential fuzz
$(COMMANDS):
	@test/run $@

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

else

EXTENSION   = dynamo
MODULE_big  = dynamo
DATA        = dynamo--1.0.sql
PGFILEDESC  = "dynamo - DynamoDB inside PostgreSQL"

GENERATED   = src/expr/expr_gram.c src/expr/expr_gram.h src/expr/expr_scan.c
SOURCES     = $(filter-out $(GENERATED), $(wildcard src/*/*.c)) \
			  $(wildcard src/expr/*.y src/expr/*.l)
OBJS        = $(sort $(addsuffix .o, $(basename $(SOURCES))))
LOCAL_HEADERS = $(filter-out $(GENERATED), $(wildcard src/*/*.h))

EXT_VERSION = $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" $(srcdir)/dynamo.control)

PG_CPPFLAGS = -I$(srcdir)/src -DDYNAMO_VERSION='"$(EXT_VERSION)"'
SHLIB_LINK  = -ljansson -lmicrohttpd -lgnutls -lz

REGRESS      = $(sort $(patsubst sql/%.sql,%,$(wildcard sql/*.sql)))
REGRESS_OPTS = --inputdir=. --load-extension=dynamo

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

$(OBJS): $(LOCAL_HEADERS) dynamo.control

# Bison writes the parser and its header in one go, in no certain order.
src/expr/expr_gram.h: src/expr/expr_gram.c
	touch $@
src/expr/expr_gram.c: BISONFLAGS += -d
src/expr/expr_gram.o src/expr/expr_scan.o: src/expr/expr_gram.h

endif
