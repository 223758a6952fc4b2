// Arbitrary bytes, and arbitrary payloads under a right header, for cairn_problem_file_read: it never crashes, and what
// it accepts can be checked, judged and written again to the same bytes.
#include "engine/base/hash.h"
#include <cairn/problem_file.h>
#include <cairn/solver.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 32 };

static void require(bool condition) {
    if (!condition) {
        abort();
    }
}

static void put(unsigned char *to, uint64_t value) {
    for (int i = 0; i < 8; i++) {
        to[i] = (unsigned char)(value >> (8 * i));
    }
}

static void use(const CairnStoredProblem *stored, const unsigned char *bytes, size_t size) {
    CairnResidual residual;
    require(cairn_is_ok(cairn_problem_check(&stored->problem)));
    CairnStatus status = cairn_residual(&stored->problem, stored->start.lambda, NULL, &residual);
    require(cairn_is_ok(status) || status.message[0] != '\0');
    size_t again = cairn_problem_file_size(&stored->problem, &stored->start, stored->answer);
    if (again > size) { // gaps between the arrays' parts are not kept
        abort();
    }
    unsigned char *copy = malloc(again);
    require(copy != NULL);
    require(cairn_is_ok(cairn_problem_file_write(&stored->problem, &stored->start, stored->answer, copy, again)));
    require(again != size || memcmp(copy, bytes, size) == 0);
    free(copy);
}

static void try(const unsigned char *bytes, size_t size) {
    CairnStoredProblem stored;
    CairnStatus status = cairn_problem_file_read(bytes, size, NULL, &stored);
    if (cairn_is_ok(status)) {
        use(&stored, bytes, size);
        cairn_stored_problem_free(&stored);
    } else {
        require(status.message[0] != '\0');
    }
}

// A small problem of either form: two blocks, one contact.
static size_t write_good(bool is_explicit, unsigned char *bytes, size_t room) {
    static const CairnDofBlock blocks[] = {{.first = 0, .size = 1, .matrix = 0, .group = -1, .mass = 1, .id = 1},
                                           {.first = 1, .size = 2, .matrix = 1, .group = -1, .mass = 1, .id = 2}};
    static const double P[] = {1, 2, 0, 0, 2}, p[] = {1, 2, 3}, J[] = {1, 0, 0, 0, 1, 0, 1, 0, 1}, zero[3] = {0},
                        lower[] = {0, -1, -1}, upper[] = {9, 1, 1}, W[] = {1, 1, 1};
    static const CairnTerm terms[] = {{0, 0}, {1, 3}};
    static const CairnConstraintBlock constraint = {.row_count = 3, .term_count = 2, .friction = 0, .id = 7};
    static const CairnFriction friction = {.kind = CAIRN_FRICTION_COULOMB, .mu = 0.5};
    static const int start[] = {0, 1, 2, 3}, column[] = {0, 1, 2};
    CairnProblem problem = {.form = is_explicit ? CAIRN_FORM_EXPLICIT : CAIRN_FORM_DYNAMICS,
                            .step = 1,
                            .block_count = 2,
                            .dof_count = 3,
                            .blocks = blocks,
                            .P = P,
                            .p = p,
                            .constraint_count = 1,
                            .term_count = 2,
                            .row_count = 3,
                            .friction_count = 1,
                            .constraints = &constraint,
                            .terms = terms,
                            .frictions = &friction,
                            .J = J,
                            .compliance = zero,
                            .right_side = zero,
                            .lower = lower,
                            .upper = upper,
                            .W_start = start,
                            .W_column = column,
                            .W = W,
                            .W_is_symmetric = true};
    const CairnSolveStart begun = {.lambda = zero, .velocity = is_explicit ? NULL : zero};
    require(cairn_is_ok(cairn_problem_file_write(&problem, &begun, upper, bytes, room)));
    return cairn_problem_file_size(&problem, &begun, upper);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    unsigned char bytes[4096];
    try(data, size);
    if (size < 3) {
        return 0;
    }
    // The first bytes say which form, and where the others go in it.
    size_t length = write_good(data[0] & 1, bytes, sizeof bytes);
    try(bytes, length);
    size_t at = HEADER + 8 * ((data[1] | (size_t)data[2] << 8) % ((length - HEADER) / 8));
    for (size_t i = 3; i < size && at + i - 3 < length; i++) {
        bytes[at + i - 3] = data[i];
    }
    put(bytes + 24, cairn_hash_bytes(bytes + HEADER, length - HEADER));
    try(bytes, length);
    return 0;
}
