// Marks: what acts between the bodies, as arrows, cones, balls and lines of a width that the distance of the eye gives.
#include "demos/program/session/reserve.h"
#include "demos/viewer/drawn_mesh.h"
#include "demos/viewer/look.h"
#include <math.h>
#include <stdlib.h>

// Okabe and Ito's colours.
enum {
    FORCE = 0xB0243C,
    STICK = 0x0072B2,
    SLIP = 0xE69F00,
    OPEN = 0x8A8F96,
    BORDER = 0xCC79A7,
    WORST = 0xD55E00,
    HAND = 0x009E73,
    LEAP = 0x56B4E9
};

static CairnStatus add(CairnMarks *marks, CairnMark mark) {
    int needed = marks->count + 1;
    if (!cairn_array_reserve(&marks->items, &marks->capacity, needed, sizeof *marks->items)) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no memory for %d marks", needed);
    }
    marks->items[marks->count++] = mark;
    return cairn_ok();
}

static CairnStatus add_ball(CairnMarks *marks, CairnVec3 at, double radius, unsigned rgb, float alpha) {
    return add(marks, (CairnMark){CAIRN_DRAWN_SPHERE_COARSE, at, {1, 0, 0, 0}, radius, radius, rgb, alpha});
}

static CairnStatus add_line(CairnMarks *marks, CairnVec3 from, CairnVec3 to, double width, unsigned rgb, float alpha) {
    CairnVec3 direction = cairn_sub(to, from);
    double length = cairn_length(direction);
    if (!(length > 0)) {
        return cairn_ok();
    }
    CairnQuat turn = cairn_quat_between(cairn_vec3(0, 0, 1), cairn_scale(1 / length, direction));
    CairnVec3 middle = cairn_add_scaled(from, 0.5, direction);
    return add(marks, (CairnMark){CAIRN_DRAWN_CYLINDER, middle, turn, width, 0.5 * length, rgb, alpha});
}

static CairnStatus add_arrow(CairnMarks *marks, CairnVec3 at, CairnVec3 direction, double width, unsigned rgb) {
    double length = cairn_length(direction);
    if (length < width) {
        return cairn_ok(); // would be a dot
    }
    CairnVec3 ahead = cairn_scale(1 / length, direction);
    CairnQuat turn = cairn_quat_between(cairn_vec3(0, 0, 1), ahead);
    double head = fmin(5 * width, 0.5 * length);
    CairnVec3 neck = cairn_add_scaled(at, length - head, ahead);
    CAIRN_TRY(add_line(marks, at, neck, width, rgb, 1));
    return add(marks, (CairnMark){CAIRN_DRAWN_CONE, neck, turn, 2.4 * width, head, rgb, 1});
}

// Its tip is in the contact and it opens along the normal; as wide as the friction lets forces lean.
static CairnStatus add_cone(CairnMarks *marks, const CairnSightContact *contact, double height) {
    unsigned rgb = contact->grip == CAIRN_GRIP_SLIP ? SLIP : STICK;
    CairnQuat turn = cairn_quat_between(cairn_vec3(0, 0, 1), cairn_neg(contact->normal));
    CairnVec3 base = cairn_add_scaled(contact->point, height, contact->normal);
    double width = height * fmin(contact->mu, 2);
    return add(marks, (CairnMark){CAIRN_DRAWN_CONE, base, turn, fmax(width, 0.02 * height), height, rgb, 0.34f});
}

static CairnVec3 center_of(const CairnSight *sight, int body) {
    const float *c = sight->bodies[body].center;
    return cairn_vec3((double)c[0], (double)c[1], (double)c[2]);
}

// As wide in the picture wherever it is.
static double width_at(const CairnMarking *marking, CairnVec3 point) {
    return 0.0025 * cairn_length(cairn_sub(marking->eye, point));
}

static CairnStatus mark_contacts(CairnMarks *marks, const CairnMarking *marking) {
    const CairnLook *look = marking->look;
    const CairnSight *sight = marking->sight;
    for (int i = 0; i < sight->contact_count; i++) {
        const CairnSightContact *contact = &sight->contacts[i];
        double width = width_at(marking, contact->point);
        if (look->cones && contact->grip == CAIRN_GRIP_OPEN) {
            CAIRN_TRY(add_ball(marks, contact->point, 1.6 * width, OPEN, 1));
        } else if (look->cones) {
            CAIRN_TRY(add_ball(marks, contact->point, 1.6 * width, contact->grip == CAIRN_GRIP_SLIP ? SLIP : STICK, 1));
            CAIRN_TRY(add_cone(marks, contact, 11 * width));
        }
        if (look->forces && contact->grip != CAIRN_GRIP_OPEN) {
            CAIRN_TRY(
                add_arrow(marks, contact->point, cairn_scale(marking->force_length, contact->force), width, FORCE));
        }
        if (look->interface && contact->is_interface) {
            CAIRN_TRY(add_line(marks, center_of(sight, contact->bodies[0]), contact->point, width, BORDER, 1));
            CAIRN_TRY(add_line(marks, contact->point, center_of(sight, contact->bodies[1]), width, BORDER, 1));
        }
    }
    return cairn_ok();
}

