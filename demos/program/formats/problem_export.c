#include "demos/program/formats/problem_export.h"
#include "solvers/problem/problem_ops.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static CairnStatus no_memory(void) {
    return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for the matrix of the contacts");
}

static CairnStatus check(const CairnProblem *problem) {
    if (problem->form != CAIRN_FORM_DYNAMICS || problem->friction_count == 0) {
        return cairn_error(CAIRN_UNSUPPORTED,
                           "the frame has no contacts with friction, and the format knows nothing else");
    }
    for (int i = 0; i < problem->friction_count; i++) {
        if (problem->frictions[i].spin_rows > 0) {
            return cairn_error(CAIRN_UNSUPPORTED,
                               "contact %d has rows of torsion or rolling, which the format does not know", i);
        }
    }
    int other = problem->row_count - 3 * problem->friction_count;
    return other == 0
               ? cairn_ok()
               : cairn_error(CAIRN_UNSUPPORTED,
                             "%d rows of joints or motors stand beside the contacts; the format knows contacts alone "
                             "(--format cairn takes all)",
                             other);
}

// The rows of W one by one: W is symmetric, so a row is what a unit impulse on its row does to all.
typedef struct Rows {
    const CairnProblem *problem;
    CairnOps ops;
    double *unit, *velocity, *row; // scratch
    int *target_row;               // the row of the exported problem for each row of this one
} Rows;

static CairnStatus open_rows(Rows *rows, const CairnProblem *problem, CairnArena *arena) {
    rows->problem = problem;
    rows->unit = CAIRN_PUSH_ZERO(arena, double, problem->row_count + 1);
    rows->row = CAIRN_PUSH(arena, double, problem->row_count + 1);
    rows->velocity = CAIRN_PUSH(arena, double, problem->dof_count + 1);
    rows->target_row = CAIRN_PUSH(arena, int, problem->row_count + 1);
    if (!rows->unit || !rows->row || !rows->velocity || !rows->target_row) {
        return no_memory();
    }
    for (int i = 0; i < problem->friction_count; i++) {
        for (int k = 0; k < 3; k++) {
            rows->target_row[problem->frictions[i].normal + k] = 3 * i + k;
        }
    }
    return cairn_ops_init(&rows->ops, problem, arena);
}

static void make_row(Rows *rows, int row) {
    const CairnProblem *problem = rows->problem;
    memset(rows->velocity, 0, (size_t)problem->dof_count * sizeof *rows->velocity);
    rows->unit[row] = 1;
    cairn_ops_add_impulse(problem, rows->unit, rows->velocity);
    rows->unit[row] = 0;
    cairn_ops_solve(&rows->ops, rows->velocity);
    memset(rows->row, 0, (size_t)problem->row_count * sizeof *rows->row);
    cairn_ops_jacobian(problem, rows->velocity, rows->row);
    rows->row[row] += problem->compliance[row];
}

// The rows of W, as 3x3 blocks that have an entry, in the order of the contacts.
static CairnStatus fill_matrix(Rows *rows, CairnArena *arena, CairnContactProblem *exported) {
    const CairnProblem *problem = rows->problem;
    int count = problem->row_count, room = 64 * count;
    bool *is_met = CAIRN_PUSH(arena, bool, problem->friction_count + 1);
    exported->start = CAIRN_PUSH_ZERO(arena, int, count + 1);
    exported->column = CAIRN_PUSH(arena, int, room);
    exported->W = CAIRN_PUSH(arena, double, room);
    for (int i = 0; i < count && is_met && exported->start && exported->column && exported->W; i++) {
        make_row(rows, problem->frictions[i / 3].normal + i % 3);
        int used = exported->start[i];
        memset(is_met, 0, (size_t)problem->friction_count * sizeof *is_met);
        for (int k = 0; k < count; k++) {
            is_met[rows->target_row[k] / 3] = is_met[rows->target_row[k] / 3] || rows->row[k] != 0;
        }
        is_met[i / 3] = true;
        if (used + count > room) {
            int *columns = CAIRN_PUSH(arena, int, 2 * room + count);
            double *values = CAIRN_PUSH(arena, double, 2 * room + count);
            if (!columns || !values) {
                return no_memory();
            }
            memcpy(columns, exported->column, (size_t)used * sizeof *columns);
            memcpy(values, exported->W, (size_t)used * sizeof *values);
            exported->column = columns;
            exported->W = values;
            room = 2 * room + count;
        }
        for (int c = 0; c < problem->friction_count; c++) {
            for (int k = 0; k < 3 && is_met[c]; k++) {
                exported->column[used] = 3 * c + k;
                exported->W[used++] = rows->row[problem->frictions[c].normal + k];
            }
        }
        exported->start[i + 1] = used;
    }
    return is_met && exported->start && exported->column && exported->W ? cairn_ok() : no_memory();
}

