// Sweeps over strips: the even ones, then the odd ones; backwards in the opposite order.
#include <math.h>
#include <string.h>

#include "solvers/sweeps/sor.h"

enum {
    WORTH_THREADS = 512 // groups and items: fewer are done before another thread wakes
};

double *cairn_sor_impulses(const SorSystem *system, int c) {
    int group = system->slot[c] / SOR_LANES, lane = system->slot[c] % SOR_LANES;
    if (system->shape[c] == SOR_JOINT) {
        return cairn_sor_joint_row(system, &system->joints[group], 0).impulse + lane;
    }
    double *numbers = cairn_sor_group(system, group, system->shape[c] == SOR_ROUND);
    return numbers + (ptrdiff_t)SOR_LANES * SOR_LAMBDA + lane;
}

void cairn_sor_gather(SorSystem *system) {
    const CairnProblem *problem = system->problem;
    if (problem->form == CAIRN_FORM_EXPLICIT) {
        return;
    }
    for (int i = 0; i < problem->block_count; i++) {
        memcpy(system->u + system->block_at[i], problem->p + problem->blocks[i].first,
               (size_t)problem->blocks[i].size * sizeof *system->u);
    }
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        bool is_item = system->shape[c] == SOR_ITEM;
        const double *impulses = is_item ? system->lambda + constraint->first_row : cairn_sor_impulses(system, c);
        for (int t = 0; t < constraint->term_count; t++) {
            const CairnTerm *term = &problem->terms[constraint->first_term + t];
            double room[6 * CAIRN_FRAME_ROWS];
            const double *J = cairn_term_rows(problem, term, constraint->row_count, room);
            double *u = system->u + system->block_at[term->block];
            int size = problem->blocks[term->block].size;
            for (int i = 0; i < constraint->row_count; i++, J += size) {
                double impulse = impulses[is_item ? i : i * SOR_LANES];
                for (int k = 0; k < size && impulse != 0; k++) {
                    u[k] += J[k] * impulse;
                }
            }
        }
    }
    for (int i = 0; i < problem->block_count; i++) {
        cairn_ops_forward(&system->ops, i, system->u + system->block_at[i]);
    }
}

// Copy the velocities and impulses that a Jacobi sweep reads.
static void freeze(SorSystem *system) {
    if (!system->settings.is_jacobi) {
        return;
    }
    if (system->problem->form == CAIRN_FORM_EXPLICIT) {
        memcpy((double *)system->lambda_read, system->lambda,
               (size_t)system->problem->row_count * sizeof *system->lambda);
    } else {
        memcpy((double *)system->u_read, system->u, (size_t)system->u_size * sizeof *system->u);
    }
}

static void visit_joints(SorSystem *system, SorGroups groups, bool is_forward, SorEight *largest) {
    for (int i = 0; i < groups.count; i++) {
        int group = groups.first + (is_forward ? i : groups.count - 1 - i);
        cairn_sor_visit_joints(system, &system->joints[group], largest);
    }
}

static double visit_strip(SorSystem *system, const SorStrip *strip, bool is_forward) {
    SorEight largest = {0};
    double most = 0;
    if (system->momentum && system->momentum->starts) {
        cairn_sor_momentum_before(system, strip);
    }
    if (is_forward) {
        cairn_sor_visit_rounds(system, strip->round, true, &largest);
        cairn_sor_visit_generals(system, strip->general, true, &largest);
        visit_joints(system, strip->joints, true, &largest);
    }
    most = cairn_sor_visit_items(system, strip->items.first, strip->items.count, is_forward);
    if (!is_forward) {
        visit_joints(system, strip->joints, false, &largest);
        cairn_sor_visit_generals(system, strip->general, false, &largest);
        cairn_sor_visit_rounds(system, strip->round, false, &largest);
    }
    for (int i = 0; i < SOR_LANES; i++) {
        most = fmax(most, largest[i]);
    }
    if (system->momentum && system->momentum->ends) {
        cairn_sor_momentum_after(system, strip, &system->momentum->sums[strip - system->strips]);
    }
    return most;
}

static int threads_for(const SorSystem *system) {
    int work = system->round_count + system->general_count + system->joint_count + system->item_count;
    return system->strip_count > 2 && work > WORTH_THREADS ? system->settings.threads : 1;
}

