#include "demos/program/formats/problem_source.h"
#include "demos/program/formats/problem_build.h"
#include "demos/program/recording/recording.h"
#include "solvers/problem/stored.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const CairnAllocator *const plain = NULL; // the C library's

// The whole file with a NUL behind it.
static CairnStatus read_bytes(const char *path, char **bytes, size_t *size) {
    *bytes = NULL;
    *size = 0;
    FILE *file = fopen(path, "rb");
    if (!file) {
        return cairn_error(CAIRN_IO, "cannot read it: %s", strerror(errno));
    }
    long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    CairnStatus status = cairn_error(CAIRN_IO, "cannot read it");
    if (length >= 0 && length < 1L << 30 && fseek(file, 0, SEEK_SET) == 0) {
        *bytes = malloc((size_t)length + 1);
        if (!*bytes) {
            status = cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for its %ld bytes", length);
        } else if (fread(*bytes, 1, (size_t)length, file) == (size_t)length) {
            (*bytes)[length] = '\0';
            *size = (size_t)length;
            status = cairn_ok();
        }
    }
    fclose(file);
    return status;
}

static const double *find_entry(const CairnProblem *problem, int row, int column) {
    int low = problem->W_start[row], high = problem->W_start[row + 1];
    while (low < high) { // columns ascend in what readers build
        int middle = low + (high - low) / 2;
        if (problem->W_column[middle] == column) {
            return &problem->W[middle];
        }
        low = problem->W_column[middle] < column ? middle + 1 : low;
        high = problem->W_column[middle] < column ? high : middle;
    }
    return NULL;
}

// Rounding of the maker is no asymmetry.
static const double symmetric_enough = 1e-12;

static void measure_symmetry(CairnProblemSource *source) {
    const CairnProblem *problem = &source->stored.problem;
    double off = 0, most = 0;
    for (int i = 0; i < problem->row_count; i++) {
        for (int k = problem->W_start[i]; k < problem->W_start[i + 1]; k++) {
            const double *other = find_entry(problem, problem->W_column[k], i);
            off = fmax(off, fabs(problem->W[k] - (other ? *other : 0)));
            most = fmax(most, fabs(problem->W[k]));
        }
    }
    source->asymmetry = most > 0 ? off / most : 0;
    source->stored.problem.W_is_symmetric = source->asymmetry <= symmetric_enough;
}

// A problem as text begins with a number.
static bool is_text(const char *bytes, size_t size) {
    return bytes != NULL && size > 0 && strchr("0123456789", bytes[strspn(bytes, " \t\r\n")]) != NULL;
}

static CairnStatus read_any(const char *path, const char *bytes, size_t size, CairnProblemSource *source) {
    if (cairn_problem_file_is(bytes, size)) {
        snprintf(source->kind, sizeof source->kind, "cairn dump");
        return cairn_problem_file_read(bytes, size, plain, &source->stored);
    }
    CAIRN_TRY(cairn_stored_problem_init(&source->stored, plain));
    if (cairn_recording_is(path)) {
        return cairn_error(CAIRN_UNSUPPORTED, "it is a recording (cairn replay), and no problem");
    }
    if (size >= 8 && memcmp(bytes, "\211HDF\r\n\032\n", 8) == 0) {
        CAIRN_TRY(cairn_fclib_read(path, &source->stored, source->kind));
    } else if (!is_text(bytes, size)) {
        return cairn_error(CAIRN_UNSUPPORTED, "it is none of what cairn dump writes, FCLIB (HDF5) and Siconos text");
    } else {
        CAIRN_TRY(cairn_siconos_read(bytes, size, &source->stored, source->kind));
    }
    if (source->stored.problem.form == CAIRN_FORM_EXPLICIT) {
        measure_symmetry(source);
    }
    CairnStatus status = cairn_problem_check(&source->stored.problem);
    return cairn_is_ok(status) ? status : cairn_error(CAIRN_CORRUPT, "%.200s", status.message);
}

CairnStatus cairn_problem_open(const char *path, CairnProblemSource *source) {
    char *bytes;
    size_t size;
    *source = (CairnProblemSource){.asymmetry = 0};
    CairnStatus status = read_bytes(path, &bytes, &size);
    if (cairn_is_ok(status)) {
        status = read_any(path, bytes, size, source);
    }
    free(bytes);
    if (!cairn_is_ok(status)) {
        cairn_problem_close(source);
        return cairn_error(status.code, "%.100s: %.130s", path, status.message);
    }
    return status;
}

