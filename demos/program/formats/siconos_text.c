// Siconos' text files.
//
//   friction: d, contacts, matrix, q, mu                          d is 3 here
//   MLCP:     1, 1, n, m, block ends, flags (1: complementary), matrix, q, then A, B, C, D, a, b, which repeat M and q
//   matrix:   0: rows, columns, rows, columns, values by columns
//             1: blocks, rows, columns, the ends of block rows and columns, compressed block rows, the blocks by columns
//             2: a dump of CSparse
#include "demos/program/formats/problem_build.h"
#include "demos/program/formats/problem_source.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Text {
    const char *at, *begin, *end;
    CairnArena *arena;
} Text;

static CairnStatus spoiled(const Text *text, const char *what) {
    int line = 1;
    for (const char *c = text->begin; c < text->at; c++) {
        line += *c == '\n';
    }
    return cairn_error(CAIRN_CORRUPT, "line %d: %s", line, what);
}

static CairnStatus read_int(Text *text, int low, int high, const char *what, int *value) {
    char *end, message[160];
    *value = low;
    errno = 0;
    long number = strtol(text->at, &end, 10);
    if (end == text->at || errno || number < low || number > high) {
        snprintf(message, sizeof message, "%s must be a whole number in [%d, %d], is '%.20s'", what, low, high,
                 text->at);
        message[strcspn(message, "\n\t")] = '\0';
        return spoiled(text, message);
    }
    text->at = end;
    *value = (int)number;
    return cairn_ok();
}

static CairnStatus read_double(Text *text, const char *what, double *value) {
    char *end, message[160];
    *value = 0;
    double number = strtod(text->at, &end);
    if (end == text->at || !isfinite(number)) {
        snprintf(message, sizeof message, "%s must be a finite number, is '%.30s'", what,
                 text->at + strspn(text->at, " \t\r\n"));
        message[strcspn(message, "\n\t")] = '\0';
        return spoiled(text, message);
    }
    text->at = end;
    *value = number;
    return cairn_ok();
}

// A number takes two bytes at least, so what the text has no room for is refused before memory is taken.
static CairnStatus check_room(const Text *text, double count) {
    return 2 * count <= (double)(text->end - text->at) + 2 ? cairn_ok()
                                                           : spoiled(text, "more numbers than the file has");
}

static CairnStatus read_doubles(Text *text, int count, const char *what, double **values) {
    CAIRN_TRY(check_room(text, count));
    *values = CAIRN_PUSH(text->arena, double, count + 1);
    if (!*values) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for %d numbers", count);
    }
    for (int i = 0; i < count; i++) {
        CAIRN_TRY(read_double(text, what, &(*values)[i]));
    }
    return cairn_ok();
}

static CairnStatus read_ints(Text *text, int count, int low, int high, const char *what, int **values) {
    CAIRN_TRY(check_room(text, count));
    *values = CAIRN_PUSH(text->arena, int, count + 1);
    if (!*values) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for %d numbers", count);
    }
    for (int i = 0; i < count; i++) {
        CAIRN_TRY(read_int(text, low, high, what, &(*values)[i]));
    }
    return cairn_ok();
}

// ---- matrices ----

static CairnStatus read_dense(Text *text, int size, CairnTriplets *W) {
    int rows, columns;
    for (int i = 0; i < 2; i++) { // written twice
        CAIRN_TRY(read_int(text, size, size, "rows of the matrix", &rows));
        CAIRN_TRY(read_int(text, size, size, "columns of the matrix", &columns));
    }
    CAIRN_TRY(check_room(text, (double)size * size));
    CAIRN_TRY(cairn_triplets_make(text->arena, size, size, size * size, W));
    for (int k = 0; k < size * size; k++) {
        double value;
        CAIRN_TRY(read_double(text, "an entry of the matrix", &value));
        CAIRN_TRY(cairn_triplets_add(W, k % size, k / size, value, "the matrix"));
    }
    return cairn_ok();
}

