// What must lie still, in Cairn and in other engines: the same bodies in the same poses, friction and step.
//
// Three seconds to settle (ODE lets bodies sink in, and takes more than one for it), then sixty. Printed is the
// farthest that a contact point which carried load at the start has been from the nearest point of the same two bodies,
// seen from either body ("lost": at some moment the two had none), the farthest that a body's centre was from where it
// stood, and the highest rise of the total energy. One measure for all: it does not ask for Cairn's ids, as the rest
// test does.
#include "bench/bench.h"
#include "bench/peers/rest.h"
#include "bench/rest_poses.h"
#include <math.h>
#include <stdlib.h>

enum { RATE = 60, SETTLING_STEPS = 3 * RATE, SECONDS = 60, EVERY = 20, MOST_PEERS = 6 };

// ---- ours ----

typedef struct Cairn {
    CairnWorld *world;
    CairnStats stats;
} Cairn;

static void close_cairn(void *state) {
    Cairn *cairn = state;
    cairn_world_destroy(cairn->world);
    free(cairn);
}

// A copy, made through a snapshot.
static void *open_cairn(const CairnWorld *world) {
    CairnWorldDef def = cairn_world_def();
    size_t size = cairn_world_snapshot_size(world), written;
    void *bytes = malloc(size);
    Cairn *cairn = calloc(1, sizeof *cairn);
    bool is_made = bytes != NULL && cairn != NULL && cairn_is_ok(cairn_world_create(&def, &cairn->world)) &&
                   cairn_is_ok(cairn_world_snapshot(world, bytes, size, &written)) &&
                   cairn_is_ok(cairn_world_restore(cairn->world, bytes, written));
    free(bytes);
    if (!is_made && cairn != NULL) {
        close_cairn(cairn);
    }
    return is_made ? cairn : NULL;
}

static bool step_cairn(void *state) {
    Cairn *cairn = state;
    return cairn_is_ok(cairn_world_step(cairn->world, 1.0 / RATE, &cairn->stats));
}

static int index_of(const CairnBodyId *ids, int count, CairnBodyId id) {
    int found = 0;
    for (int i = 0; i < count; i++) {
        found = ids[i].index == id.index ? i : found;
    }
    return found;
}

static void read_cairn(void *state, BenchRestState *out) {
    const Cairn *cairn = state;
    CairnBodyId ids[BENCH_REST_BODIES];
    CairnContact contacts[BENCH_REST_POINTS];
    out->body_count = cairn_world_bodies(cairn->world, ids, BENCH_REST_BODIES);
    for (int i = 0; i < out->body_count; i++) {
        CairnBodyState body = {0};
        (void)cairn_body_get(cairn->world, ids[i], &body);
        out->bodies[i] = (CairnTransform){body.center, body.orientation};
    }
    int count = cairn_world_contacts(cairn->world, contacts, BENCH_REST_POINTS);
    out->point_count = count < BENCH_REST_POINTS ? count : BENCH_REST_POINTS;
    for (int i = 0; i < out->point_count; i++) {
        int a = index_of(ids, out->body_count, contacts[i].body_a),
            b = index_of(ids, out->body_count, contacts[i].body_b);
        CairnVec3 in_a = cairn_untransform_point(out->bodies[a], contacts[i].point);
        CairnVec3 in_b = cairn_untransform_point(out->bodies[b], contacts[i].point);
        bool carries = contacts[i].impulse.x > 0;
        out->points[i] =
            a < b ? (BenchRestPoint){a, b, in_a, in_b, carries} : (BenchRestPoint){b, a, in_b, in_a, carries};
    }
    out->energy = cairn->stats.kinetic_energy + cairn->stats.potential_energy;
}

static const BenchRestPeer ours = {"Cairn bpp", open_cairn, step_cairn, read_cairn, close_cairn};

// ---- the measure ----

typedef struct Motion {
    double contact, drift, gain;
    bool is_lost, has_failed;
} Motion;

// The distance to the nearest point of the same bodies; infinite where there is none.
static double distance_to(const BenchRestPoint *was, const BenchRestState *now) {
    double nearest = HUGE_VAL;
    for (int k = 0; k < now->point_count; k++) {
        const BenchRestPoint *is = &now->points[k];
        if (is->a == was->a && is->b == was->b) {
            double distance =
                fmax(cairn_length(cairn_sub(is->in_a, was->in_a)), cairn_length(cairn_sub(is->in_b, was->in_b)));
            nearest = fmin(nearest, distance);
        }
    }
    return nearest;
}

