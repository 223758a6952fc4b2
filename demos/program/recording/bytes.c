#include "demos/program/recording/bytes.h"
#include <stdlib.h>
#include <string.h>

void cairn_bytes_free(CairnBytes *bytes) {
    free(bytes->data);
    *bytes = (CairnBytes){.data = NULL};
}

void cairn_bytes_put(CairnBytes *bytes, const void *data, size_t size) {
    if (bytes->has_failed || size == 0) {
        return;
    }
    if (bytes->capacity - bytes->size < size) {
        size_t capacity = 2 * (bytes->size + size);
        unsigned char *larger = realloc(bytes->data, capacity);
        if (!larger) {
            bytes->has_failed = true;
            return;
        }
        bytes->data = larger;
        bytes->capacity = capacity;
    }
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

void cairn_bytes_put_uint(CairnBytes *bytes, uint64_t value, int width) {
    unsigned char data[8];
    for (int i = 0; i < width; i++) {
        data[i] = (unsigned char)(value >> (8 * i));
    }
    cairn_bytes_put(bytes, data, (size_t)width);
}

void cairn_bytes_put_float(CairnBytes *bytes, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    cairn_bytes_put_uint(bytes, bits, 4);
}

void cairn_bytes_put_double(CairnBytes *bytes, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    cairn_bytes_put_uint(bytes, bits, 8);
}

void cairn_bytes_put_text(CairnBytes *bytes, const char *text) {
    size_t length = text ? strlen(text) : 0;
    cairn_bytes_put_uint(bytes, text ? length + 1 : 0, 4);
    cairn_bytes_put(bytes, text, length);
}

const unsigned char *cairn_bytes_take(CairnBytesReader *reader, size_t size) {
    if (reader->has_failed || reader->size - reader->at < size) {
        reader->has_failed = true;
        return NULL;
    }
    const unsigned char *data = reader->data + reader->at;
    reader->at += size;
    return data;
}

uint64_t cairn_bytes_take_uint(CairnBytesReader *reader, int width) {
    const unsigned char *data = cairn_bytes_take(reader, (size_t)width);
    uint64_t value = 0;
    for (int i = 0; data && i < width; i++) {
        value |= (uint64_t)data[i] << (8 * i);
    }
    return value;
}

float cairn_bytes_take_float(CairnBytesReader *reader) {
    uint32_t bits = (uint32_t)cairn_bytes_take_uint(reader, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double cairn_bytes_take_double(CairnBytesReader *reader) {
    uint64_t bits = cairn_bytes_take_uint(reader, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void cairn_bytes_take_text(CairnBytesReader *reader, const char **text, size_t *length) {
    uint64_t size = cairn_bytes_take_uint(reader, 4);
    *length = size > 0 ? (size_t)size - 1 : 0;
    *text = size > 0 ? (const char *)cairn_bytes_take(reader, *length) : NULL;
}
