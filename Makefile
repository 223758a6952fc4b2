# Cairn's build, for GNU make on a Linux machine.
#
#   make               library and program in build/          make demo        install what is missing, build, run
#   make test          every test; NAME=world, FILTER='*ray*'  make bench       NAME=base for one suite
#   make asan ubsan tsan    the tests under a sanitizer       make sanitize    asan and ubsan at once
#   make chaos         CHAOS_SEEDS=1:20000: random worlds of each kind
#   make heaps         HEAP_SEEDS=1:1000: random heaps under Coulomb's law
#   make fuzz          FUZZ_SECONDS=20 for each target
#   make lint          format, clang-tidy, layers             make docs        build/docs/
#   make coverage      lines and branches of the library that the tests run
#   make nightly       what takes too long for every change: long tests, tsan, fuzz, chaos, heaps, golden with clang, deep lint, coverage
#   make install       PREFIX=/usr/local DESTDIR=, for any x86-64-v2 machine; NATIVE=1: for machines like this one
#   make clean
#
# Settings: CC=clang, PORTABLE=1 (x86-64-v2 instead of this machine), V=1 (whole commands), BUILD=folder, JOBS=n,
# WERROR=0 (warnings of a compiler we have not met are not errors), CHOLMOD=1 (the solver bpp-cholmod; the library is then under
# CHOLMOD's licences, LGPL and GPL), METIS=0 (without the partitioner metis, which is there where the library is found),
# VIEWER=0 (the program without its window, which is there where SDL2, libepoxy and cglm are found).
# Sources are found by folder, so a new file needs no edit here; every configuration has its own folder of objects.

# The version stands in the public header alone.
VERSION := $(shell awk '/define CAIRN_VERSION_(MAJOR|MINOR|PATCH) / { v = v s $$3; s = "." } END { print v }' include/cairn/version.h)
BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
CONFIG ?= release
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 20
NAME ?=
FILTER ?=
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(JOBS) # a -j on the command line wins over this one
endif
Q := $(if $(V),,@)

# ---- sources ---------------------------------------------------------------------------------------------------------------