static CairnStatus read_ends(Text *text, int count, int size, int **ends) {
    CAIRN_TRY(read_ints(text, count, 1, size, "the end of a block", ends));
    for (int i = 0; i < count; i++) {
        if ((*ends)[i] <= (i > 0 ? (*ends)[i - 1] : 0)) {
            return spoiled(text, "the ends of blocks must ascend");
        }
    }
    return count > 0 && (*ends)[count - 1] == size ? cairn_ok() : spoiled(text, "the blocks do not cover the matrix");
}

static CairnStatus read_block(Text *text, const int *row_ends, const int *column_ends, int row, int column,
                              CairnTriplets *W) {
    int first_row = row > 0 ? row_ends[row - 1] : 0, first_column = column > 0 ? column_ends[column - 1] : 0;
    for (int j = first_column; j < column_ends[column]; j++) {
        for (int i = first_row; i < row_ends[row]; i++) {
            double value;
            CAIRN_TRY(read_double(text, "an entry of a block", &value));
            CAIRN_TRY(cairn_triplets_add(W, i, j, value, "the matrix"));
        }
    }
    return cairn_ok();
}

static CairnStatus read_blocks(Text *text, int size, CairnTriplets *W) {
    int rows, columns, blocks, block_rows, block_columns, starts, indices;
    int *row_ends, *column_ends, *start, *index;
    CAIRN_TRY(read_int(text, size, size, "rows of the matrix", &rows));
    CAIRN_TRY(read_int(text, size, size, "columns of the matrix", &columns));
    CAIRN_TRY(read_int(text, 0, INT_MAX / 64, "the number of blocks", &blocks));
    CAIRN_TRY(read_int(text, 1, size, "block rows", &block_rows));
    CAIRN_TRY(read_int(text, 1, size, "block columns", &block_columns));
    CAIRN_TRY(read_ends(text, block_rows, size, &row_ends));
    CAIRN_TRY(read_ends(text, block_columns, size, &column_ends));
    CAIRN_TRY(read_int(text, block_rows + 1, block_rows + 1, "starts of block rows", &starts));
    CAIRN_TRY(read_int(text, blocks, blocks, "columns of blocks", &indices));
    CAIRN_TRY(read_ints(text, starts, 0, blocks, "the start of a block row", &start));
    CAIRN_TRY(read_ints(text, indices, 0, block_columns - 1, "the column of a block", &index));
    long long entries = 0;
    for (int row = 0; row < block_rows; row++) {
        if (start[row] > start[row + 1] || (row == 0 && start[0] != 0)) {
            return spoiled(text, "the starts of block rows must ascend from 0");
        }
        for (int k = start[row]; k < start[row + 1]; k++) {
            int width = column_ends[index[k]] - (index[k] > 0 ? column_ends[index[k] - 1] : 0);
            entries += (long long)width * (row_ends[row] - (row > 0 ? row_ends[row - 1] : 0));
        }
    }
    CAIRN_TRY(check_room(text, (double)entries));
    CAIRN_TRY(cairn_triplets_make(text->arena, size, size, (int)entries, W));
    for (int row = 0; row < block_rows; row++) {
        for (int k = start[row]; k < start[row + 1]; k++) {
            int number;
            CAIRN_TRY(read_int(text, k, k, "the number of a block", &number));
            CAIRN_TRY(read_block(text, row_ends, column_ends, row, index[k], W));
        }
    }
    return cairn_ok();
}

// Go past a word; it must come next.
static CairnStatus skip(Text *text, const char *word) {
    char message[80];
    text->at += strspn(text->at, " \t\r\n");
    if (strncmp(text->at, word, strlen(word)) != 0) {
        snprintf(message, sizeof message, "'%s' is missing in a dump of CSparse", word);
        return spoiled(text, message);
    }
    text->at += strlen(word);
    return cairn_ok();
}

static void skip_line(Text *text) {
    text->at += strcspn(text->at, "\n");
    text->at += *text->at == '\n';
}

