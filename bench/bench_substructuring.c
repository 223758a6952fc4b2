// Substructured solvers beside whole-system ones: S0's tables 2, 3 and 4 and S3's table 1 with what they print beside
// our own, strong scaling, and the size where the order turns. The baseline is the paper's Eigen-BPP: bpp-cholmod
// simplicial, faithful: constraint space, cold, analysed and factored at each pivot, one thread. `ratio`: its mean time
// over another's. CAIRN_BENCH_SCENES=log_tower,bridge asks for the first two tables of these scenes alone,
// CAIRN_BENCH_CONTENDERS=5 for the first five lines.
#include "bench/bench.h"
#include "bench/scene_runs.h"
#include "bench/substructuring_match.h"
#include "bench/substructuring_more.h"

#include <math.h>
#include <string.h>

enum { FRAMES = 8 };

// Of the paper: ms, and table 3's k and fraction of frames at k_max (%), table 2's condition. 0: not printed.
typedef struct Paper {
    const char *scene;
    double eigen, pgs, bpp, sm, fbic, k, limit, condition;
} Paper;

static const Paper papers[] = {
    {"log_tower", 202.6, 302.4, 59.7, 51.4, 111.6, 5.8, 39.2, 2.2e6},
    {"cable_spinner", 141.3, 229.1, 8.7, 8.8, 93.2, 2.1, 0, 3.9e7},
    {"chain_wrap", 54.6, 198.5, 11.6, 12.3, 132, 4.4, 1.9, 5.6e4},
    {"chain_drop", 46.9, 150.5, 9.1, 8.7, 20.5, 3.2, 2.1, 2.7e4},
    {"rock_pile", 311.7, 284.4, 101.5, 98.6, 373.9, 6.3, 10.2, 1.5e4},
    {"net_truck", 252.3, 802.4, 11.9, 12.7, 632.0, 2.6, 0, 2.5e12},
    {"tandem_cranes", 180.6, 222.9, 12.9, 13.0, 134.3, 2.4, 0.2, 4.8e10},
    {"bridge", 0, 0, 0, 0, 0, 0, 0, 0},
};

#define COLUMN(member) .column = offsetof(Paper, member)
#define OF_PAPER "faithful=true,warm=false"

// clang-format off
#define CONTENDER(label_, solver_, options_, threads_, size_) \
    .label = label_, .solver = solver_, .options = options_, .threads = threads_, .part_size = size_
// clang-format on

static const MatchContender contenders[] = {
    {CONTENDER("bpp-cholmod faithful", "bpp-cholmod", "method=simplicial,faithful=true", 1, 16), .starts_empty = true,
     COLUMN(eigen)},
    {CONTENDER("bpp", "bpp", "", 1, 16)},
    {CONTENDER("bpp, 2 threads", "bpp", "", 2, 16)},
    {CONTENDER("schur-bpp", "schur-bpp", "", 1, 16)},
    {CONTENDER("schur-bpp, 2 threads", "schur-bpp", "", 2, 16)},
    {CONTENDER("schur-bpp, semantic parts", "schur-bpp", "", 1, 16), .partitioner = "semantic"},
    {CONTENDER("schur-bpp, parts of 64, 2 levels", "schur-bpp", "levels=2", 1, 64)},
    {CONTENDER("schur-bpp faithful", "schur-bpp", OF_PAPER, 1, 16), .partitioner = "semantic", COLUMN(bpp)},
    {CONTENDER("schur-bpp faithful, warm", "schur-bpp", "faithful=true", 1, 16), .partitioner = "semantic"},
    {CONTENDER("schur-bpp faithful, 2 threads", "schur-bpp", OF_PAPER, 2, 16), .partitioner = "semantic", COLUMN(bpp)},
    {CONTENDER("schur-pgs-sm", "schur-pgs-sm", "", 1, 16)},
    {CONTENDER("schur-pgs-sm faithful", "schur-pgs-sm", OF_PAPER, 1, 16), .partitioner = "semantic", COLUMN(sm)},
    {CONTENDER("fbic faithful", "fbic", "faithful=true", 1, 16), .partitioner = "semantic", COLUMN(fbic)},
    {CONTENDER("pgs", "pgs", "iterations=1000,tolerance=1e-9", 1, 16), COLUMN(pgs)},
};

// Table 4: log tower and rock pile.
static const MatchContender sizes[] = {
    {CONTENDER("8", "schur-bpp", "", 1, 8)},         {CONTENDER("16", "schur-bpp", "", 1, 16)},
    {CONTENDER("32", "schur-bpp", "", 1, 32)},       {CONTENDER("64", "schur-bpp", "", 1, 64)},
    {CONTENDER("8", "schur-bpp", OF_PAPER, 1, 8)},   {CONTENDER("16", "schur-bpp", OF_PAPER, 1, 16)},
    {CONTENDER("32", "schur-bpp", OF_PAPER, 1, 32)}, {CONTENDER("64", "schur-bpp", OF_PAPER, 1, 64)},
};
static const double published_sizes[2][4] = {{53.4, 51.4, 63.3, 88.8}, {169.1, 98.6, 129.7, 142.7}};

enum { CONTENDERS = sizeof contenders / sizeof contenders[0], SIZES = sizeof sizes / sizeof sizes[0] };

// ---- tables 2 and 3 ------------------------------------------------------------------------------------------------------