CairnStatus cairn_contact_problem(const CairnProblem *problem, const double *lambda, CairnArena *arena,
                                  CairnContactProblem *exported) {
    Rows rows;
    CAIRN_TRY(check(problem));
    *exported = (CairnContactProblem){.contacts = problem->friction_count, .is_answer = true};
    CAIRN_TRY(open_rows(&rows, problem, arena));
    CAIRN_TRY(fill_matrix(&rows, arena, exported));
    double **const arrays[] = {&exported->q, &exported->mu, &exported->r, &exported->u};
    for (int i = 0; i < 4; i++) {
        *arrays[i] = CAIRN_PUSH(arena, double, problem->row_count + 1);
        if (!*arrays[i]) {
            return no_memory();
        }
    }
    cairn_ops_right_side(&rows.ops, rows.velocity, rows.row);
    for (int i = 0; i < problem->row_count; i++) {
        exported->q[rows.target_row[i]] = rows.row[i];
        exported->r[rows.target_row[i]] = lambda[i];
    }
    cairn_ops_slack(&rows.ops, lambda, rows.velocity, rows.row);
    for (int i = 0; i < problem->row_count; i++) {
        exported->u[rows.target_row[i]] = rows.row[i];
    }
    for (int i = 0; i < problem->friction_count; i++) {
        exported->mu[i] = problem->frictions[i].mu;
        exported->is_answer = exported->is_answer && problem->frictions[i].kind == CAIRN_FRICTION_COULOMB;
    }
    return cairn_ok();
}

// ---- Siconos' text ----

static void write_numbers(FILE *file, const double *values, int count) {
    for (int i = 0; i < count; i++) {
        fprintf(file, "%.17g%c", values[i], i % 3 == 2 || i + 1 == count ? '\n' : ' ');
    }
}

// Storage 1: blocks, sizes, the ends of block rows and columns, compressed block rows, then block after block by
// columns. The rows of a contact have the same columns.
static void write_blocks(FILE *file, const CairnContactProblem *exported) {
    int contacts = exported->contacts, size = 3 * contacts, blocks = 0;
    for (int c = 0; c < contacts; c++) {
        blocks += (exported->start[3 * c + 1] - exported->start[3 * c]) / 3;
    }
    fprintf(file, "1\n%d %d\n%d\n%d %d\n", size, size, blocks, contacts, contacts);
    for (int side = 0; side < 2; side++) {
        for (int c = 0; c < contacts; c++) {
            fprintf(file, "%d%c", 3 * (c + 1), c + 1 < contacts ? ' ' : '\n');
        }
    }
    fprintf(file, "%d %d\n0", contacts + 1, blocks);
    for (int c = 0, sum = 0; c < contacts; c++) {
        sum += (exported->start[3 * c + 1] - exported->start[3 * c]) / 3;
        fprintf(file, " %d", sum);
    }
    fputc('\n', file);
    for (int c = 0; c < contacts; c++) {
        for (int k = exported->start[3 * c]; k < exported->start[3 * c + 1]; k += 3) {
            fprintf(file, "%d ", exported->column[k] / 3);
        }
    }
    fputc('\n', file);
    for (int c = 0, number = 0; c < contacts; c++) {
        for (int k = 0; k < exported->start[3 * c + 1] - exported->start[3 * c]; k += 3) {
            double block[9];
            for (int i = 0; i < 9; i++) {
                block[i] = exported->W[exported->start[3 * c + i % 3] + k + i / 3];
            }
            fprintf(file, "%d\n", number++);
            write_numbers(file, block, 9);
        }
    }
}

CairnStatus cairn_siconos_write(const char *path, const CairnContactProblem *exported) {
    FILE *file = fopen(path, "w");
    if (!file) {
        return cairn_error(CAIRN_IO, "option --out: cannot write %s: %s", path, strerror(errno));
    }
    fprintf(file, "3\n%d\n", exported->contacts);
    write_blocks(file, exported);
    write_numbers(file, exported->q, 3 * exported->contacts);
    write_numbers(file, exported->mu, exported->contacts);
    bool is_good = !ferror(file);
    is_good = fclose(file) == 0 && is_good;
    return is_good ? cairn_ok() : cairn_error(CAIRN_IO, "option --out: cannot write %s: %s", path, strerror(errno));
}
