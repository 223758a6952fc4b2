// Eight flexible cables hold a plate of 10 kg, from which a ball of 2,500 kg hangs. The plate is turned until the
// cables wind round each other, is let go, and the ball's weight unwinds them (S0, section 7.1). Links weigh 0.1 kg: a
// mass ratio of 25,000.
#include "demos/scenes/builders.h"
#include "demos/scenes/builders_cable.h"
#include "demos/scenes/builders_energy.h"

enum { CABLES = 8, MOST_LINKS = 100 };

typedef struct Params {
    int links;
    double link_mass, plate_mass, ball_mass, bending, loss, friction, turns, damping;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_INT(Params, links, 44, 30, MOST_LINKS, "links of each cable"),
    CAIRN_FIELD_DOUBLE(Params, link_mass, 0.1, 0.01, 10, 0, "kg", "mass of a link"),
    CAIRN_FIELD_DOUBLE(Params, plate_mass, 10, 1, 1000, 0, "kg", "mass of the plate"),
    CAIRN_FIELD_DOUBLE(Params, ball_mass, 2500, 1, 10000, 0, "kg", "mass of the ball"),
    CAIRN_FIELD_DOUBLE(Params, bending, 2, 0, 100, 0, "N m/rad", "stiffness of a joint in bending and torsion"),
    CAIRN_FIELD_DOUBLE(Params, loss, 0.5, 0, 20, 0, "N m s/rad", "what the cables lose in bending and torsion"),
    CAIRN_FIELD_DOUBLE(Params, friction, 0.2, 0, 1, 0, "", "friction of the cables"),
    CAIRN_FIELD_DOUBLE(Params, turns, 1.25, 0, 2, 0, "", "of the plate"),
    CAIRN_FIELD_DOUBLE(Params, damping, 0.2, 0, 5, 0, "1/s", "of all motion: the air's"),
};

static const double link_length = 0.1, link_radius = 0.02, ring = 0.4, plate_radius = 0.5, plate_thick = 0.06;
static const double ball_radius = 0.4, ball_below = 0.75;
static const double start = 1, winding = 6, waiting = 1, unwinding = 3; // s

typedef struct Memory {
    CairnBodyId cables[CABLES][MOST_LINKS], plate, ball;
    CairnJointId spindle;
    double top, plate_height;
    double linking[CABLES][CABLES]; // of the last step
    CairnEnergyWatch energy;
} Memory;

static CairnStatus add_cables(CairnSceneRun *run) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    CairnCable cable = cairn_cable();
    cable.count = params->links;
    cable.radius = link_radius;
    cable.mass = params->link_mass;
    cable.bending = cable.twisting = params->bending;
    cable.loss = params->loss;
    cable.friction = params->friction;
    cable.damping = params->damping;
    for (int c = 0; c < CABLES; c++) {
        CairnVec3 points[MOST_LINKS + 1];
        double angle = 2 * CAIRN_PI * c / CABLES;
        for (int i = 0; i <= params->links; i++) {
            points[i] = cairn_vec3(ring * cos(angle), ring * sin(angle), memory->top - i * link_length);
        }
        cable.group = c;
        CAIRN_TRY(cairn_build_cable(run->world, &cable, points, memory->cables[c]));
        CAIRN_TRY(cairn_build_cable_tie(run->world, &cable, memory->cables[c][0], (CairnBodyId){0}, points[0]));
        CAIRN_TRY(cairn_build_cable_tie(run->world, &cable, memory->cables[c][params->links - 1], memory->plate,
                                        points[params->links]));
    }
    return cairn_ok();
}

