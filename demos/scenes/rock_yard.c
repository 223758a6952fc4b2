#include "demos/scenes/rock_yard.h"
#include "demos/scenes/builders.h"

CairnStatus cairn_build_yard(CairnSceneRun *run, CairnPile pile, const CairnYardParams *params) {
    CairnYard *yard = run->memory;
    if (pile.count > CAIRN_YARD_ROCKS) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "yard: %d rocks, the limit is %d", pile.count,
                           (int)CAIRN_YARD_ROCKS);
    }
    pile.friction = params->friction;
    pile.rolling_friction = params->rolling;
    CAIRN_TRY(cairn_build_ground(run->world, params->friction, 0));
    CairnShovelDef shovel = cairn_shovel_def();
    shovel.mass = params->shovel_mass;
    shovel.friction = params->friction;
    shovel.speed = params->speed;
    shovel.push = params->push;
    shovel.start = cairn_vec3(-cairn_pile_radius(&pile) - 1, 0, 0);
    CAIRN_TRY(cairn_build_shovel(run->world, &shovel, &yard->shovel));
    yard->count = pile.count;
    return cairn_build_pile(run->world, &pile, run->seed, yard->ids);
}

CairnStatus cairn_yard_script(CairnSceneRun *run, double time) {
    CairnYard *yard = run->memory;
    return cairn_shovel_drive(run->world, &yard->shovel, time);
}

// The servos' targets are one step late, at most a few centimetres.
static CairnStatus check_path(const CairnSceneRun *run, const CairnBodyState *blade, double time, double h,
                              const char *name) {
    const CairnShovel *shovel = &((const CairnYard *)run->memory)->shovel;
    CairnShovelTarget target = cairn_shovel_target(&shovel->def, time - h);
    CairnVec3 off = cairn_sub(blade->position, cairn_add(shovel->def.start, cairn_vec3(target.x, 0, target.z)));
    double allowed = 0.02 + h * (fabs(target.speed_x) + fabs(target.speed_z));
    if (cairn_length(off) > allowed) {
        return cairn_error(CAIRN_NUMERIC, "%s: at %.6g s the blade is %.3g m off its path", name, time,
                           cairn_length(off));
    }
    return cairn_ok();
}

// Nothing passes the middle of the blade but over its top.
static CairnStatus check_blade(const CairnSceneRun *run, const CairnBodyState *blade, double time, const char *name) {
    CairnYard *yard = run->memory;
    const CairnShovelDef *def = &yard->shovel.def;
    for (int i = 0; i < yard->count; i++) {
        CairnBodyState rock;
        CAIRN_TRY(cairn_body_get(run->world, yard->ids[i], &rock));
        CairnVec3 from = cairn_sub(rock.center, blade->position);
        bool is_behind = from.x < 0;
        if (is_behind && !yard->is_behind[i] && fabs(from.y) < 0.35 * def->width && from.z < def->height) {
            return cairn_error(CAIRN_NUMERIC, "%s: at %.6g s rock %d has slipped under the blade", name, time, i);
        }
        yard->is_behind[i] = is_behind;
    }
    return cairn_ok();
}

// What is round rolls on for ever where nothing brakes rolling, and may nudge others; all else has given its energy
// away.
static CairnStatus check_rest(const CairnSceneRun *run, double time, bool has_rolling, const char *name) {
    const CairnYard *yard = run->memory;
    double moving = 0;
    for (int i = 0; i < yard->count; i++) {
        CairnRockKind kind = (CairnRockKind)(i % CAIRN_ROCK_KINDS);
        bool is_round = kind == CAIRN_ROCK_BALL || kind == CAIRN_ROCK_CYLINDER;
        CairnBodyState rock;
        CAIRN_TRY(cairn_body_get(run->world, yard->ids[i], &rock));
        moving += has_rolling || !is_round ? 0.5 * rock.mass.mass * cairn_length_squared(rock.velocity) : 0;
    }
    if (moving > 1e-5 * yard->first_energy) {
        return cairn_error(CAIRN_NUMERIC, "%s: at %.6g s the heap still moves with %.3g J", name, time, moving);
    }
    return cairn_ok();
}

CairnStatus cairn_yard_check(const CairnSceneRun *run, const CairnYardParams *params, double time,
                             const CairnStats *stats, const char *name) {
    CairnYard *yard = run->memory;
    double h = time / (double)stats->step_index;
    CairnBodyState blade;
    CAIRN_TRY(cairn_body_get(run->world, yard->shovel.blade, &blade));
    CAIRN_TRY(check_path(run, &blade, time, h, name));
    CAIRN_TRY(check_blade(run, &blade, time, name));
    const CairnShovelDef *def = &yard->shovel.def;
    yard->first_energy = stats->step_index == 1 ? cairn_scene_energy(stats) : yard->first_energy;
    bool is_driven = time > def->wait - h && time < cairn_shovel_end(def) + 2 * h;
    if (is_driven) {
        yard->energy = (CairnEnergyWatch){0};
    } else {
        yard->energy.owed = 10 * def->mass; // J: the servos lower blade and carriage, by half a metre
        CAIRN_TRY(cairn_check_energy(run, &yard->energy, stats, 1e-3, name));
    }
    if (stats->penetration > 0.01) {
        return cairn_error(CAIRN_NUMERIC, "%s: at %.6g s something overlaps by %.3g m", name, time, stats->penetration);
    }
    if (time > cairn_shovel_end(def) + 2.5) {
        return check_rest(run, time, params->rolling > 0, name);
    }
    return cairn_ok();
}
