#include "demos/program/compare/report.h"
#include "demos/program/session/machine.h"
#include <cairn/version.h>
#include <inttypes.h>
#include <math.h>

static void write_mean(CairnJson *json, const char *key, const CairnTally *tally, CairnMean mean) {
    cairn_json_open(json, key, '{');
    cairn_json_number(json, "mean", cairn_tally_mean(tally, mean));
    cairn_json_number(json, "max", mean.max);
    cairn_json_close(json, '}');
}

static void write_setup(CairnJson *json, const CairnSession *session, const CairnChoice *choice,
                        const CairnTally *tally) {
    char machine[128];
    cairn_machine_name(machine, sizeof machine);
    cairn_json_text(json, "scene", session->scene->name);
    cairn_json_text(json, "solver", choice->solver->name);
    cairn_json_text(json, "solver_text", choice->text);
    cairn_json_text(json, "partition", session->partitioner->name);
    cairn_json_text(json, "refine", session->refiner->name);
    cairn_json_integer(json, "part_size", cairn_session_part_size(session));
    cairn_json_integer(json, "threads", cairn_world_settings(session->world).thread_count);
    cairn_json_integer(json, "steps", tally->frames);
    cairn_json_number(json, "dt", session->dt);
    cairn_json_unsigned(json, "seed", session->run.seed);
    cairn_json_text(json, "version", cairn_version());
    cairn_json_text(json, "machine", machine);
    cairn_json_integer(json, "bodies", tally->bodies);
    cairn_json_integer(json, "joints", tally->joints);
    cairn_json_integer(json, "dofs", tally->dofs);
    write_mean(json, "contacts", tally, tally->contacts);
    write_mean(json, "rows", tally, tally->rows);
    write_mean(json, "interface_rows", tally, tally->interface_rows);
    write_mean(json, "parts", tally, tally->parts);
    write_mean(json, "part_largest", tally, tally->part_largest);
    write_mean(json, "part_balance", tally, tally->part_balance);
}

static CairnStatus write_times(CairnJson *json, const CairnTally *tally) {
    cairn_json_open(json, "time_ms", '{');
    for (int i = 0; i < CAIRN_STAGE_COUNT; i++) {
        CairnSpread spread;
        CAIRN_TRY(cairn_tally_spread(tally, i, &spread));
        cairn_json_open(json, cairn_stage_names[i], '{');
        cairn_json_number(json, "mean", spread.mean);
        cairn_json_number(json, "p50", spread.p50);
        cairn_json_number(json, "p99", spread.p99);
        cairn_json_number(json, "max", spread.max);
        cairn_json_close(json, '}');
    }
    cairn_json_close(json, '}');
    return cairn_ok();
}

static void write_solve(CairnJson *json, const CairnTally *tally) {
    double frames = tally->frames > 0 ? tally->frames : 1;
    cairn_json_open(json, "iterations", '{');
    cairn_json_number(json, "mean", cairn_tally_mean(tally, tally->iterations));
    cairn_json_number(json, "max", tally->iterations.max);
    cairn_json_number(json, "limit_fraction", tally->at_limit / frames);
    cairn_json_close(json, '}');
    cairn_json_open(json, "coupling", '{');
    cairn_json_number(json, "mean", cairn_tally_mean(tally, tally->coupling));
    cairn_json_number(json, "max", tally->coupling.max);
    cairn_json_number(json, "limit_fraction", tally->coupling_at_limit / frames);
    cairn_json_close(json, '}');
    cairn_json_open(json, "factorizations", '{');
    cairn_json_number(json, "mean", cairn_tally_mean(tally, tally->factorizations));
    cairn_json_close(json, '}');
    cairn_json_open(json, "subsystems", '{');
    write_mean(json, "changed", tally, tally->changed);
    write_mean(json, "refactored", tally, tally->refactored);
    cairn_json_close(json, '}');
    cairn_json_open(json, "phases_ms", '{');
    for (int i = 0; i < CAIRN_PHASE_COUNT; i++) {
        write_mean(json, cairn_phase_names[i], tally, tally->phases[i]);
    }
    cairn_json_close(json, '}');
    cairn_json_number(json, "fallback_fraction", tally->fallbacks / frames);
    cairn_json_open(json, "finishers", '{');
    for (int i = 0; i < tally->finisher_count; i++) {
        cairn_json_integer(json, tally->finishers[i].name, tally->finishers[i].frames);
    }
    cairn_json_close(json, '}');
    cairn_json_open(json, "residual", '{');
    write_mean(json, "natural", tally, tally->natural);
    write_mean(json, "scaled", tally, tally->scaled);
    cairn_json_open(json, "fb", '{');
    cairn_json_number(json, "mean", cairn_tally_mean(tally, tally->fb));
    cairn_json_close(json, '}');
    write_mean(json, "cone", tally, tally->cone);
    cairn_json_number(json, "certified_fraction", tally->certified / frames);
    cairn_json_close(json, '}');
}

