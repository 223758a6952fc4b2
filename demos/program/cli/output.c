#include "demos/program/cli/output.h"
#include <errno.h>
#include <string.h>

CairnStatus cairn_output_open(const char *path, const char *option, FILE **file) {
    if (path) {
        *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
        if (!*file) {
            return cairn_error(CAIRN_IO, "option %s: cannot write %s: %s", option, path, strerror(errno));
        }
    }
    return cairn_ok();
}

CairnStatus cairn_output_close(const char *path, FILE **file) {
    FILE *closing = *file;
    *file = NULL;
    if (!closing) {
        return cairn_ok();
    }
    bool is_good = !ferror(closing) && fflush(closing) == 0;
    if (closing != stdout) {
        is_good = fclose(closing) == 0 && is_good;
    }
    return is_good ? cairn_ok() : cairn_error(CAIRN_IO, "cannot write %s: %s", path, strerror(errno));
}