# LIB_DIRS="engine/base collision" builds (and tests) the lower layers alone.
LIB_DIRS := engine/base collision partition solvers engine/joints engine
DEMO_DIRS := demos/scenes demos/program
VIEWER_DIR := demos/viewer
# A folder's sources and those of its sub-folders, but for the optional parts, which have conditions of their own below.
sources_of = $(sort $(filter-out partition/metis/% solvers/cholmod/%,$(wildcard $(1:%=%/*.c) $(1:%=%/*/*.c))))
# A file that the build names by itself must be there.
named = $(foreach f,$(1),$(or $(wildcard $(f)),$(error the Makefile names $(f), which is gone)))
sources_in = $(or $(sort $(wildcard $(1)/*.c)),$(error the Makefile names the folder $(1), which has no sources))
LIB_SRC := $(call sources_of,$(LIB_DIRS))
MAIN_SRC := $(if $(DEMO_DIRS),$(call named,demos/program/cli/main.c))
PARTS_SRC := $(filter-out $(MAIN_SRC),$(call sources_of,$(DEMO_DIRS)))
TEST_SRC := $(sort $(wildcard tests/*/test_*.c))
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))
SUPPORT_SRC := $(sort $(wildcard tests/support/*.c) $(call named,bench/rest_poses.c))
BENCH_SRC := $(sort $(wildcard bench/*.c bench/peers/*.c))

# ---- flags -----------------------------------------------------------------------------------------------------------------

# -ffp-contract=off: a fused multiply-add skips a rounding, and each compiler fuses other products. Without it gcc and clang,
# -O1 and -O3, this machine and x86-64-v2 give the same bits, so one golden state hash serves all of them, and x*y - y*x is
# exactly zero in cross products and in R a R^T. The price is 5 to 10 % of a sweep of pgs. Code that gains more from fma()
# calls it by name.
# gcc 12 does not keep to it everywhere: where it vectorises straight-line code that adds and subtracts products in turn
# (a quaternion product), it forms vfmaddsub all the same, so its -march=native differs from the others in the last place.
# With -fno-tree-slp-vectorize it agrees with them, and a step of free bodies takes 5 % longer.
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion $(if $(filter 0,$(WERROR)),,-Werror)
BASE_FLAGS := -std=c17 $(WARNINGS) -D_POSIX_C_SOURCE=200809L -Iinclude -I. -fopenmp \
	-ffp-contract=off -fPIC -fno-semantic-interposition $(if $(filter sanitize,$(CONFIG)),-g1,-g)
# gcc 12 passes a constant struct {x, x, 0, 0} of doubles as {x, x, x, x} where it moves 32 bytes at once (AVX-512): a quarter turn
# about x given by value is one. Moves of 16 bytes are sound. clang does not know the options and does not need them.
MOVES := $(shell $(CC) -mmove-max=128 -mstore-max=128 -E -x c /dev/null >/dev/null 2>&1 && \
	echo -mmove-max=128 -mstore-max=128)
ARCH := $(if $(PORTABLE),-march=x86-64-v2 -DCAIRN_PORTABLE,-march=native)

FLAGS_release := -O3
FLAGS_test := -O2 -DCAIRN_CHECKS=1
FLAGS_asan := -O1 -DCAIRN_CHECKS=1 -DCAIRN_SANITIZED=1 -fno-omit-frame-pointer -fsanitize=address
FLAGS_ubsan := -O1 -DCAIRN_CHECKS=1 -DCAIRN_SANITIZED=1 -fno-omit-frame-pointer -fsanitize=undefined,float-divide-by-zero -fno-sanitize-recover=all
# Both at once, for CI. Optimised, but for what only calls the library: it runs a fifth to a half faster and compiles half as long again.
# Of what debuggers read only lines, which reports name: that compiles a tenth faster.
FLAGS_sanitize := $(FLAGS_ubsan:-O1=-O2) -fsanitize=address
FLAGS_tsan := -O1 -DCAIRN_CHECKS=1 -DCAIRN_SANITIZED=1 -fno-omit-frame-pointer -fsanitize=thread
# Without the library's own checks, whose other branch no test can take.
FLAGS_coverage := -O1 -fprofile-update=atomic
FLAGS_fuzz := -O1 -DCAIRN_CHECKS=1 -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all

# CHOLMOD is an oracle of the tests and a rival in the bench where it is found; the library and the program have it only when asked
# (CHOLMOD=1). LAPACKE and OpenBLAS are in tests and bench alone, but for CHOLMOD's own use.
has_header = $(shell printf '\043include <%s>\n' $(1) | $(CC) $(2) -E -x c - >/dev/null 2>&1 && echo yes)
CHOLMOD_SRC := $(if $(call has_header,suitesparse/cholmod.h),$(call sources_in,solvers/cholmod))
BLAS_LIBS := $(if $(call has_header,lapacke.h),-llapacke) $(if $(call has_header,cblas.h),-lopenblas)
ORACLE_LIBS := -Wl,--as-needed $(if $(CHOLMOD_SRC),-lcholmod) $(BLAS_LIBS) -Wl,--no-as-needed
ifeq ($(CHOLMOD),1)
ifeq ($(CHOLMOD_SRC),)
$(error CHOLMOD=1 needs suitesparse/cholmod.h (Debian: libsuitesparse-dev))
endif
LIB_SRC := $(sort $(LIB_SRC) $(CHOLMOD_SRC))
BASE_FLAGS += -DCAIRN_CHOLMOD
CHOLMOD_LIBS := $(ORACLE_LIBS)
else
OPTIONAL_SRC := $(CHOLMOD_SRC)
endif

# MuJoCo, where it is found, reads what cairn export writes: in that test, and in no other.
MUJOCO := $(call has_header,mujoco/mujoco.h)
MUJOCO_LIBS = $(if $(MUJOCO),$(if $(findstring test_mjcf,$@),-lmujoco))

# METIS (Apache 2, as permissive as the library) is the partitioner `metis` where it is found; METIS=0 leaves it out.
ifneq ($(METIS),0)
METIS_SRC := $(if $(call has_header,metis.h),$(call sources_in,partition/metis))
METIS_FLAGS := $(if $(METIS_SRC),-DCAIRN_METIS)
METIS_LIBS := $(if $(METIS_SRC),-lmetis)
LIB_SRC := $(sort $(LIB_SRC) $(if $(filter partition,$(LIB_DIRS)),$(METIS_SRC)))
endif

COMPILE := $(CC) $(BASE_FLAGS) $(ARCH) $(MOVES) $(FLAGS_$(CONFIG)) $(CPPFLAGS) $(CFLAGS)
LINK := $(CC) -fopenmp -g $(filter -fsanitize%,$(FLAGS_$(CONFIG))) $(if $(filter coverage,$(CONFIG)),--coverage) $(CFLAGS) $(LDFLAGS)
LIBS := -lm $(CHOLMOD_LIBS) $(METIS_LIBS)
PROGRAM_LIBS = -lpng -ldl -lm $(HDF5_LIBS) $(CHOLMOD_LIBS) $(METIS_LIBS)

# HDF5 is for `cairn solve` and `cairn dump` alone, where pkg-config finds it (HDF5=0: without).
ifneq ($(HDF5),0)
HDF5_FLAGS := $(shell pkg-config --exists hdf5 2>/dev/null && echo -DCAIRN_HDF5 && \
	pkg-config --cflags hdf5 | sed 's/-I/-isystem /g')
HDF5_LIBS := $(if $(HDF5_FLAGS),$(shell pkg-config --libs hdf5))
endif

# The viewer is for the program alone (and its own test), where pkg-config finds its packages (VIEWER=0: without).
ifneq ($(VIEWER),0)
VIEWER_LIBS := $(shell pkg-config --exists sdl2 epoxy cglm 2>/dev/null && pkg-config --libs sdl2 epoxy)
# Its words are in the system's font where SDL2_ttf and fontconfig are found, else in a stroke font of our own.
TTF_LIBS := $(if $(VIEWER_LIBS),$(shell pkg-config --exists SDL2_ttf fontconfig 2>/dev/null && \
	pkg-config --libs SDL2_ttf fontconfig))
TTF_FLAGS := $(if $(TTF_LIBS),-DCAIRN_TTF)
VIEWER_LIBS += $(TTF_LIBS)
VIEWER_SRC := $(if $(VIEWER_LIBS),$(call sources_in,$(VIEWER_DIR)))
VIEWER_FLAGS := $(if $(VIEWER_SRC),-DCAIRN_VIEWER)
endif

# ---- where things go -------------------------------------------------------------------------------------------------------

# Products of a release lie in $(BUILD) itself; the others keep theirs beside their objects.
DIR := $(BUILD)/$(CONFIG)$(if $(PORTABLE),-portable)$(if $(filter-out gcc,$(CC)),-$(notdir $(CC)))
OUT := $(if $(filter release,$(CONFIG)),$(BUILD),$(DIR))
objects = $(patsubst %.c,$(DIR)/obj/%.o,$(1))

LIB_OBJ := $(call objects,$(LIB_SRC))
PARTS_OBJ := $(call objects,$(PARTS_SRC))
VIEWER_OBJ := $(call objects,$(VIEWER_SRC))
SUPPORT_OBJ := $(call objects,$(SUPPORT_SRC) $(OPTIONAL_SRC))
STATIC := $(OUT)/libcairn.a
SHARED := $(OUT)/libcairn.so
PARTS := $(DIR)/libparts.a
SUPPORT := $(DIR)/libsupport.a
PROGRAM := $(if $(MAIN_SRC),$(OUT)/cairn)
BENCH := $(OUT)/bench
EXAMPLES := $(patsubst examples/%.c,$(OUT)/examples/%.so,$(wildcard examples/*.c))
TESTS := $(addprefix $(DIR)/,$(notdir $(TEST_SRC:.c=)))
VIEWER_TESTS := $(addprefix $(DIR)/,$(notdir $(patsubst %.c,%,$(wildcard tests/viewer/test_*.c))))
# Both sanitizers at once leave what only measures long motions and many frames, by paths that other tests go too, to either alone, or to NAME.
MOTIONS := $(if $(filter sanitize,$(CONFIG)),$(notdir $(basename $(call named,tests/solvers/test_exact_frames.c tests/engine/test_heavy_chain.c \
	tests/solvers/test_index_sets.c tests/joints/test_joint_motion.c tests/scenes/test_log_tower.c tests/engine/test_mechanisms.c \
	tests/engine/test_rest.c tests/engine/test_rotation.c))))
CHAOS := $(OUT)/chaos
HEAPS := $(OUT)/heaps
FUZZERS := $(patsubst tests/fuzz/%.c,$(DIR)/%,$(FUZZ_SRC))
CHOSEN := $(if $(NAME),$(foreach n,$(NAME),$(filter $(DIR)/test_$(n:test_%=%),$(TESTS))),$(filter-out $(MOTIONS:%=$(DIR)/%),$(TESTS)))

.PHONY: all demo test check golden golden-renew golden-moments golden-renew-now golden-moments-now asan ubsan sanitize tsan bench chaos heaps fuzz fuzzers coverage nightly lint format docs install uninstall clean deps FORCE
.DELETE_ON_ERROR:
.SECONDARY:
all: $(STATIC) $(SHARED) $(PROGRAM) $(if $(PROGRAM),$(EXAMPLES))

# ---- rules -----------------------------------------------------------------------------------------------------------------

# A stamp is touched only when its text changes: changed flags recompile, a removed or added source makes its archive anew.
define stamp
@mkdir -p $(@D)
@printf '%s\n' '$(subst ','\'',$(1))' | cmp -s - $@ || printf '%s\n' '$(subst ','\'',$(1))' > $@
endef
$(DIR)/flags: FORCE
	$(call stamp,$(COMPILE) | $(LINK) | $(HDF5_FLAGS) $(METIS_FLAGS) $(VIEWER_FLAGS) $(TTF_FLAGS))
$(DIR)/lib.list: FORCE
	$(call stamp,$(LIB_OBJ))
$(DIR)/parts.list: FORCE
	$(call stamp,$(PARTS_OBJ))
$(DIR)/support.list: FORCE
	$(call stamp,$(SUPPORT_OBJ) $(ORACLE_LIBS))
$(DIR)/bench.list: FORCE
	$(call stamp,$(BENCH_SRC) $(OPTIONAL_SRC) $(PEER_LIBS) $(ORACLE_LIBS))
$(OUT)/.products: FORCE
	$(call stamp,$(DIR))

$(DIR)/obj/%.o: %.c $(DIR)/flags
	@mkdir -p $(@D)
	@echo "  CC $<"
	$(Q)$(COMPILE) $(EXTRA) -MMD -MP -c -o $@ $<

# Their roots are of sums of squares or of what was raised to 0: without errno to set they are taken eight at once.
named_objects = $(call objects,$(call named,$(1)))
$(call named_objects,solvers/exact/ipm_rows.c solvers/exact/ipm_soc.c solvers/sweeps/sor_wide.c solvers/admm/subadmm_lanes.c \
	solvers/admm/subadmm_law.c): private EXTRA := -fno-math-errno
$(call named_objects,demos/program/formats/fclib.c demos/program/formats/fclib_write.c \
	tests/program/test_problem_export.c): private EXTRA := $(HDF5_FLAGS)
$(call objects,$(MAIN_SRC) $(wildcard tests/viewer/*.c) $(call named,tests/support/support_window.c)): private EXTRA := $(VIEWER_FLAGS)
$(call named_objects,demos/viewer/font_system.c): private EXTRA := $(TTF_FLAGS)
$(call named_objects,tests/program/test_mjcf.c): private EXTRA := $(if $(MUJOCO),-DCAIRN_MUJOCO)
$(call named_objects,partition/partitioners.c): private EXTRA := $(METIS_FLAGS)

ifeq ($(CONFIG),sanitize)
$(DIR)/obj/tests/%.o $(DIR)/obj/demos/%.o: private COMPILE += -O1
endif
ifeq ($(CONFIG),coverage)
$(LIB_OBJ): private COMPILE += --coverage
endif

define archive
@mkdir -p $(@D)
@echo "  AR $@"
@rm -f $@
$(Q)$(AR) rcs $@ $(1)
endef
$(STATIC): $(LIB_OBJ) $(DIR)/lib.list $(OUT)/.products
	$(call archive,$(LIB_OBJ))
$(PARTS): $(PARTS_OBJ) $(DIR)/parts.list
	$(call archive,$(PARTS_OBJ))
$(SUPPORT): $(SUPPORT_OBJ) $(DIR)/support.list
	$(call archive,$(SUPPORT_OBJ))

# The shared library exports what the public headers declare, and nothing else.
$(DIR)/exports.map: $(wildcard include/cairn/*.h) $(call named,tools/exports)
	@mkdir -p $(@D)
	@names=$$(CC='$(CC)' tools/exports include/cairn) && printf '{ global:\n%s\nlocal: *; };\n' "$$(echo "$$names" | sed 's/$$/;/')" > $@
$(SHARED): $(LIB_OBJ) $(DIR)/lib.list $(DIR)/exports.map $(OUT)/.products
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(LINK) -shared -Wl,-soname,libcairn.so.0 -Wl,--version-script=$(DIR)/exports.map -o $@.$(VERSION) $(LIB_OBJ) $(LIBS)
	@ln -sf $(@F).$(VERSION) $@.0
	@ln -sf $(@F).$(VERSION) $@

# The program holds the whole library and all builders of scenes and shows their symbols, so that scenes from shared objects
# find every cairn_ function.
$(OUT)/cairn: $(call objects,$(MAIN_SRC)) $(VIEWER_OBJ) $(PARTS) $(STATIC)
	@echo "  LD $@"
	$(Q)$(LINK) -rdynamic -o $@ $(call objects,$(MAIN_SRC)) $(VIEWER_OBJ) -Wl,--whole-archive $(PARTS) $(STATIC) \
		-Wl,--no-whole-archive $(PROGRAM_LIBS) $(VIEWER_LIBS)

# What a user would write: a scene, a solver, a partitioner, each a shared object that the program opens.
$(EXAMPLES): $(OUT)/examples/%.so: examples/%.c $(wildcard include/cairn/*.h) $(DIR)/flags
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(COMPILE) -shared -o $@ $<

# Other engines to compare with, where they are installed (tools/deps --bench). Never linked into the library.
PEER_LIBS = $(if $(call has_header,ode/ode.h,-DdDOUBLE),-lode) $(if $(call has_header,mujoco/mujoco.h),-lmujoco)
BENCH_OBJ := $(call objects,$(BENCH_SRC) $(OPTIONAL_SRC))
$(BENCH): $(BENCH_OBJ) $(DIR)/bench.list $(PARTS) $(STATIC)
	@echo "  LD $@"
	$(Q)$(LINK) -o $@ $(BENCH_OBJ) $(PARTS) $(STATIC) $(PROGRAM_LIBS) $(ORACLE_LIBS) $(PEER_LIBS)

# A test is linked from its own object and the support; those of the window from the viewer, too.
$(foreach t,$(TEST_SRC),$(eval $(DIR)/$(basename $(notdir $(t))): $(call objects,$(t))))
$(filter $(VIEWER_TESTS),$(TESTS)): $(VIEWER_OBJ)
$(TESTS): $(SUPPORT) $(PARTS) $(STATIC)
	@echo "  LD $@"
	$(Q)$(LINK) -rdynamic -o $@ $(filter %.o,$^) $(SUPPORT) $(PARTS) $(STATIC) -lcmocka -lz $(PROGRAM_LIBS) $(ORACLE_LIBS) \
		$(MUJOCO_LIBS) $(if $(filter $@,$(VIEWER_TESTS)),$(VIEWER_LIBS))

# Step random worlds, and random heaps under Coulomb's law, and count what must never happen in them.
$(CHAOS) $(HEAPS): $(OUT)/%: $(DIR)/obj/tests/chaos/%.o $(SUPPORT) $(STATIC)
	@echo "  LD $@"
	$(Q)$(LINK) -o $@ $(filter %.o,$^) $(SUPPORT) $(STATIC) -lcmocka $(LIBS)

# tests/adding builds the program again from its objects.
ifeq ($(CONFIG),test)
$(DIR)/test_adding: $(PROGRAM)
endif

$(DIR)/fuzz_%: $(DIR)/obj/tests/fuzz/fuzz_%.o $(STATIC)
	@echo "  LD $@"
	$(Q)$(LINK) -fsanitize=fuzzer -o $@ $< $(STATIC) $(LIBS)

# ---- commands --------------------------------------------------------------------------------------------------------------

deps:
	@tools/deps

demo: deps
	@$(MAKE) --no-print-directory all
	@tools/demo $(BUILD)

test: deps
	@$(MAKE) --no-print-directory CONFIG=test check
asan ubsan sanitize: deps
	@$(MAKE) --no-print-directory CONFIG=$@ check
tsan:
	@tools/deps --all
	@$(MAKE) --no-print-directory CONFIG=tsan CC=clang check

# Spinning threads of one test would steal the cores of the others, so they sleep. Archer tells the thread sanitizer of the
# happens-before edges inside LLVM's OpenMP runtime, which it cannot see and would otherwise report as races.
RUN_ENV := CC='$(CC)' OMP_WAIT_POLICY=passive OPENBLAS_NUM_THREADS=1 CAIRN_BUILD=$(OUT) UBSAN_OPTIONS=print_stacktrace=1 \
	ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=$(if $(filter sanitize,$(CONFIG)),0,1)
ifeq ($(CONFIG),tsan)
ARCHER := $(firstword $(wildcard /usr/lib/llvm-*/lib/libarcher.so))
RUN_ENV += OMP_TOOL_LIBRARIES=$(ARCHER) TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1
endif
check: $(CHOSEN)
	@$(if $(CHOSEN),:,echo "no test is called '$(NAME)'; there are: $(TESTS:$(DIR)/test_%=%)" >&2)
	@$(RUN_ENV) TEST_TIMEOUT=$(if $(CAIRN_LONG_TESTS),1800,$(if $(filter test,$(CONFIG)),300,900)) tests/run -j $(JOBS) -f '$(FILTER)' $(CHOSEN)

