#include "engine/base/log.h"

#include <stdarg.h>
#include <stdio.h>

void cairn_log(const CairnLogger *logger, CairnLogLevel level, const char *format, ...) {
    if (logger == NULL || logger->write == NULL || level > logger->level) {
        return;
    }
    char message[1024]; // a longer message is cut
    message[0] = '\0';
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    logger->write(logger->user, level, message);
}
