// Support: what the tests share. cmocka with its headers, random draws, comparisons that print what they compared, and
// an allocator that counts and fails on demand.
#ifndef CAIRN_TESTS_SUPPORT_H
#define CAIRN_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cairn/hooks.h>
#include <cairn/math.h>
#include <cairn/status.h>
#include <stdbool.h>

// ---- random draws: splitmix64, so a test's seed is one number that it sets itself ----

uint64_t support_random(uint64_t *state);
double support_uniform(uint64_t *state, double low, double high);
int support_int(uint64_t *state, int low, int high); // both ends included
CairnVec3 support_vec3(uint64_t *state, double low, double high);
CairnVec3 support_unit(uint64_t *state); // uniform on the sphere
CairnQuat support_quat(uint64_t *state); // uniform over the rotations
CairnTransform support_transform(uint64_t *state, double reach);
CairnMat3 support_symmetric(uint64_t *state, double size);
// The inertia of a random cloud of masses with its centre at the origin: any real body's.
CairnMat3 support_inertia(uint64_t *state, double reach);

// Under a sanitizer, where all takes ten times as long, the same paths are gone in smaller worlds: what large ones do
// is shown without.
static inline bool support_is_sanitized(void) {
#ifdef CAIRN_SANITIZED
    return true;
#else
    return false;
#endif
}

// How often to go paths whose rounds differ by their draws alone.
static inline int support_rounds(int usual, int sanitized) {
    return support_is_sanitized() ? sanitized : usual;
}

// ---- comparisons: |a - b| <= tolerance; NaN is near nothing. A failure prints both values and their difference ----

#define assert_near(a, b, tolerance) support_near((a), (b), (tolerance), #a " ~ " #b, __FILE__, __LINE__)
#define assert_vec3_near(a, b, tolerance) support_vec3_near((a), (b), (tolerance), #a " ~ " #b, __FILE__, __LINE__)
#define assert_mat3_near(a, b, tolerance) support_mat3_near((a), (b), (tolerance), #a " ~ " #b, __FILE__, __LINE__)
// As rotations: q and -q are the same.
#define assert_quat_near(a, b, tolerance) support_quat_near((a), (b), (tolerance), #a " ~ " #b, __FILE__, __LINE__)
#define assert_below(a, limit) support_below((a), (limit), #a " <= " #limit, __FILE__, __LINE__)
// To the last bit: tells 0 from -0 and takes NaN for itself.
#define assert_same_bits(a, b) support_same_bits((a), (b), #a " == " #b, __FILE__, __LINE__)

void support_near(double a, double b, double tolerance, const char *what, const char *file, int line);
void support_vec3_near(CairnVec3 a, CairnVec3 b, double tolerance, const char *what, const char *file, int line);
void support_mat3_near(CairnMat3 a, CairnMat3 b, double tolerance, const char *what, const char *file, int line);
void support_quat_near(CairnQuat a, CairnQuat b, double tolerance, const char *what, const char *file, int line);
void support_below(double a, double limit, const char *what, const char *file, int line);
void support_same_bits(double a, double b, const char *what, const char *file, int line);

// ---- statuses ----

// The call must answer CAIRN_OK; its message is printed where it does not.
#define assert_ok(call) support_ok((call), #call, __FILE__, __LINE__)
// The call must answer this code with a message that holds `text` ("" for any).
#define assert_refused(call, code, text) support_refused((call), (code), (text), #call, __FILE__, __LINE__)

void support_ok(CairnStatus status, const char *what, const char *file, int line);
void support_refused(CairnStatus status, CairnCode code, const char *text, const char *what, const char *file,
                     int line);

// ---- memory ----

// Zero-initialise, set fail_from or fail_only if wished, and pass the allocator on. Fresh and released memory is filled
// with garbage, so that a read of either shows.
typedef struct SupportMemory {
    size_t live_bytes, live_blocks, peak_bytes;
    int calls;        // of allocate, the refused ones included
    int releases;     // of release
    int refused;      // calls that answered NULL on purpose
    int fail_from;    // every call from this one on fails; the first is 1; 0: none
    int fail_only;    // this call alone fails; 0: none
    int wrong_sizes;  // releases whose size was not the allocated one
    int wrong_blocks; // releases of what was never allocated, or twice
} SupportMemory;

CairnAllocator support_allocator(SupportMemory *memory);

// Nothing lives, and every release was right.
#define assert_memory_clean(memory) support_memory_clean((memory), __FILE__, __LINE__)
void support_memory_clean(const SupportMemory *memory, const char *file, int line);

// A failed CAIRN_ASSERT of the library fails the test that met it; expect_assert_failure(call) catches one that is
// wanted.

#endif
