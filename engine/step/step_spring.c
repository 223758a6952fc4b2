// The spring of a contact: how deep it gives way under a load, how soft that makes its rows, and what is remembered.
//
// With g_L = contact_give * typical_length, w = m g h the impulse that carries the mass m which two points feel of each
// other, and u = load / w, a contact is e deep:
//     e = g_L u                where u <= 1,
//     e = g_L (1 + ln u)       beyond: what bears a thousand times its own weight is eight times as deep;
//     e = g_L (ln U + u / U)   from U on, a hundred times the weight of all that moves: what is wedged in, or begins
//                              in one another, would else be pushed by e to the power of its depth.
// It holds a load m, which it is deflected by, and approaches the present one in steps of the share beta of what is
// missing (a spring beside a damper):
//     w = J v + C (lambda - m),   C = (e(m + beta (expected - m)) - e(m)) / (h (expected - m)),
//     e(m') = e(m) + h C (load - m).
// So it moves by what e changes and by nothing else: bodies at rest stand still, what a load took comes back with it,
// and because of the damper nothing swings. (With beta = 1 a tower that is put down regains a fortieth of its way.)
// How deep it is follows from m, so that only what is deeper than that is pushed out. Pushed out by all of its depth it
// would swing for ever: a spring that is shifted by its own motion.
#include "engine/step/step.h"

// beta
static const double elastic = 0.5;
// C in terms of 1/m: where steps are so small that they would resolve the swinging of the spring, it is stiffer.
static const double softest = 1e-2;
// In terms of g_L: a solve that ends deeper than its load says by the first one is made again, and what is deeper by
// the second one is pushed out. The rest is what impacts and loads that shift leave behind.
static const double misjudged = 0.5, lasting = 2;

// What moves nothing (the second half of the midpoint rule) deflects nothing, and is hard.
bool cairn_step_has_springs(const CairnStep *step) {
    return cairn_world_has_springs(&step->world->def) && !step->share->is_closing;
}

// g_L
static double give_of(const CairnStep *step) {
    return step->world->def.contact_give * step->world->def.typical_length;
}

// The spring of a contact, by its bodies and all that moves.
typedef struct Spring {
    double unit, most; // w, U
} Spring;

static Spring spring_of(const CairnStep *step, const CairnStepContact *c) {
    static const double beyond = 100;
    const int bodies[2] = {c->body_a, c->body_b};
    double inverse = 0;
    for (int k = 0; k < 2; k++) {
        inverse += cairn_step_block(step, bodies[k]) >= 0 ? 1 / step->store->bodies[bodies[k]].model->mass : 0;
    }
    double speed = fmax(cairn_step_acceleration(step) * step->kick, elastic * give_of(step) / (step->h * softest));
    return (Spring){speed / inverse, beyond * fmax(1, step->mass * inverse)};
}

// e / g_L of u, and u of that.
static double deflection_at(Spring s, double u) {
    return u <= 1 ? u : u <= s.most ? 1 + log(u) : log(s.most) + u / s.most;
}

static double load_at(Spring s, double deflection) {
    return deflection <= 1                 ? deflection
           : deflection <= 1 + log(s.most) ? exp(deflection - 1)
                                           : s.most * (deflection - log(s.most));
}

static double last_held(const CairnStep *step, const CairnStepContact *c) {
    return c->record >= 0 ? step->impulse_scale * step->store->contacts[c->record].held : 0;
}

// m, and no more than what makes it as deep as it is: where it was lifted it has less to give back.
double cairn_step_held_load(const CairnStep *step, const CairnStepContact *c) {
    double held = last_held(step, c);
    if (!cairn_step_has_springs(step) || !(held > 0 || (c->record < 0 && c->is_known)) || !(c->distance < 0)) {
        return 0;
    }
    Spring s = spring_of(step, c);
    double deep = -c->distance / give_of(step);
    if (c->record < 0) { // a new point of a patch that bore a load: it is as deep as the others
        return s.unit * fmin(deep, 1);
    }
    return deflection_at(s, held / s.unit) > deep ? s.unit * load_at(s, deep) : held;
}

// m'
double cairn_step_hold_load(const CairnStep *step, const CairnStepContact *c, double compliance, double load) {
    if (!cairn_step_has_springs(step)) {
        return last_held(step, c);
    }
    Spring s = spring_of(step, c);
    double held = cairn_step_held_load(step, c);
    double deflection = deflection_at(s, held / s.unit) + step->h * compliance * (load - held) / give_of(step);
    return deflection > 0 ? fmin(s.unit * load_at(s, deflection), fmax(held, load)) : 0;
}

double cairn_step_kept_overlap(const CairnStep *step, const CairnStepContact *c) {
    double slop = step->world->def.contact_slop;
    if (!cairn_step_has_springs(step)) {
        return slop;
    }
    Spring s = spring_of(step, c);
    return slop + give_of(step) * (lasting + deflection_at(s, cairn_step_held_load(step, c) / s.unit));
}

// C from a held load to an expected one; where they are nearly the same the slope of e.
static double chord(const CairnStep *step, const CairnStepContact *c, double held, double expected) {
    Spring s = spring_of(step, c);
    double u = held / s.unit, rise = expected / s.unit - u;
    double slope = fabs(rise) > 1e-3 * fmax(u, u + rise)
                       ? (deflection_at(s, u + elastic * rise) - deflection_at(s, u)) / rise
                       : elastic / fmin(fmax(u, 1), s.most);
    return give_of(step) / step->h * slope / s.unit;
}

// ---- loads that were not expected ----

static bool is_too_deep(const CairnStep *step, const CairnStepContact *c, double compliance, double load) {
    Spring s = spring_of(step, c);
    double held = cairn_step_held_load(step, c), rise = load - held;
    return rise > 0 && step->h * compliance * rise >
                           give_of(step) * (misjudged + deflection_at(s, (held + elastic * rise) / s.unit) -
                                            deflection_at(s, held / s.unit));
}

bool cairn_step_review_springs(const CairnStep *step, const CairnStepContacts *contacts, const CairnStepSystem *system,
                               const double *lambda) {
    bool found = false;
    for (int i = 0; i < contacts->count && !found && cairn_step_has_springs(step); i++) {
        const CairnStepContact *c = &contacts->all[i];
        found = is_too_deep(step, c, system->compliance[c->row], lambda[c->row]);
    }
    return found;
}

// What bears far more than its own weight was so soft that even the load that was found is too small: it is as if the
// heaviest of all bodies that touch each other there were to be stopped.
double cairn_step_spring_compliance(const CairnStep *step, const CairnStepSystem *system, const CairnStepContact *c,
                                    double found) {
    double held = cairn_step_held_load(step, c), compliance = chord(step, c, held, fmax(c->frozen, held));
    if (!is_too_deep(step, c, compliance, found)) {
        return compliance;
    }
    int a = cairn_step_block(step, c->body_a), b = cairn_step_block(step, c->body_b);
    return chord(step, c, held, fmax(found, system->heaviest[a >= 0 ? a : b] * compliance * (found - held)));
}

void cairn_step_amend_springs(const CairnStep *step, const CairnStepContacts *contacts, CairnStepSystem *system,
                              const double *lambda) {
    for (int i = 0; i < contacts->count; i++) {
        const CairnStepContact *c = &contacts->all[i];
        double *compliance = system->compliance + c->row;
        if (is_too_deep(step, c, compliance[0], lambda[c->row])) {
            cairn_step_contact_compliance(step, system, c, lambda[c->row], compliance);
            cairn_step_write_right_side(step, contacts->rolls, c, compliance, system->right_side + c->row);
        }
    }
}
