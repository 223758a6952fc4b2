#include "tests/support/support.h"

#include <stdlib.h>
#include <string.h>

// ---- random draws ----

uint64_t support_random(uint64_t *state) {
    *state += 0x9e3779b97f4a7c15u;
    uint64_t x = *state;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

double support_uniform(uint64_t *state, double low, double high) {
    return low + (high - low) * ((double)(support_random(state) >> 11) * 0x1p-53);
}

int support_int(uint64_t *state, int low, int high) {
    uint64_t range = (uint64_t)((int64_t)high - low) + 1;
    return (int)(low + (int64_t)(support_random(state) % range));
}

CairnVec3 support_vec3(uint64_t *state, double low, double high) {
    double x = support_uniform(state, low, high), y = support_uniform(state, low, high);
    return (CairnVec3){x, y, support_uniform(state, low, high)};
}

// Archimedes: the height of a uniform point on the sphere is uniform.
CairnVec3 support_unit(uint64_t *state) {
    double z = support_uniform(state, -1, 1), angle = support_uniform(state, 0, 2 * CAIRN_PI);
    double r = sqrt(1 - z * z);
    return cairn_normalize((CairnVec3){r * cos(angle), r * sin(angle), z});
}

// Shoemake: two independent angles and one radius make a uniform point on the 3-sphere.
CairnQuat support_quat(uint64_t *state) {
    double u = support_uniform(state, 0, 1), a = support_uniform(state, 0, 2 * CAIRN_PI);
    double b = support_uniform(state, 0, 2 * CAIRN_PI);
    double r = sqrt(1 - u), s = sqrt(u);
    return cairn_quat_normalize((CairnQuat){r * cos(a), r * sin(a), s * cos(b), s * sin(b)});
}

CairnTransform support_transform(uint64_t *state, double reach) {
    CairnVec3 p = support_vec3(state, -reach, reach);
    return (CairnTransform){p, support_quat(state)};
}

CairnMat3 support_symmetric(uint64_t *state, double size) {
    CairnMat3 a;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++) {
            a.m[i][j] = a.m[j][i] = support_uniform(state, -size, size);
        }
    }
    return a;
}

CairnMat3 support_inertia(uint64_t *state, double reach) {
    enum { MASSES = 6 };
    CairnVec3 position[MASSES], center = {0, 0, 0};
    double mass[MASSES], total = 0;
    for (int i = 0; i < MASSES; i++) {
        mass[i] = support_uniform(state, 0.1, 2);
        position[i] = support_vec3(state, -reach, reach);
        center = cairn_add_scaled(center, mass[i], position[i]);
        total += mass[i];
    }
    CairnMat3 inertia = cairn_mat3_diagonal(0, 0, 0);
    for (int i = 0; i < MASSES; i++) {
        CairnVec3 r = cairn_add_scaled(position[i], -1 / total, center);
        double c[3] = {r.x, r.y, r.z};
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++) {
                inertia.m[j][k] += mass[i] * ((j == k ? cairn_dot(r, r) : 0) - c[j] * c[k]);
            }
        }
    }
    return inertia;
}

// ---- comparisons ----

void support_near(double a, double b, double tolerance, const char *what, const char *file, int line) {
    if (!(fabs(a - b) <= tolerance) && a != b) { // equal infinities are near
        print_error("%s: %.17g and %.17g differ by %.17g, more than %.17g\n", what, a, b, a - b, tolerance);
        _fail(file, line);
    }
}

void support_vec3_near(CairnVec3 a, CairnVec3 b, double tolerance, const char *what, const char *file, int line) {
    double distance = cairn_length(cairn_sub(a, b));
    if (!(distance <= tolerance)) {
        print_error("%s: (%.17g, %.17g, %.17g) and (%.17g, %.17g, %.17g) differ by %.17g, more than %.17g\n", what, a.x,
                    a.y, a.z, b.x, b.y, b.z, distance, tolerance);
        _fail(file, line);
    }
}

void support_mat3_near(CairnMat3 a, CairnMat3 b, double tolerance, const char *what, const char *file, int line) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double difference = a.m[i][j] - b.m[i][j];
            if (!(fabs(difference) <= tolerance)) {
                print_error("%s: [%d][%d] %.17g and %.17g differ by %.17g, more than %.17g\n", what, i, j, a.m[i][j],
                            b.m[i][j], difference, tolerance);
                _fail(file, line);
            }
        }
    }
}

