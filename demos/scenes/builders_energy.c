#include "demos/scenes/builders_energy.h"
#include "demos/scenes/builders.h"

static bool is_spring(const CairnAxis *axis) {
    return axis->drive == CAIRN_DRIVE_SPRING && axis->spring_unit == CAIRN_SPRING_FORCE && axis->stiffness > 0;
}

CairnStatus cairn_spring_energy(const CairnWorld *world, double *energy) {
    enum { MOST = 4096 };
    CairnJointId ids[MOST];
    int count = cairn_world_joints(world, ids, MOST);
    if (count > MOST) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "energy: %d joints, the limit is %d", count, (int)MOST);
    }
    *energy = 0;
    for (int i = 0; i < count; i++) {
        CairnJointDef def;
        CairnJointState state;
        bool has_springs = false;
        CAIRN_TRY(cairn_joint_get_def(world, ids[i], &def));
        for (int k = 0; k < CAIRN_AXIS_COUNT; k++) {
            has_springs = has_springs || is_spring(&def.axes[k]);
        }
        if (!has_springs) {
            continue;
        }
        CAIRN_TRY(cairn_joint_get(world, ids[i], &state));
        for (int k = 0; k < CAIRN_AXIS_COUNT; k++) {
            double displacement = state.position[k] - def.axes[k].target_position;
            *energy += is_spring(&def.axes[k]) ? 0.5 * def.axes[k].stiffness * displacement * displacement : 0;
        }
    }
    return cairn_ok();
}

CairnStatus cairn_check_energy(const CairnSceneRun *run, CairnEnergyWatch *watch, const CairnStats *stats,
                               double fraction, const char *name) {
    double springs, energy;
    CAIRN_TRY(cairn_spring_energy(run->world, &springs));
    energy = cairn_scene_energy(stats) + springs;
    watch->least = watch->has_begun ? fmin(watch->least, energy) : energy;
    watch->most = watch->has_begun ? fmax(watch->most, energy) : energy;
    watch->kinetic = fmax(watch->kinetic, stats->kinetic_energy);
    watch->has_begun = true;
    double range = fmax(watch->most - watch->least, watch->kinetic), gain = energy - watch->least;
    if (gain > fraction * range + watch->owed + 1e-8 * (fabs(energy) + stats->kinetic_energy)) {
        return cairn_error(CAIRN_NUMERIC, "%s: at %.6g s the energy has risen by %.3g J, of a range of %.3g J", name,
                           stats->time, gain, range);
    }
    return cairn_ok();
}