// The plate, the ball that hangs from it (it swings, and turns with it), and the spindle that turns the plate and holds
// nothing else.
static CairnStatus add_load(CairnSceneRun *run) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    CairnBodyDef body = cairn_body_def();
    body.position = cairn_vec3(0, 0, memory->plate_height);
    body.mass = params->plate_mass;
    body.linear_damping = body.angular_damping = params->damping;
    body.group = CABLES - 1;
    CairnShapeDef disc = cairn_cylinder(plate_radius, plate_thick), round = cairn_sphere(ball_radius);
    CAIRN_TRY(cairn_body_add(run->world, &body, &disc, &memory->plate));
    body.position.z -= ball_below;
    body.mass = params->ball_mass;
    CAIRN_TRY(cairn_body_add(run->world, &body, &round, &memory->ball));
    CairnShapeDef stem = cairn_cylinder(0.04, ball_below - ball_radius);
    stem.position.z = 0.5 * (ball_below + ball_radius);
    CAIRN_TRY(cairn_shape_create(run->world, memory->ball, &stem, NULL));

    CairnVec3 up = {0, 0, 1}, x = {1, 0, 0}, middle = {0, 0, memory->plate_height};
    CairnJointDef hook = cairn_joint_def(CAIRN_JOINT_UNIVERSAL);
    hook.body_a = memory->plate;
    hook.body_b = memory->ball;
    CAIRN_TRY(cairn_joint_place(run->world, &hook, middle, x, cairn_vec3(0, 1, 0)));
    CAIRN_TRY(cairn_joint_create(run->world, &hook, NULL));
    CairnJointDef spindle = cairn_joint_def(CAIRN_JOINT_SIX_DOF);
    spindle.body_b = memory->plate;
    for (int i = 0; i < CAIRN_AXIS_COUNT; i++) {
        spindle.axes[i].mode = CAIRN_AXIS_FREE;
    }
    CAIRN_TRY(cairn_joint_place(run->world, &spindle, middle, up, x));
    return cairn_joint_create(run->world, &spindle, &memory->spindle);
}

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    CAIRN_TRY(cairn_build_ground(run->world, 0.6, 0));
    memory->plate_height = ball_below + ball_radius + 0.5 + 0.5 * plate_thick;
    memory->top = memory->plate_height + 0.5 * plate_thick + params->links * link_length;
    CAIRN_TRY(cairn_build_static_box(run->world, cairn_vec3(0, 0, memory->top + 0.15 + link_radius),
                                     cairn_vec3(0, 0, 0), cairn_vec3(1.6, 1.6, 0.2), 0.5, NULL));
    CAIRN_TRY(add_load(run));
    return add_cables(run);
}

// How fast the plate is turned: up to speed and down again within a second each; then held; then let go.
static CairnStatus script(CairnSceneRun *run, double time) {
    const Params *params = run->params;
    const Memory *memory = run->memory;
    double t = time - start, top = params->turns * 2 * CAIRN_PI / (winding - 1);
    CairnAxis axis = cairn_axis();
    axis.mode = CAIRN_AXIS_FREE;
    if (t < winding + waiting) {
        axis.drive = CAIRN_DRIVE_VELOCITY;
        axis.target_velocity = top * cairn_clamp(fmin(t, winding - t), 0, 1);
    }
    return cairn_joint_set_axis(run->world, memory->spindle, CAIRN_RX, &axis);
}

typedef struct Segments {
    CairnVec3 from[MOST_LINKS], to[MOST_LINKS];
} Segments;

// What two cables do: how near they come, and how far they are linked.
typedef struct Tangle {
    double nearest, linking;
} Tangle;

// Exact where two segments are near, and where they are far what two points would give.
static Tangle look_at_pair(const Segments *a, const Segments *b, int links) {
    Tangle tangle = {HUGE_VAL, 0};
    for (int i = 0; i < links; i++) {
        CairnVec3 along = cairn_sub(a->to[i], a->from[i]), middle = cairn_add_scaled(a->from[i], 0.5, along);
        for (int j = 0; j < links; j++) {
            CairnVec3 other = cairn_sub(b->to[j], b->from[j]);
            CairnVec3 between = cairn_sub(cairn_add_scaled(b->from[j], 0.5, other), middle);
            double squared = cairn_length_squared(between);
            if (squared < 9 * link_length * link_length) {
                tangle.linking += cairn_segment_linking(a->from[i], a->to[i], b->from[j], b->to[j]);
                tangle.nearest =
                    fmin(tangle.nearest, cairn_segment_distance(a->from[i], a->to[i], b->from[j], b->to[j]));
            } else {
                double triple = cairn_dot(between, cairn_cross(other, along));
                tangle.linking += triple / (4 * CAIRN_PI * squared * sqrt(squared));
            }
        }
    }
    return tangle;
}

// No cable passes through another one.
static CairnStatus check_tangle(const CairnSceneRun *run, double time, const Segments *cables) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    for (int c = 0; c < CABLES; c++) {
        for (int d = 0; d < c; d++) {
            Tangle tangle = look_at_pair(&cables[c], &cables[d], params->links);
            double jump = fabs(tangle.linking - memory->linking[c][d]);
            memory->linking[c][d] = tangle.linking;
            if (tangle.nearest < 0.9 * 2 * link_radius || jump > 0.5) {
                return cairn_error(
                    CAIRN_NUMERIC,
                    "cable_spinner: at %.6g s cables %d and %d are %.3g diameters apart, and their linking "
                    "number jumps by %.3g",
                    time, d, c, tangle.nearest / (2 * link_radius), jump);
            }
        }
    }
    return cairn_ok();
}

