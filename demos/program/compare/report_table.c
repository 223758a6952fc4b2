#include "demos/program/compare/report.h"
#include "demos/program/session/machine.h"
#include <inttypes.h>
#include <stdlib.h>

static void print_setup(FILE *file, const CairnSession *session, const CairnTally *tally) {
    CairnWorldDef world = cairn_world_settings(session->world);
    char machine[128];
    cairn_machine_name(machine, sizeof machine);
    fprintf(file, "%s: %s\n", session->scene->name, session->scene->summary);
    fprintf(file,
            "  %d steps of %.6g s, solver %s, partition %s, refine %s, friction %s, threads %d, seed %" PRIu64 "\n",
            tally->frames, session->dt, session->choice.text, session->partitioner->name, session->refiner->name,
            cairn_friction_name(world.friction), world.thread_count, session->run.seed);
    fprintf(file, "  %d bodies, %d joints, %d dofs; contacts %.1f (most %.0f), rows %.1f (most %.0f)\n", tally->bodies,
            tally->joints, tally->dofs, cairn_tally_mean(tally, tally->contacts), tally->contacts.max,
            cairn_tally_mean(tally, tally->rows), tally->rows.max);
    fprintf(file, "  on %s\n\n", machine);
}

static CairnStatus print_times(FILE *file, const CairnTally *tally) {
    fprintf(file, "  %-22s %12s %12s %12s %12s\n", "time, ms", "mean", "p50", "p99", "max");
    for (int i = 0; i < CAIRN_STAGE_COUNT; i++) {
        CairnSpread s;
        CAIRN_TRY(cairn_tally_spread(tally, i, &s));
        fprintf(file, "  %-22s %12.4f %12.4f %12.4f %12.4f\n", cairn_stage_names[i], s.mean, s.p50, s.p99, s.max);
    }
    return cairn_ok();
}

static void print_mean(FILE *file, const char *name, const CairnTally *tally, CairnMean mean) {
    fprintf(file, "  %-22s %12.4g %38.4g\n", name, cairn_tally_mean(tally, mean), mean.max);
}

// The least and the largest compliance of the world's joints, over their axes. False without joints.
static bool joint_compliance(const CairnWorld *world, double *least, double *most) {
    int count = cairn_world_joints(world, NULL, 0);
    CairnJointId *joints = malloc((size_t)(count + 1) * sizeof *joints);
    if (!joints) {
        return false;
    }
    bool has_any = false;
    cairn_world_joints(world, joints, count);
    for (int i = 0; i < count; i++) {
        CairnJointDef def;
        if (!cairn_is_ok(cairn_joint_get_def(world, joints[i], &def))) {
            continue;
        }
        for (int k = 0; k < CAIRN_AXIS_COUNT; k++) {
            double c = def.axes[k].compliance;
            *least = has_any ? fmin(*least, c) : c;
            *most = has_any ? fmax(*most, c) : c;
            has_any = true;
        }
    }
    free(joints);
    return has_any;
}

void cairn_report_settings(FILE *file, const CairnSession *session) {
    CairnWorldDef world = cairn_world_settings(session->world);
    CairnBodyDef body = cairn_body_def();
    double least = 0, most = 0;
    char joint[64] = "none";
    if (joint_compliance(session->world, &least, &most)) {
        snprintf(joint, sizeof joint, least < most ? "%g to %g" : "%g", least, most);
    }
    fprintf(
        file,
        "\n  C normal %g, friction %g, joint %s (m/s)/(N s), 0 stands for that of the masses: contacts give way by %g "
        "m\n",
        world.normal_compliance, world.friction_compliance, joint, cairn_world_contact_give(session->world));
    fprintf(file, "  typical length %g m; slop %g; fraction contact %g, joint %g (%g m/s, %g rad/s at most for 1 m)\n",
            world.typical_length, world.contact_slop, world.contact_fraction, world.joint_fraction, world.joint_push,
            world.joint_turn);
    fprintf(file, "  damping of bodies by default %g and %g 1/s; h = %.9g s\n", body.linear_damping,
            body.angular_damping, session->dt);
}

// How often the method named did not arrive by itself, and who computed the answers then.
static void print_fallbacks(FILE *file, const CairnSession *session, const CairnTally *tally) {
    char finishers[300];
    cairn_tally_finishers(tally, finishers, sizeof finishers);
    if (tally->fallbacks > 0) {
        fprintf(file, "  fallback: in %d of %d frames (%.1f %%) another method finished for %s\n", tally->fallbacks,
                tally->frames, 100.0 * tally->fallbacks / tally->frames, session->choice.solver->name);
    }
    if (finishers[0]) {
        fprintf(file, "  answers computed by, frames: %s\n", finishers);
    }
}

