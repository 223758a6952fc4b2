// Bytes: numbers and words put one after the other, little-endian, and taken back. Each side has one failure, which
// stays.
#ifndef CAIRN_PROGRAM_BYTES_H
#define CAIRN_PROGRAM_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct CairnBytes {
    unsigned char *data;
    size_t size, capacity;
    bool has_failed; // no memory
} CairnBytes;

void cairn_bytes_free(CairnBytes *bytes);
void cairn_bytes_put(CairnBytes *bytes, const void *data, size_t size);
// The lowest `width` bytes of a value.
void cairn_bytes_put_uint(CairnBytes *bytes, uint64_t value, int width);
void cairn_bytes_put_float(CairnBytes *bytes, float value);
void cairn_bytes_put_double(CairnBytes *bytes, double value);
void cairn_bytes_put_text(CairnBytes *bytes, const char *text); // NULL is another one than ""

typedef struct CairnBytesReader {
    const unsigned char *data;
    size_t size, at;
    bool has_failed; // more was read than there is
} CairnBytesReader;

// NULL where there are not so many left.
const unsigned char *cairn_bytes_take(CairnBytesReader *reader, size_t size);
uint64_t cairn_bytes_take_uint(CairnBytesReader *reader, int width);
float cairn_bytes_take_float(CairnBytesReader *reader);
double cairn_bytes_take_double(CairnBytesReader *reader);
// *text is not ended by a NUL; NULL where NULL was put.
void cairn_bytes_take_text(CairnBytesReader *reader, const char **text, size_t *length);

#endif