void cairn_problem_close(CairnProblemSource *source) {
    cairn_stored_problem_free(&source->stored);
}

CairnStatus cairn_problem_symmetrize(CairnProblemSource *source) {
    CairnProblem *problem = &source->stored.problem;
    if (problem->form != CAIRN_FORM_EXPLICIT || problem->W_is_symmetric || problem->row_count == 0) {
        return cairn_ok();
    }
    CairnTriplets half; // of every entry one half to (i, j) and one half to (j, i)
    int rows = problem->row_count;
    CAIRN_TRY(cairn_triplets_make(source->stored.arena, rows, rows, 2 * problem->W_start[rows], &half));
    for (int i = 0; i < rows; i++) {
        for (int k = problem->W_start[i]; k < problem->W_start[i + 1]; k++) {
            CAIRN_TRY(cairn_triplets_add(&half, i, problem->W_column[k], 0.5 * problem->W[k], "W"));
            CAIRN_TRY(cairn_triplets_add(&half, problem->W_column[k], i, 0.5 * problem->W[k], "W"));
        }
    }
    CAIRN_TRY(cairn_build_matrix(&source->stored, &half));
    problem->W_is_symmetric = true;
    return cairn_ok();
}

// ---- friction ----

// Replaces the friction groups and bounds by copies in the arena that may be changed.
static CairnStatus copy_friction(CairnProblemSource *source, CairnFriction **frictions, double **lower,
                                 double **upper) {
    CairnProblem *problem = &source->stored.problem;
    CairnArena *arena = source->stored.arena;
    size_t rows = (size_t)problem->row_count, groups = (size_t)problem->friction_count;
    *frictions = CAIRN_PUSH(arena, CairnFriction, groups + 1);
    *lower = CAIRN_PUSH(arena, double, rows + 1);
    *upper = CAIRN_PUSH(arena, double, rows + 1);
    if (!*frictions || !*lower || !*upper) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for friction");
    }
    if (groups > 0) {
        memcpy(*frictions, problem->frictions, groups * sizeof **frictions);
    }
    if (rows > 0) {
        memcpy(*lower, problem->lower, rows * sizeof **lower);
        memcpy(*upper, problem->upper, rows * sizeof **upper);
    }
    problem->frictions = *frictions;
    problem->lower = *lower;
    problem->upper = *upper;
    return cairn_ok();
}

CairnStatus cairn_problem_set_friction(CairnProblemSource *source, CairnFrictionKind kind) {
    CairnFriction *frictions;
    double *lower, *upper;
    const double *answer = source->stored.answer;
    bool has_frozen = answer != NULL || strcmp(source->kind, "cairn dump") == 0;
    if (kind == CAIRN_FRICTION_BOX && !has_frozen && source->stored.problem.friction_count > 0) {
        return cairn_error(CAIRN_UNSUPPORTED,
                           "box friction needs normal impulses to be bounded by, and the file has no "
                           "answer that could give them (box-current, cone and coulomb need none)");
    }
    CAIRN_TRY(copy_friction(source, &frictions, &lower, &upper));
    for (int i = 0; i < source->stored.problem.friction_count; i++) {
        CairnFriction *friction = &frictions[i];
        friction->kind = kind;
        if (answer) {
            friction->frozen = fmax(answer[friction->normal], 0);
        }
        double levers[5] = {friction->mu, friction->mu, friction->torsion, friction->rolling, friction->rolling};
        for (int r = 0; r < 2 + friction->spin_rows; r++) {
            double bound = kind == CAIRN_FRICTION_BOX ? levers[r] * friction->frozen : HUGE_VAL;
            lower[friction->normal + 1 + r] = -bound;
            upper[friction->normal + 1 + r] = bound;
        }
    }
    return cairn_ok();
}

CairnStatus cairn_problem_drop_friction(CairnProblemSource *source) {
    CairnFriction *frictions;
    double *lower, *upper;
    CAIRN_TRY(copy_friction(source, &frictions, &lower, &upper));
    for (int i = 0; i < source->stored.problem.friction_count; i++) {
        frictions[i].kind = CAIRN_FRICTION_BOX;
        frictions[i].mu = frictions[i].torsion = frictions[i].rolling = 0;
        for (int r = 1; r <= 2 + frictions[i].spin_rows; r++) {
            lower[frictions[i].normal + r] = 0;
            upper[frictions[i].normal + r] = 0;
        }
    }
    return cairn_ok();
}