# The motion of every solver on every scene, pinned to the bit (tests/scenes/test_golden.c). golden-renew writes what it is now and prints what
# changed; golden-moments also chooses the kept moments again, which a changed snapshot format or scene asks for.
GOLDEN := $(DIR)/test_golden
golden: deps
	@$(MAKE) --no-print-directory CONFIG=test PORTABLE=1 NAME=golden check
golden-renew golden-moments: deps
	@$(MAKE) --no-print-directory CONFIG=test PORTABLE=1 $@-now
golden-renew-now golden-moments-now: $(GOLDEN)
	@$(RUN_ENV) $(GOLDEN) --$(@:golden-%-now=%)

# Random worlds (tests/chaos/chaos.c): 20,000 of each kind, which is what make nightly runs.
CHAOS_SEEDS := 1:20000
chaos: $(CHAOS)
	@$(CHAOS) --seeds $(CHAOS_SEEDS) --jobs $(JOBS)

# Random heaps under Coulomb's law (tests/chaos/heaps.c): 1,000 of up to 300 bodies.
HEAP_SEEDS := 1:1000
heaps: $(HEAPS)
	@$(HEAPS) --seeds $(HEAP_SEEDS) --jobs $(JOBS)

bench: $(BENCH)
	@GOMP_SPINCOUNT=3000 OPENBLAS_NUM_THREADS=1 $(BENCH) $(NAME)