// An error of a micrometre is small, a centimetre large: the ball's size and colour show which.
static CairnStatus mark_joints(CairnMarks *marks, const CairnMarking *marking) {
    const CairnSight *sight = marking->sight;
    for (int i = 0; i < sight->joint_count; i++) {
        const CairnSightJoint *joint = &sight->joints[i];
        double width = width_at(marking, joint->point);
        if (marking->look->joints) {
            double error = fmax(joint->linear_error, joint->angular_error);
            double fraction = cairn_clamp((log10(fmax(error, 1e-12)) + 8) / 6, 0, 1);
            CairnColor c = cairn_look_ramp(fraction);
            unsigned rgb =
                (unsigned)cairn_color_byte(c.r) << 16 | (unsigned)cairn_color_byte(c.g) << 8 | cairn_color_byte(c.b);
            CAIRN_TRY(add_ball(marks, joint->point, (2 + 3 * fraction) * width, rgb, 1));
            if (marking->look->forces) {
                CAIRN_TRY(
                    add_arrow(marks, joint->point, cairn_scale(marking->force_length, joint->force), width, STICK));
            }
        }
        if (marking->look->interface && joint->is_interface) {
            CAIRN_TRY(add_line(marks, center_of(sight, joint->bodies[0]), joint->point, width, BORDER, 1));
            CAIRN_TRY(add_line(marks, joint->point, center_of(sight, joint->bodies[1]), width, BORDER, 1));
        }
    }
    return cairn_ok();
}

static CairnStatus mark_difference(CairnMarks *marks, const CairnMarking *marking) {
    const CairnSight *sight = marking->sight, *first = marking->first;
    for (int i = 0; marking->look->difference && first && first != sight && i < sight->body_count; i++) {
        double away = cairn_look_difference(sight, first, i), width = width_at(marking, center_of(sight, i));
        if (!sight->bodies[i].is_static && away > 2 * width) {
            CAIRN_TRY(add_arrow(marks, center_of(sight, i), cairn_sub(center_of(first, i), center_of(sight, i)), width,
                                LEAP));
        }
    }
    return cairn_ok();
}

static int by_geometry(const void *a, const void *b) {
    const CairnMark *x = a, *y = b; // what is seen through comes last
    int first = x->geometry + (x->alpha < 1 ? 100 : 0), second = y->geometry + (y->alpha < 1 ? 100 : 0);
    return (first > second) - (first < second);
}

CairnStatus cairn_marks_make(CairnMarks *marks, const CairnMarking *marking) {
    const CairnSight *sight = marking->sight;
    marks->count = 0;
    CAIRN_TRY(mark_contacts(marks, marking));
    CAIRN_TRY(mark_joints(marks, marking));
    CAIRN_TRY(mark_difference(marks, marking));
    if (marking->look->worst && sight->worst.is_there && !sight->is_certified) {
        double width = width_at(marking, sight->worst.point);
        CAIRN_TRY(add_ball(marks, sight->worst.point, 4 * width, WORST, 1));
        CAIRN_TRY(add_ball(marks, sight->worst.point, 12 * width, WORST, 0.35f));
    }
    if (sight->touch.is_held) {
        double width = width_at(marking, sight->touch.point);
        CAIRN_TRY(add_ball(marks, sight->touch.point, 2.5 * width, HAND, 1));
        CAIRN_TRY(add_line(marks, sight->touch.point, sight->touch.target, 0.8 * width, HAND, 1));
        CAIRN_TRY(add_arrow(marks, sight->touch.point, cairn_scale(marking->force_length, sight->touch.force),
                            1.4 * width, HAND));
    }
    if (marks->count > 0) {
        qsort(marks->items, (size_t)marks->count, sizeof *marks->items, by_geometry);
    }
    return cairn_ok();
}

void cairn_marks_free(CairnMarks *marks) {
    free(marks->items);
    *marks = (CairnMarks){0};
}
