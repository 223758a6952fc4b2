// Definitions of world and body: one table each gives defaults, ranges, help and the words of every refusal.
#include "engine/world.h"

#define BIG 1e15   // a length, mass or speed beyond this is a mistake, and its square would not stay finite for long
#define LARGE 1e30 // and a moment of inertia beyond this

static const char *const springs_names[] = {"by-law", "never", "always", NULL};
static const char *const integrator_names[] = {"semi-implicit", "midpoint", NULL};
static const char *const friction_names[] = {"box", "box-current", "cone", "coulomb", NULL};
static const char *const mix_names[] = {"geometric", "average", "min", "max", "multiply", NULL};
static const char *const body_type_names[] = {"static", "kinematic", "dynamic", NULL};

static const CairnField world_fields[] = {
    CAIRN_FIELD_VEC3(CairnWorldDef, gravity, 0, 0, -9.81, -BIG, BIG, "m/s2", "acceleration of free fall"),
    CAIRN_FIELD_DOUBLE(CairnWorldDef, typical_length, 1, 1e-9, 1e9, 0, "m",
                       "size of a typical body; lengths and speeds below are for one of 1 m"),
    CAIRN_FIELD_INT(CairnWorldDef, thread_count, 1, 1, 256, "threads of a step; the answer is the same for any number"),
    CAIRN_FIELD_CHOICE(CairnWorldDef, integrator, CAIRN_INTEGRATOR_SEMI_IMPLICIT, integrator_names,
                       "which velocity moves the positions"),
    CAIRN_FIELD_CHOICE(CairnWorldDef, friction, CAIRN_FRICTION_BOX, friction_names, "friction law"),
    CAIRN_FIELD_CHOICE(CairnWorldDef, friction_mix, CAIRN_MIX_GEOMETRIC, mix_names, "friction of two materials"),
    CAIRN_FIELD_CHOICE(CairnWorldDef, restitution_mix, CAIRN_MIX_MAX, mix_names, "restitution of two materials"),
    CAIRN_FIELD_DOUBLE(CairnWorldDef, joint_fraction, 1, 0, 1, 0, "",
                       "share of a joint's position error removed in a step"),
    CAIRN_FIELD_DOUBLE(CairnWorldDef, joint_push, 1, 0, BIG, 0, "m/s",
                       "largest speed at which a joint that is apart is brought together"),
    CAIRN_FIELD_DOUBLE(CairnWorldDef, joint_turn, 1, 0, BIG, 0, "rad/s", "the same of locked angles"),
    CAIRN_FIELD_INT(CairnWorldDef, substeps, 16, 1, 1000,
                    "equal parts of a step at most, where bodies of a joint turn far against each other"),
    CAIRN_FIELD_INT(CairnWorldDef, joint_passes, 8, 1, 100,
                    "solves in a step at most, where joints end elsewhere than their rows say"),
    CAIRN_FIELD_DOUBLE(CairnWorldDef, contact_fraction, 0.2, 0, 1, 0, "", "share of an overlap removed in a step"),
    CAIRN_FIELD_DOUBLE(CairnWorldDef, contact_slop, 5e-7, 0, 1, 0, "m", "overlap that is left alone"),
    CAIRN_FIELD_DOUBLE(CairnWorldDef, contact_push, 1, 0, BIG, 0, "m/s",
                       "largest speed at which an overlap is removed"),
    CAIRN_FIELD_DOUBLE(CairnWorldDef, contact_margin, 0.01, 0, BIG, 0, "m", "distance from which on contacts exist"),
    CAIRN_FIELD_INT(CairnWorldDef, contact_passes, 8, 1, 100,
                    "solves in a step at most, where the last one leads into new contacts"),
    CAIRN_FIELD_DOUBLE(CairnWorldDef, contact_stray, 0.05, 0, BIG, 0, "",
                       "share of the margin by which bodies may overlap more than their rows say"),
    CAIRN_FIELD_CHOICE(CairnWorldDef, springs, CAIRN_SPRINGS_BY_LAW, springs_names,
                       "contacts that give way as matter does; by-law: under cone and coulomb"),
    CAIRN_FIELD_DOUBLE(CairnWorldDef, contact_give, 3e-6, 0, 1, CAIRN_FIELD_OPEN_MIN, "",
                       "share of the typical length by which such a contact gives way under its own weight"),
    CAIRN_FIELD_DOUBLE(CairnWorldDef, normal_compliance, 0, 0, BIG, 0, "m/s/(N s)",
                       "compliance C of contact normals; 0: from contact_give and the masses"),
    CAIRN_FIELD_DOUBLE(CairnWorldDef, friction_compliance, 0, 0, BIG, 0, "m/s/(N s)",
                       "compliance C of friction rows; 0: from contact_give and the masses"),
    CAIRN_FIELD_DOUBLE(CairnWorldDef, restitution_threshold, 0.01, 0, BIG, 0, "m/s", "slower approaches do not bounce"),
    CAIRN_FIELD_DOUBLE(CairnWorldDef, hit_threshold, 1, 0, BIG, 0, "m/s",
                       "approach speed from which a contact is a hit"),
    CAIRN_FIELD_BOOL(CairnWorldDef, gyroscopic, true, "torque-free motion by the energy-momentum rule"),
    CAIRN_FIELD_BOOL(CairnWorldDef, geometric_stiffness, true,
                     "stiffness of forces that turn with their bodies, M - h^2 K"),
    CAIRN_FIELD_DOUBLE(CairnWorldDef, geometric_threshold, 1, 0, BIG, 0, "",
                       "used where h^2 |K| exceeds this share of the inertia"),
    CAIRN_FIELD_INT(CairnWorldDef, geometric_passes, 3, 1, 100, "solves in a step at most, where impulses jumped"),
    CAIRN_FIELD_DOUBLE(CairnWorldDef, geometric_jump, 0.2, 0, BIG, 0, "",
                       "relative change of K that asks for another solve"),
    CAIRN_FIELD_INT(CairnWorldDef, touch_passes, 2, 1, 100,
                    "solves in a step at most, where first touches bear another load than was guessed"),
    CAIRN_FIELD_DOUBLE(CairnWorldDef, touch_jump, 0.5, 0, BIG, 0, "",
                       "relative difference of load and guess that asks for another solve"),
    CAIRN_FIELD_BOOL(CairnWorldDef, sleeping, false, "bodies at rest sleep until something reaches them"),
    CAIRN_FIELD_DOUBLE(CairnWorldDef, sleep_speed, 0.01, 0, BIG, 0, "m/s", "slower than this is at rest"),
    CAIRN_FIELD_DOUBLE(CairnWorldDef, sleep_spin, 0.02, 0, BIG, 0, "rad/s", "slower than this is at rest"),
    CAIRN_FIELD_DOUBLE(CairnWorldDef, sleep_time, 0.5, 0, BIG, 0, "s", "rest that puts an island to sleep"),
};
const CairnFieldTable cairn_world_fields = CAIRN_FIELD_TABLE("world", CairnWorldDef, world_fields);