static void print_substructure(FILE *file, const CairnTally *tally) {
    print_mean(file, "parts", tally, tally->parts);
    print_mean(file, "bodies of the largest", tally, tally->part_largest);
    print_mean(file, "balance", tally, tally->part_balance);
    print_mean(file, "interface rows", tally, tally->interface_rows);
    print_mean(file, "coupling iterations", tally, tally->coupling);
    print_mean(file, "changed subsystems", tally, tally->changed);
    print_mean(file, "factored once more", tally, tally->refactored);
    for (int i = 0; i < CAIRN_PHASE_COUNT; i++) {
        if (tally->phases[i].sum > 0) {
            char name[32];
            snprintf(name, sizeof name, "%s, ms", cairn_phase_names[i]);
            print_mean(file, name, tally, tally->phases[i]);
        }
    }
}

static void print_place(FILE *file, const CairnAuditFinding *found) {
    if (found->joint.index > 0) {
        fprintf(file, "joint %u", found->joint.index);
    } else if (found->other.index > 0) {
        fprintf(file, "bodies %u, %u", found->body.index, found->other.index);
    } else if (found->body.index > 0) {
        fprintf(file, "body %u", found->body.index);
    }
    fputc('\n', file);
}

// Of each term the frame that came nearest to its limit, and what looking for it cost.
static void print_audit(FILE *file, const CairnTally *tally) {
    if (tally->audited == 0) {
        return;
    }
    fprintf(file, "\n  %-22s %12s %12s %-6s %7s %7s  %s\n", "audit, worst frame", "value", "limit", "", "frame",
            "broken", "where");
    for (int term = 0; term < CAIRN_AUDIT_TERM_COUNT; term++) {
        const CairnTallyTerm *t = &tally->terms[term];
        if (t->frame > 0) {
            fprintf(file, "  %-22s %12.3g %12.3g %-6s %7d %7d  ", cairn_audit_term_name((CairnAuditTerm)term),
                    t->worst.value, t->worst.limit, cairn_audit_term_unit((CairnAuditTerm)term), t->frame, t->broken);
            print_place(file, &t->worst);
        }
    }
    double step = 0;
    for (int i = 0; i < tally->frames; i++) {
        step += tally->times[(size_t)CAIRN_STAGE_STEP * (size_t)tally->capacity + (size_t)i];
    }
    double share = step > 0 ? 100 / step : 0;
    fprintf(file, "  it takes %.2g %% of the steps' time; overlaps and what was passed, in %d frames, %.2g %%\n",
            share * tally->audit.sum, tally->fully_audited, share * tally->audit_pairs.sum);
}

CairnStatus cairn_report_table(FILE *file, const CairnSession *session, const CairnTally *tally) {
    char verdict[320];
    print_setup(file, session, tally);
    CAIRN_TRY(print_times(file, tally));
    fprintf(file, "\n  %-22s %12s %38s\n", "", "mean", "max");
    print_mean(file, "iterations", tally, tally->iterations);
    print_mean(file, "factorizations", tally, tally->factorizations);
    if (tally->coupling.sum > 0) {
        print_substructure(file, tally);
    }
    print_mean(file, "residual scaled, m/s", tally, tally->scaled);
    print_mean(file, "residual natural", tally, tally->natural);
    print_mean(file, "penetration, m", tally, tally->penetration);
    print_mean(file, "joint error, m", tally, tally->joint_linear);
    print_fallbacks(file, session, tally);
    print_audit(file, tally);
    fprintf(file, "\n  energy %.9g J at frame 1, %.9g J at the end, largest gain %.3g J\n", tally->energy_first,
            tally->energy_last, tally->energy_max - tally->energy_first);
    fprintf(file, "  memory peak %.1f MB; allocations %lld in all, %lld in the second half of the run\n",
            1e-6 * (double)cairn_machine_memory_peak(), tally->allocations, tally->late_allocations);
    fprintf(file, "  state 0x%016" PRIx64 "\n", cairn_world_state_hash(session->world));
    cairn_report_settings(file, session);
    cairn_tally_verdict(tally, verdict, sizeof verdict);
    fprintf(file, "%s\n", verdict);
    cairn_tally_soundness(tally, verdict, sizeof verdict);
    fprintf(file, "%s\n", verdict);
    return cairn_ok();
}
