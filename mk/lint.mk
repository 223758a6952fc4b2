# make lint: layers and house rules, format, clang-tidy. A file is looked at again only when it or one of its headers changed.

LINT_FILES := $(shell git ls-files '*.c' '*.h' 2>/dev/null || find . -path ./$(BUILD) -prune -o -name '*.[ch]' -print)
LINT_TIDY := $(patsubst %.c,$(BUILD)/lint/%.tidy,$(filter %.c,$(wildcard $(LINT_FILES))))
LINT_FORMAT := $(patsubst %,$(BUILD)/lint/%.format,$(wildcard $(LINT_FILES)))
LINT_FLAGS := -std=c17 -D_POSIX_C_SOURCE=200809L -DCAIRN_VERSION='""' -DCAIRN_CHECKS=1 -Iinclude -I. $(HDF5_FLAGS)

.PHONY: lint-rules
lint:
	@tools/deps --all
	@$(MAKE) --no-print-directory -k lint-rules $(LINT_FORMAT) $(LINT_TIDY)
	@echo "lint: clean"

lint-rules: $(STATIC)
	@tools/layers --self-test
	@tools/layers
	@tools/house $(STATIC)

$(BUILD)/lint/%.format: % .clang-format
	@mkdir -p $(@D)
	$(Q)clang-format --dry-run -Werror $<
	@touch $@

$(BUILD)/lint/%.tidy: %.c .clang-tidy mk/lint.mk
	@mkdir -p $(@D)
	@echo "  TIDY $<"
	$(Q)clang-tidy --quiet $< -- $(LINT_FLAGS) 2>$@.log || { cat $@.log >&2; exit 1; }
	@$(CC) $(LINT_FLAGS) -MM -MP -MT $@ -MF $@.d $<
	@touch $@

format:
	$(Q)clang-format -i $(wildcard $(LINT_FILES))

-include $(shell find $(BUILD)/lint -name '*.d' 2>/dev/null)
