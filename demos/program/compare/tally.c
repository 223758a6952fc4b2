#include "demos/program/compare/tally.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const cairn_stage_names[CAIRN_STAGE_COUNT] = {"step",      "broad", "narrow",   "assemble",
                                                          "partition", "solve", "integrate"};

const char *const cairn_phase_names[CAIRN_PHASE_COUNT] = {"prepare", "factor",    "apply",
                                                          "reduce",  "interface", "subsystems"};

CairnStatus cairn_tally_create(CairnTally *tally, int frames) {
    *tally = (CairnTally){.capacity = frames, .worst_frame = -1};
    tally->times = malloc((size_t)frames * CAIRN_STAGE_COUNT * sizeof(double));
    if (!tally->times) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for the times of %d frames", frames);
    }
    return cairn_ok();
}

void cairn_tally_free(CairnTally *tally) {
    free(tally->times);
    tally->times = NULL;
}

static void add(CairnMean *mean, double value, bool is_first) {
    mean->sum += value;
    mean->max = is_first || value > mean->max ? value : mean->max;
}

static bool is_contact(const CairnWorld *world, uint64_t id) {
    int count = cairn_world_contacts(world, NULL, 0);
    CairnContact *contacts = malloc((size_t)(count + 1) * sizeof *contacts);
    bool is_found = false;
    if (contacts) {
        cairn_world_contacts(world, contacts, count);
        for (int i = 0; i < count; i++) {
            is_found = is_found || contacts[i].id == id;
        }
    }
    free(contacts);
    return is_found;
}

static void add_residual(CairnTally *tally, const CairnStats *stats, const CairnWorld *world, bool is_first) {
    const CairnResidual *residual = &stats->residual;
    add(&tally->natural, residual->natural, is_first);
    add(&tally->scaled, residual->scaled, is_first);
    add(&tally->fb, residual->fb, is_first);
    add(&tally->cone, residual->cone, is_first);
    if (residual->is_certified) {
        tally->certified++;
    } else if (tally->worst_frame < 0 || residual->scaled > tally->worst) {
        tally->worst = residual->scaled;
        tally->worst_frame = tally->frames + 1;
        tally->worst_id = residual->worst_id;
        tally->is_worst_contact = is_contact(world, residual->worst_id);
        for (int k = 0; k < 2; k++) {
            CairnBodyState body = {0};
            tally->worst_bodies[k] = stats->worst_bodies[k];
            (void)cairn_body_get(world, stats->worst_bodies[k], &body); // an id that is null leaves 0
            tally->worst_masses[k] = body.mass.mass;
        }
    }
}

static void add_solve(CairnTally *tally, const CairnSolveReport *solve, bool is_first) {
    const CairnSolvePhases *p = &solve->phases;
    double seconds[CAIRN_PHASE_COUNT] = {p->prepare, p->factor, p->apply, p->reduce, p->interface, p->subsystems};
    for (int i = 0; i < CAIRN_PHASE_COUNT; i++) {
        add(&tally->phases[i], 1e3 * seconds[i], is_first);
    }
    add(&tally->iterations, solve->iterations, is_first);
    add(&tally->coupling, solve->coupling, is_first);
    add(&tally->factorizations, solve->factorizations, is_first);
    add(&tally->changed, solve->changed, is_first);
    add(&tally->refactored, solve->refactored, is_first);
}

static void add_finisher(CairnTally *tally, const char *name) {
    int at = 0;
    while (at < tally->finisher_count && strcmp(tally->finishers[at].name, name) != 0) {
        at++;
    }
    if (at < CAIRN_TALLY_FINISHERS) {
        tally->finishers[at].name = name;
        tally->finishers[at].frames++;
        tally->finisher_count = at < tally->finisher_count ? tally->finisher_count : at + 1;
    }
}

static void add_term(CairnTally *tally, int term, const CairnAuditFinding *found) {
    CairnTallyTerm *t = &tally->terms[term];
    double ratio = cairn_audit_ratio(found);
    t->broken += found->is_checked && !(ratio <= 1);
    if (found->is_checked && (t->frame == 0 || ratio > t->ratio)) {
        *t = (CairnTallyTerm){*found, ratio, tally->frames + 1, t->broken};
    }
}

static void add_audit(CairnTally *tally, const CairnAuditReport *audited) {
    bool is_first = tally->audited == 0;
    for (int term = 0; term < CAIRN_AUDIT_TERM_COUNT; term++) {
        add_term(tally, term, &audited->terms[term]);
    }
    add(&tally->audit, 1e3 * (audited->seconds - audited->overlap_seconds), is_first);
    add(&tally->audit_pairs, 1e3 * audited->overlap_seconds, is_first);
    if (!audited->is_sound && (tally->sound == tally->audited || audited->ratio > tally->unsound.ratio)) {
        tally->unsound = *audited;
        tally->unsound_frame = tally->frames + 1;
    }
    tally->audited++;
    tally->fully_audited += audited->is_full;
    tally->sound += audited->is_sound;
}