static void print_number(FILE *file, double x, const char *format) {
    if (x > 0) {
        fprintf(file, format, x);
    } else {
        fprintf(file, "%9s", "-");
    }
}

static void print_line(FILE *file, const Paper *paper, const MatchContender *contender, const MatchSums *s,
                       const MatchSums *base) {
    double frames = fmax(1, s->frames), time = match_time(s), theirs = 0;
    if (contender->column > 0) {
        memcpy(&theirs, (const char *)paper + contender->column, sizeof theirs);
    }
    if (!s->is_there) {
        return;
    }
    if (s->is_crowded) {
        fprintf(file, "  %-33s %9s  others have the cores: threads wait for each other\n", contender->label, "-");
        return;
    }
    fprintf(file, "  %-33s %9.3f", contender->label, time);
    print_number(file, match_time(base) / time, " %8.2f");
    fprintf(file, " %7.2f %7.1f %9.1f %9.1f |", s->coupling / frames, 100 * s->limits / frames,
            100 * s->fallbacks / frames, 100 * s->certified / frames);
    print_number(file, theirs, "%9.1f");
    print_number(file, theirs > 0 ? paper->eigen / theirs : 0, "%9.1f");
    fprintf(file, "\n");
}

static void print_scene(FILE *file, FILE *json, const Paper *paper, const MatchResult *result, int count,
                        bool is_first) {
    const MatchSums *usual = &result->sums[count > 3 ? 3 : 0];
    double frames = fmax(1, usual->frames);
    fprintf(file, "\n%s: %d frames, up to %d rows, %.0f of them between %.0f parts\n", paper->scene, usual->frames,
            result->rows, usual->cut / frames, usual->parts / frames);
    fprintf(file, "  cond(S): %.1e", result->condition);
    if (paper->condition > 0) {
        fprintf(file, "; S0 table 2: %.1e; table 3: k %.1f, %.1f %% at k_max", paper->condition, paper->k,
                paper->limit);
    }
    fprintf(file, "\n  %-33s %9s %8s %7s %7s %9s %9s |%9s%9s\n", "", "mean, ms", "ratio", "k", "k_max %", "handed %",
            "certif. %", "S0, ms", "ratio");
    fprintf(json, "%s    { \"scene\": \"%s\", \"condition\": %.6g, \"solvers\": [", is_first ? "" : ",\n", paper->scene,
            result->condition);
    for (int i = 0; i < count; i++) {
        const MatchSums *s = &result->sums[i];
        double solved_frames = fmax(1, s->frames);
        print_line(file, paper, &contenders[i], s, &result->sums[0]);
        fprintf(
            json,
            "%s\n      { \"name\": \"%s\", \"ms\": %.6g, \"coupling\": %.6g, \"limit\": %.6g, \"certified\": %.6g }",
            i > 0 ? "," : "", contenders[i].label, match_time(s), s->coupling / solved_frames,
            s->limits / solved_frames, s->certified / solved_frames);
    }
    fprintf(json, " ] }");
    fflush(file);
}

// ---- table 4 -------------------------------------------------------------------------------------------------------------

static bool print_sizes(FILE *file) {
    static const char *const names[] = {"log_tower", "rock_pile"};
    fprintf(file, "\nS0 table 4: bodies in a part; schur-bpp, ms and parts\n  %-12s %6s %10s %10s %7s %9s\n", "",
            "bodies", "default", "faithful", "parts", "S0, ms");
    for (int i = 0; i < 2; i++) {
        MatchResult result;
        MatchScene scene = {.name = names[i], .frames = FRAMES};
        if (!match_play(&scene, sizes, SIZES, &result)) {
            return false;
        }
        for (int k = 0; k < SIZES / 2; k++) {
            const MatchSums *sums = &result.sums[k];
            fprintf(file, "  %-12s %6s %10.2f %10.2f %7.1f %9.1f\n", k == 0 ? names[i] : "", sizes[k].label,
                    match_time(sums), match_time(&result.sums[k + SIZES / 2]), sums->parts / fmax(1, sums->frames),
                    published_sizes[i][k]);
        }
    }
    fflush(file);
    return true;
}

static bool report(FILE *file, FILE *json) {
    bool is_done = true, is_whole = true;
    int count = (int)fmin(bench_setting("CAIRN_BENCH_CONTENDERS", CONTENDERS), CONTENDERS), played = 0;
    fprintf(file, "Least of three solves a frame; one thread: the processor's time, two: the clock's.\n");
    fprintf(json, "  { \"name\": \"substructuring\", \"scenes\": [\n");
    for (size_t i = 0; i < sizeof papers / sizeof papers[0] && is_done; i++) {
        MatchResult result;
        MatchScene scene = {.name = papers[i].scene, .frames = FRAMES, .wants_condition = true};
        if (!bench_wants("CAIRN_BENCH_SCENES", scene.name)) {
            is_whole = false;
            continue;
        }
        is_done = match_play(&scene, contenders, count, &result);
        if (is_done) {
            print_scene(file, json, &papers[i], &result, count, played++ == 0);
        }
    }
    fprintf(json, " ] }");
    return is_done &&
           (!is_whole || (print_sizes(file) && substructuring_partitions(file) && substructuring_scaling(file)));
}

const BenchSuite bench_substructuring = {
    .name = "substructuring",
    .summary = "substructured solvers beside whole-system ones: S0's tables 2, 3 and 4, S3's table 1, scaling",
    .report = report,
};
