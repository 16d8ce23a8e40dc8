# dynamo: DynamoDB inside PostgreSQL
#
# make, make install, make installcheck   as in every PGXS extension
# make demo, make demo-stop, make test, make bench   see README.md

EXTENSION   = dynamo
MODULE_big  = dynamo
DATA        = dynamo--1.0.sql
PGFILEDESC  = "dynamo - DynamoDB inside PostgreSQL"

GENERATED   = src/expr/expr_gram.c src/expr/expr_gram.h src/expr/expr_scan.c
SOURCES     = $(sort $(wildcard src/*/*.c) $(wildcard src/expr/*.y src/expr/*.l))
OBJS        = $(sort $(patsubst %.y,%.o,$(patsubst %.l,%.o,$(SOURCES:.c=.o))))
LOCAL_HEADERS = $(wildcard src/*/*.h)

PG_CPPFLAGS = -I$(srcdir)/src
SHLIB_LINK  = -ljansson

REGRESS      = $(sort $(patsubst sql/%.sql,%,$(wildcard sql/*.sql)))
REGRESS_OPTS = --inputdir=. --load-extension=dynamo

EXTRA_CLEAN = $(GENERATED) results regression.diffs regression.out

PG_CONFIG ?= pg_config
PGXS      := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# Bitcode serves inlining by the JIT; nothing here runs inside a JITed query.
override with_llvm = no

BISON ?= bison
FLEX  ?= flex

$(OBJS): $(LOCAL_HEADERS)

.PHONY: demo demo-stop test bench
demo demo-stop test bench:
	test/run $@