static double sweep_alone(SorSystem *system, bool is_forward) {
    double most = 0;
    for (int phase = 0; phase < 2; phase++) {
        for (int s = is_forward ? phase : 1 - phase; s < system->strip_count; s += 2) {
            most = fmax(most, visit_strip(system, &system->strips[s], is_forward));
        }
    }
    return most;
}

static double sweep(SorSystem *system, bool is_forward) {
    int count = system->strip_count;
    double most = 0;
    if (threads_for(system) == 1) { // a team of one costs two calls of the system a sweep
        return sweep_alone(system, is_forward);
    }
#pragma omp parallel num_threads(threads_for(system)) reduction(max : most)
    for (int phase = 0; phase < 2; phase++) {
        int odd = is_forward ? phase : 1 - phase;
#pragma omp for schedule(dynamic, 1)
        for (int s = odd; s < count; s += 2) {
            most = fmax(most, visit_strip(system, &system->strips[s], is_forward));
        }
    }
    return most;
}

// An explicit problem's row reads all impulses, so these go on before the first is visited.
static double sweep_explicit(SorSystem *system, bool is_forward) {
    const SorStrip all = {.items = {0, system->item_count}};
    if (system->momentum && system->momentum->starts) {
        cairn_sor_momentum_before(system, &all);
    }
    freeze(system);
    double most = cairn_sor_visit_items(system, 0, system->item_count, is_forward);
    if (system->momentum && system->momentum->ends) {
        cairn_sor_momentum_after(system, &all, &system->momentum->sums[0]);
    }
    return most;
}

double cairn_sor_sweep(SorSystem *system, bool is_forward) {
    SorMomentum *momentum = system->momentum;
    double most;
    if (momentum) {
        momentum->starts = !system->settings.is_symmetric || is_forward;
        momentum->ends = !system->settings.is_symmetric || !is_forward;
    }
    if (momentum && momentum->starts) {
        cairn_sor_momentum_begin(system);
    }
    if (system->problem->form == CAIRN_FORM_EXPLICIT) {
        most = sweep_explicit(system, is_forward);
    } else {
        freeze(system);
        most = sweep(system, is_forward);
    }
    if (momentum && momentum->ends) {
        cairn_sor_momentum_end(system);
    }
    return most;
}

void cairn_sor_load(SorSystem *system) {
    const CairnProblem *problem = system->problem;
    for (int c = 0; c < problem->constraint_count && problem->form == CAIRN_FORM_DYNAMICS; c++) {
        if (system->shape[c] != SOR_ITEM) {
            double *impulses = cairn_sor_impulses(system, c);
            for (int j = 0; j < problem->constraints[c].row_count; j++) {
                impulses[j * SOR_LANES] = system->lambda[problem->constraints[c].first_row + j];
            }
        }
    }
}

void cairn_sor_read(const SorSystem *system, double *lambda) {
    const CairnProblem *problem = system->problem;
    if (lambda != system->lambda && problem->row_count > 0) {
        memcpy(lambda, system->lambda, (size_t)problem->row_count * sizeof *lambda);
    }
    for (int c = 0; c < problem->constraint_count && problem->form == CAIRN_FORM_DYNAMICS; c++) {
        if (system->shape[c] != SOR_ITEM) {
            const double *impulses = cairn_sor_impulses(system, c);
            for (int j = 0; j < problem->constraints[c].row_count; j++) {
                lambda[problem->constraints[c].first_row + j] = impulses[j * SOR_LANES];
            }
        }
    }
}

int cairn_sor_find_bad(const SorSystem *system) {
    const CairnProblem *problem = system->problem;
    bool is_explicit = problem->form == CAIRN_FORM_EXPLICIT;
    for (int r = 0; r < problem->row_count && is_explicit; r++) {
        if (!isfinite(system->lambda[r])) {
            return r;
        }
    }
    for (int c = 0; c < problem->constraint_count && !is_explicit; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        bool is_item = system->shape[c] == SOR_ITEM;
        const double *impulses = is_item ? system->lambda + constraint->first_row : cairn_sor_impulses(system, c);
        for (int i = 0; i < constraint->row_count; i++) {
            if (!isfinite(impulses[is_item ? i : i * SOR_LANES])) {
                return constraint->first_row + i;
            }
        }
    }
    return -1;
}