fuzzers: $(FUZZERS)
fuzz:
	@tools/deps --all
	@$(MAKE) --no-print-directory CONFIG=fuzz CC=clang fuzzers
	@tools/fuzz $(FUZZ_SECONDS) $(BUILD)/fuzz-clang

# A run that fails prints what it has counted all the same.
coverage: deps
	@find $(BUILD)/coverage -name '*.gcda' -delete 2>/dev/null || true
	@$(MAKE) --no-print-directory CONFIG=coverage CC=gcc check; status=$$?; tools/coverage $(BUILD)/coverage && exit $$status

# All of them run, also after one that fails; the last line names those.
NIGHTLY_FUZZ := 600
nightly:
	@failed=; \
	CAIRN_LONG_TESTS=1 $(MAKE) --no-print-directory test || failed="$$failed test"; \
	$(MAKE) --no-print-directory tsan || failed="$$failed tsan"; \
	$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=$(NIGHTLY_FUZZ) || failed="$$failed fuzz"; \
	$(MAKE) --no-print-directory chaos || failed="$$failed chaos"; \
	$(MAKE) --no-print-directory heaps || failed="$$failed heaps"; \
	$(MAKE) --no-print-directory golden CC=clang || failed="$$failed golden"; \
	$(MAKE) --no-print-directory lint DEEP=1 || failed="$$failed lint"; \
	$(MAKE) --no-print-directory coverage || failed="$$failed coverage"; \
	echo "nightly: $${failed:+failed:}$${failed:-all passed}"; [ -z "$$failed" ]