// origin (0: triplets, 1: by columns, 2: by rows), a line that names CSparse, then
//   triplet: M-by-N, nzmax: A nnz: B               and lines "row column : value", or
//   M-by-N, nzmax: A nnz: B, 1-norm: x             and "col J : locations A to B" before the lines "row : value" of each column
static CairnStatus read_csparse(Text *text, int size, CairnTriplets *W) {
    int origin, rows, columns, room, count, column = -1, row, last = -1, from;
    double value;
    CAIRN_TRY(read_int(text, 0, 2, "the origin of a sparse matrix", &origin));
    skip_line(text);
    CAIRN_TRY(skip(text, "CSparse"));
    skip_line(text);
    bool is_triplet = strncmp(text->at, "triplet:", 8) == 0;
    text->at += is_triplet ? 8 : 0;
    CAIRN_TRY(read_int(text, size, size, "rows of the matrix", &rows));
    CAIRN_TRY(skip(text, "-by-"));
    CAIRN_TRY(read_int(text, size, size, "columns of the matrix", &columns));
    CAIRN_TRY(skip(text, ", nzmax:"));
    CAIRN_TRY(read_int(text, 0, INT_MAX / 64, "room for entries", &room));
    CAIRN_TRY(skip(text, "nnz:"));
    CAIRN_TRY(read_int(text, 0, room, "the number of entries", &count));
    CAIRN_TRY(check_room(text, count));
    CAIRN_TRY(cairn_triplets_make(text->arena, size, size, count, W));
    skip_line(text);
    while (W->count < count) {
        text->at += strspn(text->at, " \t\r\n");
        while (!is_triplet && strncmp(text->at, "col", 3) == 0) {
            text->at += 3;
            CAIRN_TRY(read_int(text, column + 1, column + 1, "the next column", &column));
            CAIRN_TRY(skip(text, ": locations"));
            CAIRN_TRY(read_int(text, last + 1, last + 1, "the first location of a column", &from));
            CAIRN_TRY(skip(text, "to"));
            CAIRN_TRY(read_int(text, from - 1, count - 1, "the last location of a column", &last));
            text->at += strspn(text->at, " \t\r\n");
        }
        if (!is_triplet && (column < 0 || W->count > last)) {
            return spoiled(text, "more entries than the column has");
        }
        CAIRN_TRY(read_int(text, 0, size - 1, "the row of an entry", &row));
        if (is_triplet) {
            CAIRN_TRY(read_int(text, 0, size - 1, "the column of an entry", &column));
        }
        CAIRN_TRY(skip(text, ":"));
        CAIRN_TRY(read_double(text, "an entry of the matrix", &value));
        CAIRN_TRY(origin == 2 ? cairn_triplets_add(W, column, row, value, "the matrix")
                              : cairn_triplets_add(W, row, column, value, "the matrix"));
    }
    while (!is_triplet && column + 1 < columns) { // empty columns at the end have a line too
        skip_line(text);
        column++;
    }
    return cairn_ok();
}

static CairnStatus read_matrix(Text *text, int size, CairnTriplets *W, const char **name) {
    static const char *const names[] = {"dense", "blocks", "CSparse"};
    int storage;
    CAIRN_TRY(read_int(text, 0, 2, "the storage of the matrix", &storage));
    *name = names[storage];
    return storage == 0   ? read_dense(text, size, W)
           : storage == 1 ? read_blocks(text, size, W)
                          : read_csparse(text, size, W);
}

// ---- problems ----

