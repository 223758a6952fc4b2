#include <cairn/status.h>

#include <stdarg.h>
#include <stdio.h>

CairnStatus cairn_error(CairnCode code, const char *format, ...) {
    CairnStatus status;
    status.code = code;
    status.message[0] = '\0';
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(status.message, sizeof status.message, format, arguments);
    va_end(arguments);
    return status;
}

const char *cairn_code_name(CairnCode code) {
    switch (code) {
    case CAIRN_OK:
        return "ok";
    case CAIRN_INVALID_ARGUMENT:
        return "invalid argument";
    case CAIRN_INVALID_ID:
        return "invalid id";
    case CAIRN_OUT_OF_MEMORY:
        return "out of memory";
    case CAIRN_UNSUPPORTED:
        return "unsupported";
    case CAIRN_NOT_FOUND:
        return "not found";
    case CAIRN_CORRUPT:
        return "corrupt";
    case CAIRN_IO:
        return "input or output failed";
    case CAIRN_NUMERIC:
        return "numeric failure";
    }
    return "unknown code";
}
