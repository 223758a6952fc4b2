#include "demos/program/compare/report.h"

void cairn_report_csv_head(FILE *file) {
    fputs("frame,time,step_ms,solve_ms,contacts,rows,iterations,outcome,natural,scaled,limit,certified,penetration,"
          "joint_error,joint_error_angular,kinetic,potential,allocations,sound,audit_term,audit_value,audit_limit,"
          "audit_ms",
          file);
}

// Where the step was not audited the columns are empty.
static void write_audit(FILE *file, const CairnAuditReport *audited) {
    if (!audited) {
        fputs(",,,,,", file);
        return;
    }
    const CairnAuditFinding *worst = &audited->terms[audited->worst];
    fprintf(file, ",%d,%s,%.17g,%.17g,%.6g", audited->is_sound, cairn_audit_term_name(audited->worst), worst->value,
            worst->limit, 1e3 * audited->seconds);
}

void cairn_report_csv_line(FILE *file, const CairnStats *stats, const CairnAuditReport *audited) {
    const CairnResidual *residual = &stats->residual;
    fprintf(file, "%llu,%.17g,%.6g,%.6g,%d,%d,%d,%s,", (unsigned long long)stats->step_index, stats->time,
            1e3 * stats->times.step, 1e3 * stats->times.solve, stats->contacts, stats->rows, stats->solve.iterations,
            cairn_outcome_name(stats->solve.outcome));
    fprintf(file, "%.17g,%.17g,%.17g,%d,%.17g,%.17g,%.17g,%.17g,%.17g,%d", residual->natural, residual->scaled,
            residual->limit, residual->is_certified, stats->penetration, stats->joint_error_linear,
            stats->joint_error_angular, stats->kinetic_energy, stats->potential_energy, stats->allocations);
    write_audit(file, audited);
}
