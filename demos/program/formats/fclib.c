// FCLIB's HDF5 files: local (u = W r + q) and global (M v = H r + f, u = H^T v + w) problems of three-dimensional
// contacts, with the answer that they hold. Everything is held against the lengths of the data sets.
#include "demos/program/formats/problem_build.h"
#include "demos/program/formats/problem_source.h"
#include <stdio.h>

#ifdef CAIRN_HDF5
#include <hdf5.h>
#include <limits.h>
#include <math.h>

typedef struct File {
    hid_t id;
    CairnArena *arena;
    const char *root;
} File;

enum { PATH_SIZE = 96 };

static bool has_link(const File *file, const char *name) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", file->root, name);
    for (char *c = path + 1; *c; c++) { // every group on the path must exist
        if (*c == '/') {
            *c = '\0';
            bool exists = H5Lexists(file->id, path, H5P_DEFAULT) > 0;
            *c = '/';
            if (!exists) {
                return false;
            }
        }
    }
    return H5Lexists(file->id, path, H5P_DEFAULT) > 0;
}

// The whole of a one-dimensional data set of whole numbers or reals.
static CairnStatus read_set(const File *file, const char *name, H5T_class_t wanted, void **values, int *count) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", file->root, name);
    *values = NULL;
    *count = 0;
    if (!has_link(file, name)) {
        return cairn_error(CAIRN_CORRUPT, "there is no %s", path);
    }
    hid_t set = H5Dopen2(file->id, path, H5P_DEFAULT), space = -1, type = -1;
    CairnStatus status = cairn_error(CAIRN_CORRUPT, "%s cannot be read", path);
    if (set >= 0) {
        space = H5Dget_space(set);
        type = H5Dget_type(set);
    }
    hssize_t points = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    hsize_t stored = set >= 0 ? H5Dget_storage_size(set) : 0;
    bool is_int = wanted == H5T_INTEGER;
    // A length that the file has no bytes for is damage (no such file is compressed a thousand times).
    if (points >= 0 && points < INT_MAX / 64 && H5Tget_class(type) == wanted && (hsize_t)points / 1024 <= stored) {
        size_t each = is_int ? sizeof(int) : sizeof(double);
        *values = cairn_arena_push_zero(file->arena, (size_t)points + 1, each);
        if (!*values) {
            status = cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for %s", path);
        } else if (H5Dread(set, is_int ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) >=
                   0) {
            *count = (int)points;
            status = cairn_ok();
        }
    }
    if (type >= 0) {
        H5Tclose(type);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    if (set >= 0) {
        H5Dclose(set);
    }
    return status;
}

static CairnStatus read_int(const File *file, const char *name, int *value) {
    void *values;
    int count;
    CAIRN_TRY(read_set(file, name, H5T_INTEGER, &values, &count));
    if (count != 1) {
        return cairn_error(CAIRN_CORRUPT, "%s/%s has %d entries, not 1", file->root, name, count);
    }
    *value = *(int *)values;
    return cairn_ok();
}

static CairnStatus read_vector(const File *file, const char *name, int wanted, double **values) {
    void *all;
    int count;
    CAIRN_TRY(read_set(file, name, H5T_FLOAT, &all, &count));
    *values = all;
    if (count != wanted) {
        return cairn_error(CAIRN_CORRUPT, "%s/%s has %d entries, not %d", file->root, name, count, wanted);
    }
    for (int i = 0; i < count; i++) {
        if (!isfinite((*values)[i])) {
            return cairn_error(CAIRN_CORRUPT, "%s/%s[%d] = %g is not finite", file->root, name, i, (*values)[i]);
        }
    }
    return cairn_ok();
}

// nz >= 0: triplets (row i, column p); -1: by columns; -2: by rows.
static CairnStatus fill(const char *name, int nz, const int *p, const int *i, const double *x, int p_count, int entries,
                        CairnTriplets *matrix) {
    if (nz >= 0) {
        for (int k = 0; k < nz; k++) {
            CAIRN_TRY(cairn_triplets_add(matrix, i[k], p[k], x[k], name));
        }
        return cairn_ok();
    }
    for (int line = 0; line + 1 < p_count; line++) {
        if (p[line] < 0 || p[line] > p[line + 1] || p[line + 1] > entries) {
            return cairn_error(CAIRN_CORRUPT, "%s: p[%d] = %d, p[%d] = %d do not ascend within %d entries", name, line,
                               p[line], line + 1, p[line + 1], entries);
        }
        for (int k = p[line]; k < p[line + 1]; k++) {
            CAIRN_TRY(nz == -1 ? cairn_triplets_add(matrix, i[k], line, x[k], name)
                               : cairn_triplets_add(matrix, line, i[k], x[k], name));
        }
    }
    return cairn_ok();
}

