// Status: the result of every call of Cairn that can fail.
//
// A status is returned by value and owns its message. There is no "last error", nothing to release, and nothing that
// two threads share: all functions of this header may be called from any thread. The message names the field and the
// value that were refused. A call that does not return CAIRN_OK has left the world as it was.
#ifndef CAIRN_STATUS_H
#define CAIRN_STATUS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// The codes have no prefix but CAIRN_, because a program writes them more often than any other enumerator.
typedef enum CairnCode {
    CAIRN_OK = 0,
    CAIRN_INVALID_ARGUMENT, // a pointer is NULL or a value is outside its range; the message names field and value
    CAIRN_INVALID_ID,       // the id is null, its object was destroyed, or it belongs to another world
    CAIRN_OUT_OF_MEMORY,    // the allocator returned NULL
    CAIRN_UNSUPPORTED,      // the input is well formed, but a component that the message names does not support it
    CAIRN_NOT_FOUND,        // the name is unknown; the message lists similar names
    CAIRN_CORRUPT,          // a file or a snapshot fails its own check
    CAIRN_IO,               // the operating system refused a file
    CAIRN_NUMERIC           // a step produced a value that is not finite; the step did not happen
} CairnCode;

enum { CAIRN_MESSAGE_SIZE = 236 };

typedef struct CairnStatus {
    CairnCode code;
    char message[CAIRN_MESSAGE_SIZE]; // ends with '\0'; empty for CAIRN_OK
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

// Returns a status with this code and a message formatted as by printf. A message that does not fit is cut.
CairnStatus cairn_error(CairnCode code, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Returns the code in words ("invalid argument", "out of memory"); "unknown code" for any other value. The text is a
// constant.
const char *cairn_code_name(CairnCode code);

// Returns the status of `call` to the caller of the enclosing function unless it is CAIRN_OK. Code that builds a scene
// then reads as the list of what it builds.
#define CAIRN_TRY(call)                                                                                                \
    do {                                                                                                               \
        CairnStatus cairn_try_status_ = (call);                                                                        \
        if (cairn_try_status_.code != CAIRN_OK) {                                                                      \
            return cairn_try_status_;                                                                                  \
        }                                                                                                              \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