void cairn_tally_add(CairnTally *tally, const CairnStats *stats, const CairnWorld *world,
                     const CairnAuditReport *audited) {
    if (tally->frames == tally->capacity) {
        return;
    }
    bool is_first = tally->frames == 0;
    const CairnTimes *t = &stats->times;
    double seconds[CAIRN_STAGE_COUNT] = {t->step,      t->broad, t->narrow,   t->assemble,
                                         t->partition, t->solve, t->integrate};
    for (int i = 0; i < CAIRN_STAGE_COUNT; i++) {
        tally->times[(size_t)i * (size_t)tally->capacity + (size_t)tally->frames] = 1e3 * seconds[i];
    }
    add(&tally->contacts, stats->contacts, is_first);
    add(&tally->rows, stats->rows, is_first);
    add(&tally->interface_rows, stats->interface_rows, is_first);
    add(&tally->parts, stats->parts, is_first);
    add(&tally->part_largest, stats->part_largest, is_first);
    add(&tally->part_balance, stats->part_balance, is_first);
    add_solve(tally, &stats->solve, is_first);
    add(&tally->penetration, stats->penetration, is_first);
    add(&tally->joint_linear, stats->joint_error_linear, is_first);
    add(&tally->joint_angular, stats->joint_error_angular, is_first);
    add_residual(tally, stats, world, is_first);
    if (audited) {
        add_audit(tally, audited);
    }
    bool is_at_limit = stats->solve.outcome == CAIRN_OUTCOME_AT_LIMIT;
    tally->at_limit += is_at_limit;
    tally->fallbacks += stats->solve.fallback > 0;
    if (stats->solve.finisher) {
        add_finisher(tally, stats->solve.finisher);
    }
    tally->coupling_at_limit += is_at_limit && stats->solve.coupling > 0;

    double energy = stats->kinetic_energy + stats->potential_energy;
    tally->energy_first = is_first ? energy : tally->energy_first;
    tally->energy_max = is_first || energy > tally->energy_max ? energy : tally->energy_max;
    tally->energy_last = energy;
    tally->allocations += stats->allocations;
    if (2 * tally->frames >= tally->capacity) {
        tally->late_allocations += stats->allocations;
        tally->late_frames++;
    }
    tally->bodies = stats->bodies;
    tally->joints = stats->joints;
    tally->dofs = stats->dofs;
    tally->frames++;
}

double cairn_tally_mean(const CairnTally *tally, CairnMean mean) {
    return tally->frames ? mean.sum / tally->frames : 0;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

CairnStatus cairn_tally_spread(const CairnTally *tally, int stage, CairnSpread *spread) {
    *spread = (CairnSpread){0, 0, 0, 0};
    size_t count = (size_t)tally->frames;
    if (count == 0) {
        return cairn_ok();
    }
    double *sorted = malloc(count * sizeof *sorted);
    if (!sorted) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory to sort the times of %d frames", tally->frames);
    }
    memcpy(sorted, tally->times + (size_t)stage * (size_t)tally->capacity, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, ascending);
    for (size_t i = 0; i < count; i++) {
        spread->mean += sorted[i] / (double)count;
    }
    spread->p50 = sorted[(count + 1) / 2 - 1];
    spread->p99 = sorted[(99 * count + 99) / 100 - 1];
    spread->max = sorted[count - 1];
    free(sorted);
    return cairn_ok();
}

void cairn_tally_finishers(const CairnTally *tally, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < tally->finisher_count && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s%s %d", i > 0 ? ", " : "", tally->finishers[i].name,
                                 tally->finishers[i].frames);
    }
}

int cairn_tally_verdict(const CairnTally *tally, char *text, size_t size) {
    if (tally->certified == tally->frames) {
        return snprintf(text, size, "certified: %d of %d frames", tally->certified, tally->frames);
    }
    char bodies[120] = "";
    if (tally->worst_bodies[1].index != 0) {
        snprintf(bodies, sizeof bodies, " of bodies %u (%g kg) and %u (%g kg)", tally->worst_bodies[0].index,
                 tally->worst_masses[0], tally->worst_bodies[1].index, tally->worst_masses[1]);
    } else if (tally->worst_bodies[0].index != 0) {
        snprintf(bodies, sizeof bodies, " of body %u (%g kg)", tally->worst_bodies[0].index, tally->worst_masses[0]);
    }
    return snprintf(text, size,
                    "NOT certified: %d of %d frames, worst %.2g m/s at frame %d, row of %s 0x%016" PRIx64 "%s",
                    tally->frames - tally->certified, tally->frames, tally->worst, tally->worst_frame,
                    tally->is_worst_contact ? "contact" : "joint", tally->worst_id, bodies);
}

int cairn_tally_soundness(const CairnTally *tally, char *text, size_t size) {
    if (tally->audited == 0) {
        return snprintf(text, size, "not audited");
    }
    if (tally->sound == tally->audited) {
        return snprintf(text, size, "sound: %d of %d frames", tally->sound, tally->audited);
    }
    char words[160];
    cairn_audit_words(&tally->unsound, words, sizeof words);
    const char *what = strchr(words, ':');
    return snprintf(text, size, "NOT sound: %d of %d frames, worst%s, at frame %d", tally->audited - tally->sound,
                    tally->audited, what ? what + 1 : "", tally->unsound_frame);
}
