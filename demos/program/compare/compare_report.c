// The results of a comparison: a table side by side, the verdict on each, CSV and JSON.
#include "demos/program/compare/compare.h"
#include "demos/program/compare/report.h"
#include "demos/program/session/machine.h"
#include <inttypes.h>
#include <string.h>

const CairnSession *cairn_comparison_session(const CairnComparison *comparison, int index) {
    return comparison->is_free ? &comparison->contenders[index].session : &comparison->driver;
}

const char *cairn_comparison_law_words(const CairnComparison *comparison) {
    return comparison->is_law_chosen ? " (the richest that all take)" : "";
}

static int name_width(const CairnComparison *comparison) {
    int width = 6;
    for (int i = 0; i < comparison->count; i++) {
        int length = (int)strlen(comparison->contenders[i].choice.text);
        width = length > width ? length : width;
    }
    return width < 40 ? width : 40;
}

static void print_setup(FILE *file, const CairnComparison *comparison) {
    const CairnSession *session = cairn_comparison_session(comparison, comparison->reference);
    const CairnTally *tally = &comparison->contenders[comparison->reference].tally;
    CairnWorldDef world = cairn_world_settings(session->world);
    char machine[128];
    cairn_machine_name(machine, sizeof machine);
    fprintf(file, "%s: %s\n", session->scene->name, session->scene->summary);
    fprintf(file, "  %s: %s\n", comparison->is_free ? "free" : "lockstep",
            comparison->is_free ? "each solver drives its own world"
                                : "every solver gets the problems of the motion that the reference drives");
    fprintf(file, "  reference %s; %d steps of %.6g s, partition %s, friction %s%s, threads %d, seed %" PRIu64 "\n",
            comparison->contenders[comparison->reference].choice.text, session->steps, session->dt,
            session->partitioner->name, cairn_friction_name(world.friction), cairn_comparison_law_words(comparison),
            world.thread_count, session->run.seed);
    fprintf(file, "  %d bodies, %d joints, %d dofs; contacts %.1f (most %.0f), rows %.1f (most %.0f)\n", tally->bodies,
            tally->joints, tally->dofs, cairn_tally_mean(tally, tally->contacts), tally->contacts.max,
            cairn_tally_mean(tally, tally->rows), tally->rows.max);
    fprintf(file, "  on %s\n\n", machine);
}

static void print_sound(FILE *file, const CairnTally *tally) {
    if (tally->audited > 0) {
        fprintf(file, " %6.2f%%", 100.0 * tally->sound / tally->audited);
    } else {
        fprintf(file, " %7s", "-");
    }
}

static CairnStatus print_row(FILE *file, const CairnComparison *comparison, int index, int width) {
    const CairnContender *contender = &comparison->contenders[index];
    const CairnTally *tally = &contender->tally;
    fprintf(file, "  %-*.*s ", width, width, contender->choice.text);
    if (tally->frames == 0) {
        fprintf(file, "%s\n", contender->ended.code == CAIRN_UNSUPPORTED ? "refused" : "failed");
        return cairn_ok();
    }
    CairnSpread solve;
    CAIRN_TRY(cairn_tally_spread(tally, CAIRN_STAGE_SOLVE, &solve));
    fprintf(file, "%9.3f %8.3f %8.3f %8.3f %10.1f %8.1f", solve.mean, solve.p50, solve.p99, solve.max,
            cairn_tally_mean(tally, tally->iterations), cairn_tally_mean(tally, tally->factorizations));
    fprintf(file, " %9.2g %9.2g %9.2g %6.2f%%", cairn_tally_mean(tally, tally->natural), tally->natural.max,
            tally->scaled.max, 100.0 * tally->certified / tally->frames);
    if (comparison->is_free) {
        print_sound(file, tally);
        fprintf(file, " %11.2g %11.2g  0x%016" PRIx64 "\n", tally->penetration.max, tally->joint_linear.max,
                cairn_world_state_hash(contender->session.world));
    } else {
        fprintf(file, " %11.2g %11.2g\n", contender->difference.max, contender->worst_ratio);
    }
    return cairn_ok();
}