docs: all
	@tools/docs $(BUILD)

# A copy of what is installed must run on other machines, so it is compiled for x86-64-v2, in a folder of its own, unless this machine is
# asked for.
ifeq ($(NATIVE)$(PORTABLE),)
install:
	@$(MAKE) --no-print-directory PORTABLE=1 'OUT=$$(DIR)' install
else
install: all
	@echo "  INSTALL $(DESTDIR)$(PREFIX)"
	$(Q)install -d $(DESTDIR)$(PREFIX)/include/cairn $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/bin
	$(Q)install -m 644 include/cairn/*.h $(DESTDIR)$(PREFIX)/include/cairn/
	$(Q)install -d $(DESTDIR)$(PREFIX)/include/cairn/builders/demos/scenes
	$(Q)install -m 644 demos/scenes/builders*.h $(DESTDIR)$(PREFIX)/include/cairn/builders/demos/scenes/
	$(Q)install -m 644 $(STATIC) $(DESTDIR)$(PREFIX)/lib/
	$(Q)install -m 755 $(SHARED).$(VERSION) $(DESTDIR)$(PREFIX)/lib/
	$(Q)ln -sf libcairn.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/libcairn.so.0
	$(Q)ln -sf libcairn.so.0 $(DESTDIR)$(PREFIX)/lib/libcairn.so
	$(Q)sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|; s|@LIBS@|$(LIBS)|' cairn.pc.in > $(DESTDIR)$(PREFIX)/lib/pkgconfig/cairn.pc
	$(Q)$(if $(PROGRAM),install -m 755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/)
endif
uninstall:
	$(Q)rm -rf $(DESTDIR)$(PREFIX)/include/cairn $(DESTDIR)$(PREFIX)/lib/libcairn.* $(DESTDIR)$(PREFIX)/lib/pkgconfig/cairn.pc \
		$(DESTDIR)$(PREFIX)/bin/cairn

clean:
	$(Q)rm -rf $(BUILD)

include mk/lint.mk
-include $(shell find $(DIR)/obj -name '*.d' 2>/dev/null)
