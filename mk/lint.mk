# make lint: layers and house rules, format, clang-tidy. A file is looked at again only when it or one of its headers changed.
# Nearly all of its time is the analyzer's, so CI has it look a fifteenth as deep (15,000 states a function), and not at tests and bench, which
# run under the sanitizers; make lint DEEP=1 has it look at all files, as deep as it goes by itself.

LINT_DIR := $(BUILD)/lint$(if $(DEEP),-deep)
LINT_FILES := $(shell git ls-files '*.c' '*.h' 2>/dev/null || find . -path ./$(BUILD) -prune -o -name '*.[ch]' -print)
LINT_TIDY := $(patsubst %.c,$(LINT_DIR)/%.tidy,$(filter %.c,$(wildcard $(LINT_FILES))))
LINT_FORMAT := $(patsubst %,$(LINT_DIR)/%.format,$(wildcard $(LINT_FILES)))
LINT_FLAGS := -std=c17 -D_POSIX_C_SOURCE=200809L -DCAIRN_CHECKS=1 -Iinclude -I. $(HDF5_FLAGS)
LINT_DEPTH := $(if $(DEEP),,-Xclang -analyzer-config -Xclang max-nodes=15000)
lint_checks = $(if $(DEEP),,$(if $(filter tests/% bench/%,$(1)),--checks=-clang-analyzer-*))

.PHONY: lint-rules
lint:
	@tools/deps --all
	@$(MAKE) --no-print-directory -k lint-rules $(LINT_FORMAT) $(LINT_TIDY)
	@echo "lint: clean"

lint-rules: $(STATIC)
	@tools/exports --self-test
	@tools/layers --self-test
	@tools/layers
	@tools/house $(STATIC)

$(LINT_DIR)/%.format: % .clang-format
	@mkdir -p $(@D)
	$(Q)clang-format --dry-run -Werror $<
	@touch $@

$(LINT_DIR)/%.tidy: %.c .clang-tidy mk/lint.mk
	@mkdir -p $(@D)
	@echo "  TIDY $<"
	$(Q)clang-tidy --quiet $(call lint_checks,$<) $< -- $(LINT_FLAGS) $(LINT_DEPTH) 2>$@.log || { cat $@.log >&2; exit 1; }
	@$(CC) $(LINT_FLAGS) -MM -MP -MT $@ -MF $@.d $<
	@touch $@

format:
	$(Q)clang-format -i $(wildcard $(LINT_FILES))

-include $(shell find $(LINT_DIR) -name '*.d' 2>/dev/null)
