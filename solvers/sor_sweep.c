// Sweeps over colours.
#include <math.h>
#include <string.h>

#include "solvers/sor.h"

enum {
    WORTH_THREADS = 256, // groups and items a colour: fewer are done before another thread wakes
    AHEAD = 2            // groups before its visit, a group's bodies are fetched
};

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
        for (int t = 0; t < constraint->term_count; t++) {
            const CairnTerm *term = &problem->terms[constraint->first_term + t];
            const double *J = problem->J + term->jacobian;
            double *u = system->u + system->block_at[term->block];
            int size = problem->blocks[term->block].size;
            for (int i = 0; i < constraint->row_count; i++, J += size) {
                double impulse = system->lambda[constraint->first_row + i];
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

// Before a Jacobi sweep: what it reads.
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

// One colour's share of a thread; all threads must come by.
static double visit_colour(SorSystem *system, int k, bool is_forward) {
    const SorColour *colour = &system->colours[k];
    SorEight largest = {0};
    double most = 0;
    if (k < SOR_COLOURS) {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < colour->round_count; i++) {
            double *group = colour->round + (ptrdiff_t)i * SOR_ROUND_ROWS * SOR_LANES;
            int ahead = i + AHEAD < colour->round_count ? AHEAD : 0;
            cairn_sor_visit_round(system, group, group + (ptrdiff_t)ahead * SOR_ROUND_ROWS * SOR_LANES, &largest);
        }
#pragma omp for schedule(static) nowait
        for (int i = 0; i < colour->general_count; i++) {
            double *group = colour->general + (ptrdiff_t)i * SOR_GENERAL_ROWS * SOR_LANES;
            int ahead = i + AHEAD < colour->general_count ? AHEAD : 0;
            cairn_sor_visit_general(system, group, group + (ptrdiff_t)ahead * SOR_GENERAL_ROWS * SOR_LANES, &largest);
        }
#pragma omp for schedule(static)
        for (int i = 0; i < colour->item_count; i++) {
            most = fmax(most, cairn_sor_visit_items(system, colour->first_item + i, 1, true));
        }
    } else {
        double last = 0;
#pragma omp single copyprivate(last)
        last = cairn_sor_visit_items(system, colour->first_item, colour->item_count, is_forward);
        most = last;
    }
    for (int i = 0; i < SOR_LANES; i++) {
        most = fmax(most, largest[i]);
    }
    return most;
}

double cairn_sor_sweep(SorSystem *system, bool is_forward) {
    int count = system->colour_count;
    system->threads = system->group_count + system->item_count > WORTH_THREADS * count ? system->settings.threads : 1;
    double most = 0;
    freeze(system);
    if (system->problem->form == CAIRN_FORM_EXPLICIT) { // a row's W reads all impulses
        return cairn_sor_visit_items(system, 0, system->item_count, is_forward);
    }
#pragma omp parallel num_threads(system->threads) if (system->threads > 1) reduction(max : most)
    for (int k = 0; k < count; k++) {
        most = fmax(most, visit_colour(system, is_forward ? k : count - 1 - k, is_forward));
    }
    return most;
}

void cairn_sor_unpack(SorSystem *system) {
    for (int k = 0; k < system->colour_count && system->problem->form == CAIRN_FORM_DYNAMICS; k++) {
        const SorColour *colour = &system->colours[k];
        for (int i = 0; i < colour->round_count + colour->general_count; i++) {
            const double *group = i < colour->round_count ? colour->round + (ptrdiff_t)i * SOR_ROUND_ROWS * SOR_LANES
                                                          : colour->general + (ptrdiff_t)(i - colour->round_count) *
                                                                                  SOR_GENERAL_ROWS * SOR_LANES;
            for (int lane = 0; lane < SOR_LANES; lane++) {
                int c = system->lanes[(colour->first_group + i) * SOR_LANES + lane];
                for (int j = 0; j < 3 && c >= 0; j++) {
                    system->lambda[system->problem->constraints[c].first_row + j] =
                        group[SOR_LANES * (SOR_LAMBDA + j) + lane];
                }
            }
        }
    }
}