static void compare(const BenchRestState *start, const BenchRestState *now, Motion *worst) {
    for (int i = 0; i < start->body_count; i++) {
        worst->drift = fmax(worst->drift, cairn_length(cairn_sub(now->bodies[i].p, start->bodies[i].p)));
    }
    for (int i = 0; i < start->point_count; i++) {
        double distance = start->points[i].carries ? distance_to(&start->points[i], now) : 0;
        worst->is_lost = worst->is_lost || isinf(distance);
        worst->contact = isinf(distance) ? worst->contact : fmax(worst->contact, distance);
    }
    worst->gain = fmax(worst->gain, now->energy - start->energy);
}

static Motion watch(const BenchRestPeer *peer, const CairnWorld *world) {
    static BenchRestState start, now; // too large for a stack frame
    Motion worst = {0};
    void *state = peer->open(world);
    worst.has_failed = state == NULL;
    for (int k = 0; k < SETTLING_STEPS + SECONDS * RATE && !worst.has_failed; k++) {
        worst.has_failed = !peer->step(state);
        if (k + 1 == SETTLING_STEPS) {
            peer->read(state, &start);
        } else if (k + 1 > SETTLING_STEPS && (k + 1 - SETTLING_STEPS) % EVERY == 0) {
            peer->read(state, &now);
            compare(&start, &now, &worst);
        }
    }
    if (state != NULL) {
        peer->close(state);
    }
    return worst;
}

// ---- the table ----

// What the rest test asks: contact points within 1e-6 m, bodies within 1e-4 m, no more energy than rounding makes.
static bool is_still(const Motion *m) {
    return !m->has_failed && !m->is_lost && m->contact < 1e-6 && m->drift < 1e-4 && m->gain < 1e-6;
}

static void print_motion(const Motion *m, FILE *file) {
    if (m->has_failed) {
        fprintf(file, "  %9s%9s%9s", "failed", "", "");
    } else if (m->is_lost) {
        fprintf(file, "  %9s%9.1e%9.1e", "lost", m->drift, m->gain);
    } else {
        fprintf(file, "  %9.1e%9.1e%9.1e", m->contact, m->drift, m->gain);
    }
}

static bool report(FILE *file, FILE *json) {
    (void)json; // a table only
    BenchRestPeer peers[MOST_PEERS] = {ours};
    int still[MOST_PEERS] = {0}, count = 1, ode_count, bullet_count;
    const BenchRestPeer *ode = bench_rest_ode(&ode_count), *bullet = bench_rest_bullet(&bullet_count);
    for (int k = 0; k < ode_count; k++) {
        peers[count++] = ode[k];
    }
    if (ode_count == 0) {
        fprintf(file, "  ODE is not installed (tools/deps --bench), so it is not compared.\n");
    }
    for (int k = 0; k < bullet_count; k++) {
        peers[count++] = bullet[k];
    }
    if (bullet_count == 0) {
        fprintf(file, "  Bullet 3.24 is not installed (tools/deps --bench), so it is not compared.\n");
    }
    fprintf(
        file,
        "  %d s after three to settle: motion of contact points (m), drift of bodies (m), gain of energy (J)\n  %-31s",
        SECONDS, "");
    for (int e = 0; e < count; e++) {
        fprintf(file, "  %-27s", peers[e].name);
    }
    fputc('\n', file);
    for (int i = 0; i < bench_rest_count(); i++) {
        CairnWorld *world;
        if (!cairn_is_ok(bench_rest_world(bench_rest_at(i), &world))) {
            return false;
        }
        fprintf(file, "  %-31s", bench_rest_at(i)->name);
        for (int e = 0; e < count; e++) {
            Motion motion = watch(&peers[e], world);
            still[e] += is_still(&motion) ? 1 : 0;
            print_motion(&motion, file);
        }
        fputc('\n', file);
        fflush(file);
        cairn_world_destroy(world);
    }
    fprintf(file, "  %-31s", "still: < 1e-6, < 1e-4, < 1e-6");
    for (int e = 0; e < count; e++) {
        fprintf(file, "  %9d of %d%*s", still[e], bench_rest_count(), 12, "");
    }
    fputc('\n', file);
    return true;
}

const BenchSuite bench_rest = {
    .name = "rest", .summary = "configurations that must lie still, beside other engines", .report = report};