CairnWorldDef cairn_world_def(void) {
    CairnWorldDef def = {0};
    cairn_fields_preset(&cairn_world_fields, &def);
    def.cookie = CAIRN_WORLD_COOKIE;
    return def;
}

static const CairnField body_fields[] = {
    CAIRN_FIELD_CHOICE(CairnBodyDef, type, CAIRN_BODY_DYNAMIC, body_type_names, "what moves it"),
    CAIRN_FIELD_VEC3(CairnBodyDef, position, 0, 0, 0, -BIG, BIG, "m", "place of the body's frame"),
    CAIRN_FIELD_QUAT(CairnBodyDef, orientation, "turn of the body's frame"),
    CAIRN_FIELD_VEC3(CairnBodyDef, velocity, 0, 0, 0, -BIG, BIG, "m/s", "of the frame's origin"),
    CAIRN_FIELD_VEC3(CairnBodyDef, angular_velocity, 0, 0, 0, -BIG, BIG, "rad/s", "in world axes"),
    CAIRN_FIELD_DOUBLE(CairnBodyDef, mass, 0, 0, BIG, 0, "kg", "0: mass, centre and inertia come from the shapes"),
    CAIRN_FIELD_VEC3(CairnBodyDef, center, 0, 0, 0, -BIG, BIG, "m",
                     "centre of mass in the body's frame, where mass is given"),
    CAIRN_FIELD_VEC3(CairnBodyDef, inertia, 0, 0, 0, 0, LARGE, "kg m2",
                     "Ixx, Iyy, Izz, where mass is given; 0: the shapes'"),
    CAIRN_FIELD_VEC3(CairnBodyDef, inertia_products, 0, 0, 0, -LARGE, LARGE, "kg m2", "Ixy, Ixz, Iyz of the tensor"),
    CAIRN_FIELD_DOUBLE(CairnBodyDef, gravity_scale, 1, -BIG, BIG, 0, "", "share of gravity that the body feels"),
    CAIRN_FIELD_DOUBLE(CairnBodyDef, linear_damping, 0, 0, BIG, 0, "1/s", "rate at which velocity dies"),
    CAIRN_FIELD_DOUBLE(CairnBodyDef, angular_damping, 0, 0, BIG, 0, "1/s", "rate at which spin dies"),
    CAIRN_FIELD_BOOL(CairnBodyDef, continuous, true, "swept through the step, so that it passes through nothing"),
    CAIRN_FIELD_INT(CairnBodyDef, group, -1, -1, 1000000000, "label for semantic partitions"),
};
const CairnFieldTable cairn_body_fields = CAIRN_FIELD_TABLE("body", CairnBodyDef, body_fields);

CairnBodyDef cairn_body_def(void) {
    CairnBodyDef def = {0};
    cairn_fields_preset(&cairn_body_fields, &def);
    def.cookie = CAIRN_BODY_COOKIE;
    return def;
}
