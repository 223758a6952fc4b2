// MuJoCo through its C interface, with its Newton solver. Bodies are free and joints "connect" constraints, which its
// solver must hold. (A chain of 100 links as a tree in joint coordinates is refused by its reader: bodies may not be
// nested so deep.)
//
// Settings: Newton, 100 iterations, tolerance 1e-10, implicit integrator (which the chain needs most), elliptic cones,
// condim 3, solref as stiff as it allows (twice the time step, critically damped), solimp 0.99 0.999 0.001.
#include "bench/peers/engine.h"

#if __has_include(<mujoco/mujoco.h>)
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct State {
    const BenchRig *rig;
    mjModel *model;
    mjData *data;
    int substeps;
} State;

static void close_state(void *state) {
    State *s = state;
    if (s->data != NULL) {
        mj_deleteData(s->data);
    }
    if (s->model != NULL) {
        mj_deleteModel(s->model);
    }
    free(s);
}

static void write_geom(FILE *xml, const BenchRigBody *body) {
    const CairnShapeDef *shape = &body->shape;
    switch (shape->type) {
    case CAIRN_SHAPE_HALF_SPACE:
        fprintf(xml, "<geom type='plane' size='0 0 1'/>");
        break;
    case CAIRN_SHAPE_SPHERE:
        fprintf(xml, "<geom type='sphere' size='%.17g' mass='%.17g'/>", shape->radius, body->mass);
        break;
    case CAIRN_SHAPE_BOX:
        fprintf(xml, "<geom type='box' size='%.17g %.17g %.17g' mass='%.17g'/>", shape->size.x / 2, shape->size.y / 2,
                shape->size.z / 2, body->mass);
        break;
    case CAIRN_SHAPE_CYLINDER:
        fprintf(xml, "<geom type='cylinder' size='%.17g %.17g' mass='%.17g'/>", shape->radius, shape->height / 2,
                body->mass);
        break;
    default:
        break;
    }
}

static void write_body(FILE *xml, const BenchRig *rig, int i, CairnTransform pose) {
    const BenchRigBody *body = &rig->bodies[i];
    fprintf(xml, "<body name='b%d' pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'>", i, pose.p.x, pose.p.y,
            pose.p.z, pose.q.w, pose.q.x, pose.q.y, pose.q.z);
    if (body->has_shape) {
        write_geom(xml, body);
    } else {
        fprintf(xml, "<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>", body->mass,
                body->inertia.x, body->inertia.y, body->inertia.z);
    }
}

static void write_rig(FILE *xml, const BenchRig *rig) {
    for (int i = 0; i < rig->body_count; i++) {
        const BenchRigBody *body = &rig->bodies[i];
        if (body->mass > 0) {
            write_body(xml, rig, i, body->pose);
            fprintf(xml, "<freejoint/></body>");
        } else {
            write_geom(xml, body);
        }
    }
    fprintf(xml, "</worldbody><equality>");
    for (int i = 0; i < rig->joint_count; i++) {
        const BenchRigJoint *joint = &rig->joints[i];
        CairnTransform pose = rig->bodies[joint->b].pose;
        CairnVec3 local = cairn_unrotate(pose.q, cairn_sub(joint->point, pose.p));
        fprintf(xml, "<connect body1='b%d' anchor='%.17g %.17g %.17g'", joint->b, local.x, local.y, local.z);
        if (joint->a >= 0) {
            fprintf(xml, " body2='b%d'", joint->a);
        }
        fprintf(xml, "/>");
    }
    fprintf(xml, "</equality>");
}

static char *write_model(const BenchRig *rig, int substeps) {
    char *text = NULL;
    size_t size;
    FILE *xml = open_memstream(&text, &size);
    if (xml == NULL) {
        return NULL;
    }
    double h = 1.0 / 60 / substeps;
    fprintf(xml,
            "<mujoco><compiler angle='radian' boundmass='0' boundinertia='0'/>"
            "<size njmax='12000' nconmax='4000' nstack='20000000'/>"
            "<option timestep='%.17g' gravity='0 0 -9.81' solver='Newton' iterations='100' tolerance='1e-10' "
            "cone='elliptic' integrator='implicit'/>"
            "<default><geom condim='3' friction='%.17g 0 0' solref='%.17g 1' solimp='0.99 0.999 0.001'/>"
            "<equality solref='%.17g 1' solimp='0.99 0.999 0.001'/></default><worldbody>",
            h, rig->friction, 2 * h, 2 * h);
    write_rig(xml, rig);
    fprintf(xml, "</mujoco>");
    return fclose(xml) == 0 ? text : (free(text), NULL);
}

static void *open_state(const BenchRig *rig, int substeps) {
    static const char name[] = "rig.xml";
    char *text = write_model(rig, substeps), problem[500] = "";
    State *s = calloc(1, sizeof *s);
    mjVFS *files = calloc(1, sizeof *files);
    if (text != NULL && s != NULL && files != NULL) {
        s->rig = rig;
        s->substeps = substeps;
        mj_defaultVFS(files);
        int size = (int)strlen(text);
        if (mj_makeEmptyFileVFS(files, name, size) == 0) {
            memcpy(files->filedata[mj_findFileVFS(files, name)], text, (size_t)size);
            s->model = mj_loadXML(name, files, problem, sizeof problem);
        }
        s->data = s->model != NULL ? mj_makeData(s->model) : NULL;
        mj_deleteVFS(files);
        if (s->data == NULL) {
            fprintf(stderr, "bench: MuJoCo: %s\n", problem);
            close_state(s);
            s = NULL;
        }
    }
    free(text);
    free(files);
    return s;
}

// MuJoCo sets a state that has run away back to the start, with a warning.
static bool step(void *state) {
    State *s = state;
    for (int i = 0; i < s->substeps; i++) {
        mj_step(s->model, s->data);
    }
    return s->data->warning[mjWARN_BADQACC].number == 0 && s->data->warning[mjWARN_BADQVEL].number == 0 &&
           s->data->warning[mjWARN_BADQPOS].number == 0 && s->data->warning[mjWARN_CONTACTFULL].number == 0 &&
           s->data->warning[mjWARN_CNSTRFULL].number == 0;
}

static void poses(void *state, CairnTransform *out) {
    State *s = state;
    mj_kinematics(s->model, s->data); // mj_step leaves the poses of its beginning
    for (int i = 0; i < s->rig->body_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        int id = mj_name2id(s->model, mjOBJ_BODY, name);
        out[i] = s->rig->bodies[i].pose;
        if (id > 0) {
            const mjtNum *p = s->data->xpos + 3 * id, *q = s->data->xquat + 4 * id;
            out[i].p = cairn_vec3(p[0], p[1], p[2]);
            out[i].q.w = q[0];
            out[i].q.x = q[1];
            out[i].q.y = q[2];
            out[i].q.z = q[3];
        }
    }
}

static const BenchEngine engines[] = {{"MuJoCo Newton", open_state, step, poses, close_state, false}};

const BenchEngine *bench_engines_mujoco(int *count) {
    *count = sizeof engines / sizeof engines[0];
    return engines;
}

#else

const BenchEngine *bench_engines_mujoco(int *count) {
    *count = 0;
    return NULL;
}

#endif
