// Audit: a second verdict on a step, from what a step leaves behind.
//
// The referee (CairnResidual) says whether a step's impulses solve its equations. The audit says whether the motion
// obeys mechanics: it compares poses and velocities before and after the step with gravity, the applied forces and the
// impulses that contacts and joints report. It shares no code with the step and the solvers. Its limits follow from
// the order of the integrator and from rounding; docs/audit.md derives each of them.
//
//   cairn_audit_create(world, &audit);
//   ... each step: cairn_audit_begin(audit, world); cairn_world_step(world, h, &stats);
//                  cairn_audit_end(audit, world, CAIRN_AUDIT_FRAME, &report);
//   cairn_audit_destroy(audit);
#ifndef CAIRN_AUDIT_H
#define CAIRN_AUDIT_H

#include <cairn/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CairnAudit CairnAudit;

// What is compared. Every value is 0 where the law holds exactly.
typedef enum CairnAuditTerm {
    CAIRN_AUDIT_MOMENTUM = 0,     // linear momentum that no force and no reported impulse explains, N s
    CAIRN_AUDIT_ANGULAR_MOMENTUM, // the same of angular momentum, N m s
    CAIRN_AUDIT_ENERGY,           // energy that was gained and that no force, drive or push-out explains, J
    CAIRN_AUDIT_JOINT,            // how far a joint is apart, m
    CAIRN_AUDIT_JOINT_ANGLE,      // how far a joint's locked angles are off, rad
    CAIRN_AUDIT_OVERLAP,          // how much deeper than before two shapes overlap, m
    CAIRN_AUDIT_PASSED,           // how deep the way of a shape leads through another one that it does not touch, m
    CAIRN_AUDIT_TERM_COUNT
} CairnAuditTerm;

// How much is audited.
typedef enum CairnAuditDepth {
    CAIRN_AUDIT_FRAME = 0, // momentum, energy and joints: a small part of a step's time
    CAIRN_AUDIT_FULL       // also overlaps and what was passed: slow searches over pairs of shapes
} CairnAuditDepth;

// The worst place of a term: the one whose value is largest against its limit. Ids that do not apply are null.
typedef struct CairnAuditFinding {
    double value, limit;
    CairnBodyId body, other; // `other`: the second body of a pair
    CairnJointId joint;
    bool is_checked; // false: the depth leaves this term out, or the world has nothing that it applies to
} CairnAuditFinding;

typedef struct CairnAuditReport {
    uint64_t step_index; // of the world: which step this is about
    bool is_sound;       // no value that was checked exceeds its limit
    bool is_full;
    CairnAuditTerm worst; // the term whose value is largest against its limit
    double ratio;         // its value divided by its limit; infinite where it is not a number
    CairnAuditFinding terms[CAIRN_AUDIT_TERM_COUNT];
    double seconds;         // of wall-clock time that the audit of this step took, its beginning included
    double overlap_seconds; // the part of it that overlaps and what was passed took
} CairnAuditReport;

// Makes an audit with the allocator of a world and writes it to *out. The caller releases it by cairn_audit_destroy,
// which takes NULL; it may outlive the world.
CairnStatus cairn_audit_create(const CairnWorld *world, CairnAudit **out);
void cairn_audit_destroy(CairnAudit *audit);

// Notes the state before a step, after all forces of the step have been applied. It allocates nothing while the world
// has no more bodies and joints than before.
CairnStatus cairn_audit_begin(CairnAudit *audit, const CairnWorld *world);

// Compares the state after the step with that note. Between the two the world makes exactly one step and nothing else
// changes it: what a caller changes in between is what the audit finds. Returns CAIRN_INVALID_ARGUMENT where no step
// was made since the beginning, or where bodies were made or destroyed.
CairnStatus cairn_audit_end(CairnAudit *audit, const CairnWorld *world, CairnAuditDepth depth,
                            CairnAuditReport *report);

// Returns a finding's value divided by its limit: 0 where the value is 0, infinity where it is not a number or where
// the limit is 0.
double cairn_audit_ratio(const CairnAuditFinding *finding);

// Return the name of a term ("momentum") and its unit ("N s"); "unknown" and "" for any other value.
const char *cairn_audit_term_name(CairnAuditTerm term);
const char *cairn_audit_term_unit(CairnAuditTerm term);

// Writes the verdict as a sentence: "sound", or the worst term with its value, its limit and the bodies or the joint.
// Returns the length as snprintf does.
int cairn_audit_words(const CairnAuditReport *report, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
