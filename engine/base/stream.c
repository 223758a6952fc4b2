#include "engine/base/stream.h"

#include "engine/base/hash.h"
#include <string.h>

static void put_u64(unsigned char *to, uint64_t value) {
    for (int i = 0; i < 8; i++) {
        to[i] = (unsigned char)(value >> (8 * i));
    }
}

static uint64_t get_u64(const unsigned char *from) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value |= (uint64_t)from[i] << (8 * i);
    }
    return value;
}

// ---- beginning and end ----

CairnStream cairn_stream_count(const CairnFormat *format) {
    return (CairnStream){.format = format, .mode = CAIRN_STREAM_COUNT, .status = cairn_ok()};
}

CairnStream cairn_stream_write(const CairnFormat *format, void *bytes, size_t payload) {
    return (CairnStream){.format = format,
                         .mode = CAIRN_STREAM_WRITE,
                         .bytes = (unsigned char *)bytes + CAIRN_STREAM_HEADER,
                         .size = payload,
                         .status = cairn_ok()};
}

void cairn_stream_write_header(const CairnStream *stream) {
    unsigned char *header = stream->bytes - CAIRN_STREAM_HEADER;
    put_u64(header, stream->format->magic);
    put_u64(header + 8, stream->format->version);
    put_u64(header + 16, stream->at);
    put_u64(header + 24, cairn_hash_bytes(stream->bytes, stream->at));
}

bool cairn_stream_is(const CairnFormat *format, const void *bytes, size_t size) {
    return bytes != NULL && size >= 8 && get_u64(bytes) == format->magic;
}

static CairnStatus check_header(const CairnFormat *format, const unsigned char *bytes, size_t size) {
    if (size < CAIRN_STREAM_HEADER || !cairn_stream_is(format, bytes, size)) {
        return cairn_error(CAIRN_CORRUPT, "%s: these %zu bytes are no %s", format->name, size, format->name);
    }
    uint64_t version = get_u64(bytes + 8), payload = get_u64(bytes + 16);
    if (version != format->version) {
        return cairn_error(CAIRN_UNSUPPORTED, "%s: version is %llu, this library reads %llu", format->name,
                           (unsigned long long)version, (unsigned long long)format->version);
    }
    if (payload != size - CAIRN_STREAM_HEADER) {
        return cairn_error(CAIRN_CORRUPT, "%s: size is %zu, its header says %llu", format->name,
                           size - CAIRN_STREAM_HEADER, (unsigned long long)payload);
    }
    if (get_u64(bytes + 24) != cairn_hash_bytes(bytes + CAIRN_STREAM_HEADER, size - CAIRN_STREAM_HEADER)) {
        return cairn_error(CAIRN_CORRUPT, "%s: the checksum does not match: the bytes were changed", format->name);
    }
    return cairn_ok();
}

CairnStream cairn_stream_read(const CairnFormat *format, const void *bytes, size_t size) {
    CairnStream stream = {.format = format, .mode = CAIRN_STREAM_READ, .status = check_header(format, bytes, size)};
    if (!cairn_stream_failed(&stream)) {
        stream.bytes = (unsigned char *)(uintptr_t)bytes + CAIRN_STREAM_HEADER;
        stream.size = size - CAIRN_STREAM_HEADER;
    }
    return stream;
}

void cairn_stream_end(CairnStream *stream) {
    if (stream->at != stream->size) {
        cairn_stream_fail(stream, "there are bytes after the end");
    }
}

// ---- failure ----

void cairn_stream_fail(CairnStream *stream, const char *what) {
    if (!cairn_stream_failed(stream)) {
        stream->status = cairn_error(CAIRN_CORRUPT, "%s: %s at byte %zu", stream->format->name, what,
                                     CAIRN_STREAM_HEADER + stream->at);
    }
}

bool cairn_stream_has_elements(CairnStream *stream, int count, size_t bytes_each) {
    if (!cairn_stream_failed(stream) && (stream->size - stream->at) / bytes_each < (size_t)count) {
        cairn_stream_fail(stream, "an array is longer than the file");
    }
    return !cairn_stream_failed(stream);
}

// ---- numbers ----

void cairn_stream_u64(CairnStream *stream, uint64_t *value) {
    if (cairn_stream_failed(stream)) {
        return;
    }
    if (stream->mode != CAIRN_STREAM_COUNT && stream->size - stream->at < 8) {
        cairn_stream_fail(stream, "it ends too soon");
        return;
    }
    if (stream->mode == CAIRN_STREAM_WRITE) {
        put_u64(stream->bytes + stream->at, *value);
    } else if (stream->mode == CAIRN_STREAM_READ) {
        *value = get_u64(stream->bytes + stream->at);
    }
    stream->at += 8;
}

void cairn_stream_int(CairnStream *stream, int *value, int low, int high) {
    uint64_t wide = (uint64_t)(int64_t)*value;
    cairn_stream_u64(stream, &wide);
    int64_t read = (int64_t)wide;
    if (cairn_stream_failed(stream)) {
        return;
    }
    if (stream->mode == CAIRN_STREAM_READ && (read < low || read > high)) {
        cairn_stream_fail(stream, "a number is out of its range");
        return;
    }
    *value = (int)read;
}

void cairn_stream_u32(CairnStream *stream, uint32_t *value) {
    uint64_t wide = *value;
    cairn_stream_u64(stream, &wide);
    if (wide > UINT32_MAX) {
        cairn_stream_fail(stream, "a number is out of its range");
        return;
    }
    *value = (uint32_t)wide;
}

void cairn_stream_bool(CairnStream *stream, bool *value) {
    int number = *value ? 1 : 0;
    cairn_stream_int(stream, &number, 0, 1);
    *value = number != 0;
}

void cairn_stream_double(CairnStream *stream, double *value) {
    uint64_t bits;
    memcpy(&bits, value, sizeof bits);
    cairn_stream_u64(stream, &bits);
    memcpy(value, &bits, sizeof bits);
}