static void print_verdict(FILE *file, const CairnComparison *comparison, int index, int width) {
    const CairnContender *contender = &comparison->contenders[index];
    const CairnTally *tally = &contender->tally;
    char verdict[320];
    fprintf(file, "%-*.*s  ", width, width, contender->choice.text);
    if (tally->frames > 0) {
        cairn_tally_verdict(tally, verdict, sizeof verdict);
        fprintf(file, "%s", verdict);
    }
    if (tally->audited > 0 && comparison->is_free) {
        cairn_tally_soundness(tally, verdict, sizeof verdict);
        fprintf(file, "; %s", verdict);
    }
    if (tally->frames > 0 && tally->fallbacks > 0) {
        fprintf(file, "; fallback in %d", tally->fallbacks);
    }
    if (tally->frames > 0 && !comparison->is_free) {
        fprintf(file, "; velocities agree in %d", contender->agreeing);
        if (contender->agreeing < tally->frames) {
            fprintf(file, ", worst %.2g of the limit at frame %d", contender->worst_ratio, contender->worst_ratio_at);
        }
    }
    const char *join = tally->frames > 0 ? "; " : "";
    if (!cairn_is_ok(contender->ended)) {
        fprintf(file, "%s%s at frame %d: %s", join, contender->ended.code == CAIRN_UNSUPPORTED ? "refused" : "failed",
                contender->ended_at, contender->ended.message);
    }
    if (!cairn_is_ok(contender->broken)) {
        fprintf(file, "%sthe scene's check broke at frame %d: %s", join, contender->broken_at,
                contender->broken.message);
    }
    fputc('\n', file);
}

// Of those that were substructured, means a frame: what they were cut into, what changed, and where the time went.
static void print_substructures(FILE *file, const CairnComparison *comparison, int width) {
    bool has_head = false;
    for (int i = 0; i < comparison->count; i++) {
        const CairnTally *tally = &comparison->contenders[i].tally;
        if (tally->frames == 0 || !(tally->coupling.sum > 0)) {
            continue;
        }
        if (!has_head) {
            fprintf(file, "\n  %-*s %41s %18s %19s   phases, ms\n  %-*s", width, "", "parts of the system", "coupling",
                    "subsystems", width, "substructured");
            fprintf(file, " %9s %9s %9s %11s %9s %8s %9s %9s", "count", "largest", "balance", "cut rows", "mean",
                    "at limit", "changed", "refactor.");
            for (int p = 0; p < CAIRN_PHASE_COUNT; p++) {
                fprintf(file, " %10s", cairn_phase_names[p]);
            }
            fputc('\n', file);
        }
        has_head = true;
        fprintf(file, "  %-*.*s %9.1f %9.1f %9.2f %11.1f %9.2f %7.1f%% %9.1f %9.1f", width, width,
                comparison->contenders[i].choice.text, cairn_tally_mean(tally, tally->parts),
                cairn_tally_mean(tally, tally->part_largest), cairn_tally_mean(tally, tally->part_balance),
                cairn_tally_mean(tally, tally->interface_rows), cairn_tally_mean(tally, tally->coupling),
                100.0 * tally->coupling_at_limit / tally->frames, cairn_tally_mean(tally, tally->changed),
                cairn_tally_mean(tally, tally->refactored));
        for (int p = 0; p < CAIRN_PHASE_COUNT; p++) {
            fprintf(file, " %10.3f", cairn_tally_mean(tally, tally->phases[p]));
        }
        fputc('\n', file);
    }
}

CairnStatus cairn_comparison_table(FILE *file, const CairnComparison *comparison) {
    int width = name_width(comparison);
    print_setup(file, comparison);
    fprintf(file, "  %-*s %36s %10s %8s %19s %9s %7s %s\n", width, "", "solve, ms", "iterations", "factor-", "natural",
            "scaled", "certi-", comparison->is_free ? "  sound penetration joint error" : " velocity   velocity");
    fprintf(file, "  %-*s %9s %8s %8s %8s %10s %8s %9s %9s %9s %7s %s\n", width, "solver", "mean", "p50", "p99", "max",
            "mean", "izations", "mean", "max", "max, m/s", "fied",
            comparison->is_free ? "             max, m      max, m  state" : " off, m/s  off/limit");
    for (int i = 0; i < comparison->count; i++) {
        CAIRN_TRY(print_row(file, comparison, i, width));
    }
    print_substructures(file, comparison, width);
    if (!comparison->is_free) {
        const CairnTally *tally = &comparison->contenders[comparison->reference].tally;
        fprintf(file,
                "\n  the reference's motion: penetration %.2g m, joint error %.2g m at most, state 0x%016" PRIx64 "\n",
                tally->penetration.max, tally->joint_linear.max, cairn_world_state_hash(comparison->driver.world));
        char verdict[200];
        cairn_tally_soundness(tally, verdict, sizeof verdict);
        fprintf(file, "  its motion is %s\n", verdict);
        fprintf(file, "  velocity off: largest |v - v_ref| over the dofs; limit: that of the frame's certificate\n");
    }
    cairn_report_settings(file, cairn_comparison_session(comparison, comparison->reference));
    for (int i = 0; i < comparison->count; i++) {
        print_verdict(file, comparison, i, width);
    }
    if (!cairn_is_ok(comparison->broken)) {
        fprintf(file, "the scene's check broke at frame %d: %s\n", comparison->broken_at, comparison->broken.message);
    }
    return cairn_ok();
}

