// FCLIB's HDF5 file of a local problem: W by rows, q, mu; what the frame's solver found as the solution where
// it solves the problem with Coulomb's law, as a guess where it does not.
#include "demos/program/formats/problem_export.h"

#ifdef CAIRN_HDF5
#include <hdf5.h>
#include <string.h>

// Groups and data sets of one file; the first failure stays.
typedef struct Writer {
    hid_t file;
    bool has_failed;
} Writer;

static void write_set(Writer *writer, const char *path, hid_t stored, hid_t given, const void *values, int count) {
    hsize_t length = (hsize_t)count;
    hid_t space = H5Screate_simple(1, &length, NULL);
    hid_t set = H5Dcreate2(writer->file, path, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool is_good = set >= 0 && H5Dwrite(set, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    writer->has_failed = writer->has_failed || !is_good;
    if (set >= 0) {
        H5Dclose(set);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
}

static void write_ints(Writer *writer, const char *path, const int *values, int count) {
    write_set(writer, path, H5T_STD_I32LE, H5T_NATIVE_INT, values, count);
}

static void write_doubles(Writer *writer, const char *path, const double *values, int count) {
    write_set(writer, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, count);
}

static void write_text(Writer *writer, const char *path, const char *text) {
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    bool is_good = type >= 0 && H5Tset_size(type, strlen(text) + 1) >= 0;
    hid_t set = is_good ? H5Dcreate2(writer->file, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    is_good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    writer->has_failed = writer->has_failed || !is_good;
    if (set >= 0) {
        H5Dclose(set);
    }
    H5Sclose(space);
    H5Tclose(type);
}

static void make_group(Writer *writer, const char *path) {
    hid_t group = H5Gcreate2(writer->file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    writer->has_failed = writer->has_failed || group < 0;
    if (group >= 0) {
        H5Gclose(group);
    }
}

static void write_problem(Writer *writer, const CairnContactProblem *exported, const char *title) {
    int dimension = 3, size = 3 * exported->contacts, entries = exported->start[size], by_rows = -2;
    make_group(writer, "/fclib_local");
    write_ints(writer, "/fclib_local/spacedim", &dimension, 1);
    make_group(writer, "/fclib_local/W");
    write_ints(writer, "/fclib_local/W/nzmax", &entries, 1);
    write_ints(writer, "/fclib_local/W/m", &size, 1);
    write_ints(writer, "/fclib_local/W/n", &size, 1);
    write_ints(writer, "/fclib_local/W/nz", &by_rows, 1);
    write_ints(writer, "/fclib_local/W/p", exported->start, size + 1);
    write_ints(writer, "/fclib_local/W/i", exported->column, entries);
    write_doubles(writer, "/fclib_local/W/x", exported->W, entries);
    make_group(writer, "/fclib_local/vectors");
    write_doubles(writer, "/fclib_local/vectors/q", exported->q, size);
    write_doubles(writer, "/fclib_local/vectors/mu", exported->mu, exported->contacts);
    make_group(writer, "/fclib_local/info");
    write_text(writer, "/fclib_local/info/title", title);
    write_text(writer, "/fclib_local/info/description",
               "one frame of a scene, written by cairn dump; velocities in m/s");
    write_text(writer, "/fclib_local/info/math_info", "W = J P^-1 J^T + C, q = J P^-1 p + d");
}

static void write_found(Writer *writer, const CairnContactProblem *exported) {
    int size = 3 * exported->contacts, one = 1;
    if (exported->is_answer) {
        make_group(writer, "/solution");
        write_doubles(writer, "/solution/u", exported->u, size);
        write_doubles(writer, "/solution/r", exported->r, size);
        return;
    }
    make_group(writer, "/guesses");
    write_ints(writer, "/guesses/number_of_guesses", &one, 1);
    make_group(writer, "/guesses/1");
    write_doubles(writer, "/guesses/1/u", exported->u, size);
    write_doubles(writer, "/guesses/1/r", exported->r, size);
}

CairnStatus cairn_fclib_write(const char *path, const CairnContactProblem *exported, const char *title) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); // the library would print its own stack
    Writer writer = {H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), false};
    if (writer.file < 0) {
        return cairn_error(CAIRN_IO, "option --out: HDF5 cannot write %.180s", path);
    }
    write_problem(&writer, exported, title);
    write_found(&writer, exported);
    writer.has_failed = H5Fclose(writer.file) < 0 || writer.has_failed;
    return writer.has_failed ? cairn_error(CAIRN_IO, "option --out: HDF5 cannot write all of %.160s", path)
                             : cairn_ok();
}

#else

CairnStatus cairn_fclib_write(const char *path, const CairnContactProblem *exported, const char *title) {
    (void)path, (void)exported, (void)title;
    return cairn_error(CAIRN_UNSUPPORTED,
                       "option --format fclib: that is HDF5, and this program was built without (package libhdf5-dev)");
}

#endif
