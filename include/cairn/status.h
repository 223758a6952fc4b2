// Status: how every fallible call of Cairn answers.
//
// A status is returned by value and owns its message, so there is no "last error", nothing to free and nothing that two
// threads could share. The message names the field and the value that were refused. A call that does not answer CAIRN_OK
// has left the world as it was.
#ifndef CAIRN_STATUS_H
#define CAIRN_STATUS_H

#include <stdbool.h>

typedef enum CairnCode {
    CAIRN_OK = 0,
    CAIRN_INVALID_ARGUMENT, // a value outside its range; the message names field and value
    CAIRN_INVALID_ID,       // a null, dead or foreign id
    CAIRN_OUT_OF_MEMORY,    // the allocator said no
    CAIRN_UNSUPPORTED,      // well formed, but the chosen part does not take it (the message says which part)
    CAIRN_NOT_FOUND,        // an unknown name; the message lists the near ones
    CAIRN_CORRUPT,          // a file or snapshot that fails its own check
    CAIRN_IO,               // the system refused a file
    CAIRN_NUMERIC           // a step produced a value that is not finite; the step did not happen
} CairnCode;

enum { CAIRN_MESSAGE_SIZE = 236 };

typedef struct CairnStatus {
    CairnCode code;
    char message[CAIRN_MESSAGE_SIZE];
} CairnStatus;

static inline CairnStatus cairn_ok(void) {
    CairnStatus status;
    status.code = CAIRN_OK;
    status.message[0] = '\0';
    return status;
}

static inline bool cairn_is_ok(CairnStatus status) {
    return status.code == CAIRN_OK;
}

// printf into a new status; a message that does not fit is cut, never overrun.
CairnStatus cairn_error(CairnCode code, const char *format, ...) __attribute__((format(printf, 2, 3)));

// "invalid argument", "out of memory", ...: for a caller that wants one word before the message.
const char *cairn_code_name(CairnCode code);

// Return the status of a call to the caller unless it is CAIRN_OK: scene code reads as a list of what it builds.
#define CAIRN_TRY(call)                                                                                                \
    do {                                                                                                               \
        CairnStatus cairn_try_status_ = (call);                                                                        \
        if (cairn_try_status_.code != CAIRN_OK) {                                                                      \
            return cairn_try_status_;                                                                                  \
        }                                                                                                              \
    } while (0)

#endif
