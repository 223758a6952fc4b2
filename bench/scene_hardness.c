// cond(A) by its two ends: A times a vector, and its factor, by turns (power iteration).
#include "bench/scene_hardness.h"
#include "bench/scene_runs.h"

#include "engine/base/arena.h"
#include "engine/base/memory.h"
#include "solvers/schur/schur.h"
#include "solvers/system/system.h"
#include <cairn/solve.h>
#include <math.h>
#include <string.h>

enum { SAMPLES = 60, CONDITIONS = 5, OPTION_BYTES = 256 };

typedef struct Site {
    const char *partition;
    int stride, condition_stride;
    CairnAllocator allocator;
    CairnArena arena;
    BenchHardness *hard;
} Site;

static double length_of(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

// From below; ends once it stands to four digits.
static double largest(CairnSystem *system, const double *zero, double *x, double *y, bool is_inverse) {
    enum { MOST = 3000, CALM = 10 };
    int n = system->problem->row_count;
    double last = 0;
    for (int i = 0; i < n; i++) {
        x[i] = zero[i] + 1 + 0.5 * sin(1.7 * i + 0.3);
    }
    for (int k = 0, calm = 0; k < MOST && calm < CALM; k++) {
        double size = length_of(x, n);
        for (int i = 0; i < n; i++) {
            x[i] /= size;
        }
        if (is_inverse) {
            cairn_system_solve(system, x, 1e-6, 3, y);
        } else {
            cairn_system_slack(system, x, y);
        }
        double next = length_of(y, n);
        calm = fabs(next - last) <= 1e-4 * next ? calm + 1 : 0;
        last = next;
        memcpy(x, y, (size_t)n * sizeof *x);
    }
    return last;
}

static double condition_of(const CairnProblem *given, CairnSolverContext *context) {
    CairnProblem problem = *given;
    size_t n = (size_t)problem.row_count + (size_t)problem.dof_count + 1;
    CairnArena *arena = context->arena;
    double *zero = CAIRN_PUSH_ZERO(arena, double, n), *x = CAIRN_PUSH(arena, double, n);
    double *y = CAIRN_PUSH(arena, double, n);
    CairnSystem system;
    double condition = 0;
    if (zero == NULL || x == NULL || y == NULL) {
        return 0;
    }
    problem.p = problem.right_side = zero; // so that b = 0
    if (!cairn_is_ok(cairn_system_init(&system, &problem, &(CairnSystemSetup){0}, context))) {
        return 0;
    }
    if (cairn_is_ok(cairn_system_factor(&system, zero, NULL))) {
        condition = largest(&system, zero, x, y, false) * largest(&system, zero, x, y, true);
    }
    cairn_system_release(&system);
    return condition;
}

static CairnStatus partition_problem(Site *site, const CairnProblem *problem, CairnParts *parts) {
    CairnPartition partition = {.partitioner = NULL};
    int *label = CAIRN_PUSH(&site->arena, int, problem->block_count + 1);
    if (label == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "bench: no memory for parts");
    }
    for (int i = 0; i < problem->block_count; i++) {
        label[i] = -1;
    }
    CAIRN_TRY(cairn_partitioner_find(site->partition, &partition.partitioner));
    *parts = (CairnParts){0, label};
    return cairn_problem_part(problem, &partition, &site->allocator, label, &parts->count, NULL);
}

static CairnStatus try_faithful(Site *site, const CairnProblem *problem, const CairnParts *parts) {
    const CairnSolver *solver = &cairn_solver_schur_bpp;
    double options[OPTION_BYTES / sizeof(double)];
    CairnSolveRequest request = {.solver = solver, .options = options, .parts = parts, .arena = &site->arena};
    CairnSolveResult result;
    double *lambda = CAIRN_PUSH_ZERO(&site->arena, double, problem->row_count + 1);
    if (lambda == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "bench: no memory for impulses");
    }
    cairn_fields_preset(solver->options, options);
    CAIRN_TRY(cairn_fields_parse(solver->options, options, "faithful=true,warm=false"));
    CAIRN_TRY(cairn_problem_solve(problem, &request, lambda, &result));
    site->hard->frames++;
    site->hard->coupling += result.report.coupling;
    site->hard->limits += result.report.outcome == CAIRN_OUTCOME_AT_LIMIT;
    site->hard->parts += parts->count;
    return cairn_ok();
}

static CairnStatus measure(Site *site, const CairnWorld *world, bool has_condition) {
    CairnProblem problem;
    const double *lambda;
    CairnParts parts;
    CAIRN_TRY(cairn_world_problem(world, &problem, &lambda));
    if (problem.row_count == 0) {
        return cairn_ok();
    }
    CairnSolverContext context = {.allocator = &site->allocator, .thread_count = 1, .arena = &site->arena};
    CAIRN_TRY(partition_problem(site, &problem, &parts));
    CAIRN_TRY(try_faithful(site, &problem, &parts));
    if (has_condition) {
        double cut = 0, whole = condition_of(&problem, &context);
        (void)cairn_schur_condition(&problem, &parts, lambda, &context, &cut); // S may be singular: then there is none
        if (whole > 0 && cut > 0) {
            site->hard->whole += log(whole);
            site->hard->interface += log(cut);
            site->hard->steepest = fmax(site->hard->steepest, cut);
            site->hard->conditions++;
        }
    }
    return cairn_ok();
}

static CairnStatus look(void *user, const CairnWorld *world, const CairnStats *stats) {
    Site *site = user;
    if (stats->step_index % (uint64_t)site->stride != 0) {
        return cairn_ok();
    }
    CairnArenaMark mark = cairn_arena_mark(&site->arena);
    CairnStatus status = measure(site, world, stats->step_index % (uint64_t)site->condition_stride == 0);
    cairn_arena_release(&site->arena, mark);
    return status;
}

bool bench_measure_hardness(const CairnScene *scene, const char *partition, BenchHardness *hardness) {
    *hardness = (BenchHardness){0};
    int frames = (int)bench_setting("CAIRN_BENCH_FRAMES", scene->steps);
    frames = frames < scene->steps ? frames : scene->steps;
    int stride = frames / SAMPLES > 0 ? frames / SAMPLES : 1;
    Site site = {.partition = partition,
                 .stride = stride,
                 .condition_stride = stride * (SAMPLES / CONDITIONS),
                 .allocator = cairn_memory_default(),
                 .hard = hardness};
    cairn_arena_init(&site.arena, &site.allocator);
    BenchPlayed played;
    BenchPlay play = {.scene = scene, .threads = 1, .frames = frames, .look = look, .user = &site};
    bool is_done = cairn_is_ok(bench_play_scene(&play, &played));
    cairn_arena_free(&site.arena);
    double count = fmax(1, hardness->frames);
    hardness->coupling /= count;
    hardness->limits /= count;
    hardness->parts /= count;
    hardness->whole = hardness->conditions > 0 ? exp(hardness->whole / hardness->conditions) : 0;
    hardness->interface = hardness->conditions > 0 ? exp(hardness->interface / hardness->conditions) : 0;
    return is_done;
}