void support_quat_near(CairnQuat a, CairnQuat b, double tolerance, const char *what, const char *file, int line) {
    double sign = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0 ? -1 : 1;
    double w = a.w - sign * b.w, x = a.x - sign * b.x, y = a.y - sign * b.y, z = a.z - sign * b.z;
    double distance = sqrt(w * w + x * x + y * y + z * z);
    if (!(distance <= tolerance)) {
        print_error(
            "%s: (%.17g, %.17g, %.17g, %.17g) and (%.17g, %.17g, %.17g, %.17g) differ by %.17g, more than %.17g\n",
            what, a.w, a.x, a.y, a.z, b.w, b.x, b.y, b.z, distance, tolerance);
        _fail(file, line);
    }
}

void support_below(double a, double limit, const char *what, const char *file, int line) {
    if (!(a <= limit)) {
        print_error("%s: %.17g is above %.17g by %.17g\n", what, a, limit, a - limit);
        _fail(file, line);
    }
}

void support_same_bits(double a, double b, const char *what, const char *file, int line) {
    uint64_t a_bits, b_bits;
    memcpy(&a_bits, &a, sizeof a_bits);
    memcpy(&b_bits, &b, sizeof b_bits);
    if (a_bits != b_bits) {
        print_error("%s: %.17g and %.17g have the bits %016llx and %016llx\n", what, a, b, (unsigned long long)a_bits,
                    (unsigned long long)b_bits);
        _fail(file, line);
    }
}

// ---- statuses ----

void support_ok(CairnStatus status, const char *what, const char *file, int line) {
    if (status.code != CAIRN_OK) {
        print_error("%s: %s: %s\n", what, cairn_code_name(status.code), status.message);
        _fail(file, line);
    }
}

void support_refused(CairnStatus status, CairnCode code, const char *text, const char *what, const char *file,
                     int line) {
    if (status.code != code || strstr(status.message, text) == NULL) {
        print_error("%s: answered \"%s: %s\", wanted \"%s: ...%s...\"\n", what, cairn_code_name(status.code),
                    status.message, cairn_code_name(code), text);
        _fail(file, line);
    }
}

// ---- memory ----

// In front of every block, one alignment long.
typedef struct Header {
    uint64_t magic;
    size_t size;
} Header;

static const uint64_t LIVE = 0x6c697665626c6f63u, DEAD = 0x64656164626c6f63u;

static void *counting_allocate(void *user, size_t size) {
    SupportMemory *memory = user;
    memory->calls++;
    if ((memory->fail_from > 0 && memory->calls >= memory->fail_from) || memory->calls == memory->fail_only) {
        memory->refused++;
        return NULL;
    }
    size_t rounded = (size + CAIRN_ALIGNMENT - 1) / CAIRN_ALIGNMENT * CAIRN_ALIGNMENT;
    if (rounded < size || rounded > PTRDIFF_MAX - CAIRN_ALIGNMENT) {
        return NULL;
    }
    unsigned char *block = aligned_alloc(CAIRN_ALIGNMENT, CAIRN_ALIGNMENT + rounded);
    if (block == NULL) {
        return NULL;
    }
    memcpy(block, &(Header){LIVE, size}, sizeof(Header));
    memset(block + CAIRN_ALIGNMENT, 0xa5, size);
    memory->live_blocks++;
    memory->live_bytes += size;
    if (memory->live_bytes > memory->peak_bytes) {
        memory->peak_bytes = memory->live_bytes;
    }
    return block + CAIRN_ALIGNMENT;
}

static void counting_release(void *user, void *released, size_t size) {
    SupportMemory *memory = user;
    memory->releases++;
    unsigned char *block = (unsigned char *)released - CAIRN_ALIGNMENT;
    Header header;
    memcpy(&header, block, sizeof header);
    if (header.magic != LIVE) {
        memory->wrong_blocks++;
        return;
    }
    if (header.size != size) {
        memory->wrong_sizes++;
    }
    memory->live_blocks--;
    memory->live_bytes -= header.size;
    memset(released, 0x5a, header.size);
    header.magic = DEAD;
    memcpy(block, &header, sizeof header);
    free(block);
}

CairnAllocator support_allocator(SupportMemory *memory) {
    return (CairnAllocator){counting_allocate, counting_release, memory};
}

void support_memory_clean(const SupportMemory *memory, const char *file, int line) {
    if (memory->live_blocks != 0 || memory->live_bytes != 0 || memory->wrong_sizes != 0 || memory->wrong_blocks != 0) {
        print_error(
            "%zu blocks of %zu bytes are alive after %d calls; %d releases of a wrong size, %d of a wrong block\n",
            memory->live_blocks, memory->live_bytes, memory->calls, memory->wrong_sizes, memory->wrong_blocks);
        _fail(file, line);
    }
}

// ---- assert ----

void cairn_assert_failed(const char *expression, const char *file, int line) {
    mock_assert(0, expression, file, line);
}
