// Stream: numbers as bytes and back, behind a header of magic, version, payload size and checksum. Every number takes 8
// bytes, little-endian; a double is its bits. One visitor counts, writes and reads, so that the three can never
// disagree: it passes the address of each number in turn, which is read or written according to the mode. After a
// failure nothing more happens.
#ifndef CAIRN_BASE_STREAM_H
#define CAIRN_BASE_STREAM_H

#include "engine/base/arena.h"
#include <cairn/status.h>
#include <stdbool.h>
#include <stdint.h>

enum { CAIRN_STREAM_HEADER = 32 }; // bytes before the payload

typedef enum CairnStreamMode { CAIRN_STREAM_COUNT = 0, CAIRN_STREAM_WRITE, CAIRN_STREAM_READ } CairnStreamMode;

typedef struct CairnFormat {
    const char *name; // begins every message
    uint64_t magic, version;
} CairnFormat;

typedef struct CairnStream {
    const CairnFormat *format;
    CairnStreamMode mode;
    unsigned char *bytes; // of the payload; never written to while reading
    size_t size, at;
    CairnStatus status;
    const CairnAllocator *allocator; // for the visitor: arrays that it reads are allocated from it
    CairnArena *arena;
} CairnStream;

// Counts only: `at` is the size of the payload in the end.
CairnStream cairn_stream_count(const CairnFormat *format);
// Into CAIRN_STREAM_HEADER and `payload` bytes. The header comes last.
CairnStream cairn_stream_write(const CairnFormat *format, void *bytes, size_t payload);
void cairn_stream_write_header(const CairnStream *stream);
// From a header and a payload; the message of the status describes what is wrong with the header.
CairnStream cairn_stream_read(const CairnFormat *format, const void *bytes, size_t size);
// Do these bytes begin as the format does?
bool cairn_stream_is(const CairnFormat *format, const void *bytes, size_t size);
// True: everything was read, and no byte remains.
void cairn_stream_end(CairnStream *stream);

static inline bool cairn_stream_failed(const CairnStream *stream) {
    return stream->status.code != CAIRN_OK;
}

// CAIRN_CORRUPT with what is wrong and where; the first failure stays.
void cairn_stream_fail(CairnStream *stream, const char *what);

// Do at least `count` elements of `bytes_each` bytes each remain to be read? The stream fails where they do not: so a
// damaged count is refused before anything is allocated.
bool cairn_stream_has_elements(CairnStream *stream, int count, size_t bytes_each);

void cairn_stream_u64(CairnStream *stream, uint64_t *value);
void cairn_stream_u32(CairnStream *stream, uint32_t *value);
// Within [low, high]: any other value that is read is an error, even where the checksum is right.
void cairn_stream_int(CairnStream *stream, int *value, int low, int high);
void cairn_stream_bool(CairnStream *stream, bool *value);
void cairn_stream_double(CairnStream *stream, double *value); // of any kind, NaN and infinities too

#endif