static CairnStatus read_friction(Text *text, int dimension, CairnStoredProblem *stored, char kind[64]) {
    int contacts;
    CairnTriplets W;
    const char *name;
    double *q, *mu;
    if (dimension != 3) {
        return cairn_error(CAIRN_UNSUPPORTED, "contacts of dimension %d are not taken, only 3", dimension);
    }
    CAIRN_TRY(read_int(text, 0, 10000, "the number of contacts", &contacts));
    CAIRN_TRY(read_matrix(text, 3 * contacts, &W, &name));
    CAIRN_TRY(read_doubles(text, 3 * contacts, "q", &q));
    CAIRN_TRY(read_doubles(text, contacts, "mu", &mu));
    CAIRN_TRY(cairn_build_explicit(stored, &W, q));
    snprintf(kind, 64, "Siconos friction, %s", name);
    return cairn_build_contacts(stored, mu);
}

// The blocks A, B, C, D, a, b (by rows) must equal those of M and q.
static CairnStatus check_blocks(Text *text, int n, int m, const CairnTriplets *W, const double *q) {
    const struct {
        int rows, columns, row, column;
    } blocks[] = {{n, n, 0, 0}, {m, m, n, n}, {n, m, 0, n}, {m, n, n, 0}};
    for (int p = 0; p < 4; p++) {
        for (int k = 0; k < blocks[p].rows * blocks[p].columns; k++) {
            int row = blocks[p].row + k / blocks[p].columns, column = blocks[p].column + k % blocks[p].columns;
            double value;
            CAIRN_TRY(read_double(text, "an entry of A, B, C or D", &value));
            if (value != W->value[column * (n + m) + row]) { // dense, by columns
                return spoiled(text, "A, B, C, D say something else than M");
            }
        }
    }
    for (int i = 0; i < n + m; i++) {
        double value;
        CAIRN_TRY(read_double(text, "an entry of a or b", &value));
        if (value != q[i]) {
            return spoiled(text, "a, b say something else than q");
        }
    }
    return cairn_ok();
}

static CairnStatus read_mlcp(Text *text, CairnStoredProblem *stored, char kind[64]) {
    int has_blocks, n, m, from = 0, flags, ends[64], count = 0;
    CairnTriplets W;
    const char *name;
    double *q;
    CAIRN_TRY(read_int(text, 0, 1, "whether A, B, C, D follow", &has_blocks));
    CAIRN_TRY(read_int(text, 0, 10000, "the number of equalities", &n));
    CAIRN_TRY(read_int(text, 0, 10000, "the number of complementary rows", &m));
    CAIRN_TRY(read_int(text, 0, 0, "the first end of a block", &from));
    while (from < n + m) {
        if (count == 64) {
            return spoiled(text, "more than 64 blocks");
        }
        CAIRN_TRY(read_int(text, from + 1, n + m, "the end of a block", &ends[count]));
        from = ends[count++];
    }
    bool *is_bilateral = CAIRN_PUSH_ZERO(text->arena, bool, n + m + 1);
    if (!is_bilateral) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for %d rows", n + m);
    }
    for (int b = 0; b < count; b++) {
        CAIRN_TRY(read_int(text, 0, 1, "the flag of a block", &flags));
        for (int i = b > 0 ? ends[b - 1] : 0; i < ends[b]; i++) {
            is_bilateral[i] = flags == 0;
        }
    }
    CAIRN_TRY(read_matrix(text, n + m, &W, &name));
    CAIRN_TRY(read_doubles(text, n + m, "q", &q));
    if (has_blocks && strcmp(name, "dense") == 0) {
        CAIRN_TRY(check_blocks(text, n, m, &W, q));
    }
    CAIRN_TRY(cairn_build_explicit(stored, &W, q));
    snprintf(kind, 64, "Siconos MLCP, %s", name);
    return cairn_build_rows(stored, is_bilateral);
}

CairnStatus cairn_siconos_read(const char *bytes, size_t size, CairnStoredProblem *stored, char kind[64]) {
    Text text = {bytes, bytes, bytes + size, stored->arena};
    int first;
    CAIRN_TRY(read_int(&text, 1, 5, "the dimension of contacts, or a 1 before an MLCP", &first));
    return first == 1 ? read_mlcp(&text, stored, kind) : read_friction(&text, first, stored, kind);
}