// Through the joints: what each cable has grown by, of its length.
static double growth_of(const Segments *cable, int links) {
    double length = cairn_length(cairn_sub(cable->to[links - 1], cable->from[links - 1]));
    for (int i = 1; i < links; i++) {
        length += cairn_length(cairn_sub(cable->from[i], cable->from[i - 1]));
    }
    return length / (links * link_length) - 1;
}

// It is wound by the given number of turns, and then it unwinds by itself.
static CairnStatus check_turn(const CairnSceneRun *run, double time) {
    const Params *params = run->params;
    const Memory *memory = run->memory;
    CairnJointState spindle;
    CAIRN_TRY(cairn_joint_get(run->world, memory->spindle, &spindle));
    double turned = spindle.position[CAIRN_RX], whole = params->turns * 2 * CAIRN_PI, end = start + winding + waiting;
    bool is_held = time > start + winding && time < end;
    if (is_held && fabs(turned - whole) > 0.02 * whole) {
        return cairn_error(CAIRN_NUMERIC, "cable_spinner: at %.6g s the plate has turned by %.4g rad, not by %.4g",
                           time, turned, whole);
    }
    // What turns it back goes with 1/length; a tighter rope rubs more.
    double long_cables = sqrt(params->links / 44.0), tight = fmax(1, params->turns / 1.25);
    double by = end + unwinding * long_cables * tight;
    if (time > by && time < by + 0.5 && turned > 0.5 * whole) {
        return cairn_error(CAIRN_NUMERIC, "cable_spinner: at %.6g s it has not unwound: %.4g of %.4g rad", time, turned,
                           whole);
    }
    return cairn_ok();
}

// What winding lifted is what unwinding turns into motion.
static CairnStatus expect_motion(const CairnSceneRun *run) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    CairnBodyState plate;
    CAIRN_TRY(cairn_body_get(run->world, memory->plate, &plate));
    double weight = (params->plate_mass + params->ball_mass) * -cairn_world_settings(run->world).gravity.z;
    memory->energy.kinetic = fmax(memory->energy.kinetic, weight * (plate.position.z - memory->plate_height));
    return cairn_ok();
}

static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    if (time < start && stats->kinetic_energy > 1e-3) {
        return cairn_error(CAIRN_NUMERIC, "cable_spinner: at %.6g s nothing turns the plate yet, and %.3g J move", time,
                           stats->kinetic_energy);
    }
    Segments cables[CABLES];
    for (int c = 0; c < CABLES; c++) {
        for (int i = 0; i < params->links; i++) {
            CAIRN_TRY(cairn_cable_segment(run->world, memory->cables[c][i], link_length, &cables[c].from[i],
                                          &cables[c].to[i]));
        }
        double growth = growth_of(&cables[c], params->links);
        if (growth > 1e-3) {
            return cairn_error(CAIRN_NUMERIC, "cable_spinner: at %.6g s cable %d has grown by %.3g of its length", time,
                               c, growth);
        }
    }
    CAIRN_TRY(check_tangle(run, time, cables));
    if (time > start + winding + waiting + 2 * time / (double)stats->step_index) { // it has been let go
        CAIRN_TRY(expect_motion(run));
        CAIRN_TRY(cairn_check_energy(run, &memory->energy, stats, 1e-3, "cable_spinner"));
    }
    return check_turn(run, time);
}

const CairnScene cairn_scene_cable_spinner = {
    .name = "cable_spinner",
    .summary = "eight cables hold 2,500 kg, are wound round each other, and unwind",
    .watch = "The cables meet after half a turn and become a rope; let go, it turns the plate back, and past where it "
             "began.",
    .params = CAIRN_FIELD_TABLE("cable_spinner", Params, fields),
    .memory_size = sizeof(Memory),
    .step = 1.0 / 60,
    .steps = 900,
    .camera = {.eye = {3.2, -7.2, 4.6}, .target = {0, 0, 3.25}, .fov = 47},
    .build = build,
    .script = script,
    .check = check,
};