static void write_ends(CairnJson *json, const CairnContender *contender) {
    if (!cairn_is_ok(contender->ended)) {
        const char *key = contender->ended.code == CAIRN_UNSUPPORTED ? "refused" : "failed";
        cairn_json_event(json, key, contender->ended_at, contender->ended.message);
    }
    if (!cairn_is_ok(contender->broken)) {
        cairn_json_event(json, "check_broke", contender->broken_at, contender->broken.message);
    }
}

CairnStatus cairn_comparison_json(FILE *file, const CairnComparison *comparison) {
    CairnJson json = cairn_json(file);
    const CairnContender *reference = &comparison->contenders[comparison->reference];
    const CairnSession *session = cairn_comparison_session(comparison, comparison->reference);
    CairnFrictionKind friction = cairn_world_settings(session->world).friction;
    cairn_json_open(&json, NULL, '{');
    cairn_json_text(&json, "scene", cairn_comparison_session(comparison, 0)->scene->name);
    cairn_json_text(&json, "mode", comparison->is_free ? "free" : "lockstep");
    cairn_json_text(&json, "reference", reference->choice.text);
    cairn_json_text(&json, "friction", cairn_friction_name(friction));
    if (comparison->is_law_chosen) {
        cairn_json_text(&json, "friction_from", "solvers");
    }
    if (!cairn_is_ok(comparison->broken)) {
        cairn_json_event(&json, "check_broke", comparison->broken_at, comparison->broken.message);
    }
    cairn_json_open(&json, "results", '[');
    for (int i = 0; i < comparison->count; i++) {
        const CairnContender *contender = &comparison->contenders[i];
        cairn_json_open(&json, NULL, '{');
        CAIRN_TRY(
            cairn_report_json(&json, cairn_comparison_session(comparison, i), &contender->choice, &contender->tally));
        if (!comparison->is_free) {
            cairn_json_open(&json, "velocity_difference", '{');
            cairn_json_number(&json, "mean", cairn_tally_mean(&contender->tally, contender->difference));
            cairn_json_number(&json, "max", contender->difference.max);
            cairn_json_number(&json, "max_over_limit", contender->worst_ratio);
            cairn_json_number(&json, "within_fraction",
                              contender->tally.frames ? (double)contender->agreeing / contender->tally.frames : 0);
            cairn_json_close(&json, '}');
        }
        write_ends(&json, contender);
        cairn_json_close(&json, '}');
    }
    cairn_json_close(&json, ']');
    cairn_json_close(&json, '}');
    return cairn_ok();
}

void cairn_comparison_csv_head(FILE *file, const CairnComparison *comparison) {
    cairn_report_csv_head(file);
    fputs(comparison->is_free ? "\n" : ",velocity_difference,velocity_limit\n", file);
}

void cairn_comparison_record(const CairnComparison *comparison, CairnContender *contender, const CairnStats *stats,
                             const CairnAuditReport *audited) {
    cairn_series_add(&contender->series, stats, audited, comparison->is_free ? 0 : contender->last_difference);
    if (!contender->csv) {
        return;
    }
    cairn_report_csv_line(contender->csv, stats, audited);
    if (!comparison->is_free) {
        fprintf(contender->csv, ",%.17g,%.17g", contender->last_difference, contender->last_limit);
    }
    fputc('\n', contender->csv);
}