static void write_term(CairnJson *json, CairnAuditTerm term, const CairnTallyTerm *found) {
    if (found->frame == 0) {
        return;
    }
    cairn_json_open(json, cairn_audit_term_name(term), '{');
    cairn_json_number(json, "value", found->worst.value);
    cairn_json_number(json, "limit", found->worst.limit);
    cairn_json_text(json, "unit", cairn_audit_term_unit(term));
    cairn_json_integer(json, "frame", found->frame);
    cairn_json_integer(json, "broken_frames", found->broken);
    if (found->worst.joint.index > 0) {
        cairn_json_integer(json, "joint", found->worst.joint.index);
    }
    if (found->worst.body.index > 0) {
        cairn_json_integer(json, "body", found->worst.body.index);
    }
    if (found->worst.other.index > 0) {
        cairn_json_integer(json, "other_body", found->worst.other.index);
    }
    cairn_json_close(json, '}');
}

// Of each term the frame in which it came nearest to its limit, or went farthest beyond it.
static void write_audit(CairnJson *json, const CairnTally *tally) {
    cairn_json_number(json, "sound_fraction", tally->audited ? (double)tally->sound / tally->audited : HUGE_VAL);
    cairn_json_open(json, "audit", '{');
    cairn_json_integer(json, "frames", tally->audited);
    cairn_json_integer(json, "full_frames", tally->fully_audited);
    double frames = tally->audited > 0 ? tally->audited : 1;
    cairn_json_number(json, "time_ms", tally->audit.sum / frames);
    cairn_json_number(json, "pairs_time_ms", tally->audit_pairs.sum / frames);
    cairn_json_open(json, "terms", '{');
    for (int term = 0; term < CAIRN_AUDIT_TERM_COUNT; term++) {
        write_term(json, (CairnAuditTerm)term, &tally->terms[term]);
    }
    cairn_json_close(json, '}');
    cairn_json_close(json, '}');
}

CairnStatus cairn_report_json(CairnJson *json, const CairnSession *session, const CairnChoice *choice,
                              const CairnTally *tally) {
    char hash[32];
    snprintf(hash, sizeof hash, "0x%016" PRIx64, cairn_world_state_hash(session->world));
    write_setup(json, session, choice, tally);
    CAIRN_TRY(write_times(json, tally));
    write_solve(json, tally);
    write_audit(json, tally);
    write_mean(json, "penetration", tally, tally->penetration);
    write_mean(json, "joint_error", tally, tally->joint_linear);
    write_mean(json, "joint_error_angular", tally, tally->joint_angular);
    cairn_json_open(json, "energy", '{');
    cairn_json_number(json, "first", tally->energy_first);
    cairn_json_number(json, "last", tally->energy_last);
    cairn_json_number(json, "max_gain", tally->energy_max - tally->energy_first);
    cairn_json_close(json, '}');
    cairn_json_integer(json, "memory_peak_bytes", cairn_machine_memory_peak());
    // Of the second half of the run: what a settled step costs, without the growth of the first frames.
    cairn_json_number(json, "allocations_per_step",
                      tally->late_frames ? (double)tally->late_allocations / tally->late_frames : 0);
    cairn_json_text(json, "state_hash", hash);
    return cairn_ok();
}
