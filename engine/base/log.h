// Log: formatted messages to the caller's logger, or nowhere.
#ifndef CAIRN_BASE_LOG_H
#define CAIRN_BASE_LOG_H

#include <cairn/hooks.h>

void cairn_log(const CairnLogger *logger, CairnLogLevel level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