static CairnStatus read_matrix(const File *file, const char *name, CairnTriplets *matrix) {
    static const char *const suffixes[] = {"m", "n", "nz", "p", "i", "x"};
    char paths[6][PATH_SIZE / 2];
    int m, n, nz, p_count, i_count, x_count;
    void *p, *i, *x;
    for (int k = 0; k < 6; k++) {
        snprintf(paths[k], sizeof paths[k], "%s/%s", name, suffixes[k]);
    }
    CAIRN_TRY(read_int(file, paths[0], &m));
    CAIRN_TRY(read_int(file, paths[1], &n));
    CAIRN_TRY(read_int(file, paths[2], &nz));
    CAIRN_TRY(read_set(file, paths[3], H5T_INTEGER, &p, &p_count));
    CAIRN_TRY(read_set(file, paths[4], H5T_INTEGER, &i, &i_count));
    CAIRN_TRY(read_set(file, paths[5], H5T_FLOAT, &x, &x_count));
    int entries = i_count < x_count ? i_count : x_count, lines = nz == -1 ? n : m;
    bool is_sound = m >= 0 && n >= 0 && m <= 1000000 && n <= 1000000 &&
                    (nz >= 0 ? nz <= entries && nz <= p_count : nz >= -2 && p_count >= lines + 1);
    if (!is_sound) {
        return cairn_error(CAIRN_CORRUPT, "%s/%s: %d x %d, nz = %d with %d, %d, %d entries in p, i, x do not fit",
                           file->root, name, m, n, nz, p_count, i_count, x_count);
    }
    CAIRN_TRY(cairn_triplets_make(file->arena, m, n, entries, matrix));
    return fill(name, nz, p, i, x, nz >= 0 ? p_count : lines + 1, entries, matrix);
}

static CairnStatus read_local(const File *file, CairnStoredProblem *stored) {
    CairnTriplets W;
    double *q, *mu;
    if (has_link(file, "V") || has_link(file, "R")) {
        return cairn_error(CAIRN_UNSUPPORTED, "%s/V, R: bilateral rows beside contacts are not taken", file->root);
    }
    CAIRN_TRY(read_matrix(file, "W", &W));
    CAIRN_TRY(read_vector(file, "vectors/q", W.rows, &q));
    CAIRN_TRY(read_vector(file, "vectors/mu", W.rows / 3, &mu));
    CAIRN_TRY(cairn_build_explicit(stored, &W, q));
    return cairn_build_contacts(stored, mu);
}

static CairnStatus read_global(const File *file, CairnStoredProblem *stored) {
    CairnTriplets M, H;
    double *f, *w, *mu;
    if (has_link(file, "G")) {
        return cairn_error(CAIRN_UNSUPPORTED, "%s/G: bilateral rows beside contacts are not taken", file->root);
    }
    CAIRN_TRY(read_matrix(file, "M", &M));
    CAIRN_TRY(read_matrix(file, "H", &H));
    CAIRN_TRY(read_vector(file, "vectors/f", M.rows, &f));
    CAIRN_TRY(read_vector(file, "vectors/w", H.columns, &w));
    CAIRN_TRY(read_vector(file, "vectors/mu", H.columns / 3, &mu));
    CAIRN_TRY(cairn_build_dynamics(stored, &M, &H, f, w));
    return cairn_build_contacts(stored, mu);
}

// The answers that ship inside problem files are dummies of zeros: they count as none.
static CairnStatus read_answer(const File *file, CairnStoredProblem *stored) {
    double *r = NULL;
    File top = {file->id, file->arena, ""}; // beside the problem, not in it
    if (!has_link(&top, "solution/r")) {
        return cairn_ok();
    }
    CAIRN_TRY(read_vector(&top, "solution/r", stored->problem.row_count, &r));
    for (int i = 0; i < stored->problem.row_count && r; i++) {
        if (r[i] != 0) {
            stored->answer = r;
        }
    }
    return cairn_ok();
}

static CairnStatus read_file(File *file, CairnStoredProblem *stored, char kind[64]) {
    static const struct {
        const char *root, *kind;
    } roots[] = {{"/fclib_local", "FCLIB local"}, {"/fclib_global", "FCLIB global"}};
    int dimension = 0, which = -1;
    for (int k = 0; k < 2; k++) {
        which = H5Lexists(file->id, roots[k].root, H5P_DEFAULT) > 0 ? k : which;
    }
    if (which < 0) {
        return cairn_error(CAIRN_UNSUPPORTED, "it holds neither /fclib_local nor /fclib_global");
    }
    file->root = roots[which].root;
    snprintf(kind, 64, "%s", roots[which].kind);
    CAIRN_TRY(read_int(file, "spacedim", &dimension));
    if (dimension != 3) {
        return cairn_error(CAIRN_UNSUPPORTED, "contacts of dimension %d are not taken, only 3", dimension);
    }
    CAIRN_TRY(which == 0 ? read_local(file, stored) : read_global(file, stored));
    return read_answer(file, stored);
}

CairnStatus cairn_fclib_read(const char *path, CairnStoredProblem *stored, char kind[64]) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); // the library would print its own stack
    File file = {H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), stored->arena, ""};
    if (file.id < 0) {
        return cairn_error(CAIRN_CORRUPT, "HDF5 cannot open it");
    }
    CairnStatus status = read_file(&file, stored, kind);
    H5Fclose(file.id);
    return status;
}

#else

CairnStatus cairn_fclib_read(const char *path, CairnStoredProblem *stored, char kind[64]) {
    (void)path, (void)stored, (void)kind;
    return cairn_error(CAIRN_UNSUPPORTED, "it is HDF5, and this program was built without (package libhdf5-dev)");
}

#endif
