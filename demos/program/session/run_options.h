// The options of `cairn run` and similar commands as text: checked one by one while they are read, and against the
// scene when the session opens.
#ifndef CAIRN_PROGRAM_RUN_OPTIONS_H
#define CAIRN_PROGRAM_RUN_OPTIONS_H

#include "demos/program/session/options.h"
#include <cairn/hooks.h>
#include <cairn/problem.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    CAIRN_RUN_LIST = 64,
    CAIRN_RUN_PATH = 1024,
    CAIRN_RUN_STEPS_MAX = 10000000,
    CAIRN_RUN_COMMON = 20,
    CAIRN_RUN_ALL = 26,
    CAIRN_MOST_THREADS = 256 // that a world takes
};

// Pixels of a picture: by default, and at most.
enum { CAIRN_PICTURE_WIDTH = 960, CAIRN_PICTURE_HEIGHT = 600, CAIRN_PICTURE_MAX = 3840 };

typedef struct CairnTextList {
    const char *items[CAIRN_RUN_LIST];
    int count;
} CairnTextList;

typedef struct CairnShot {
    char path[CAIRN_RUN_PATH];
    int frame; // 0: before the first step
} CairnShot;

// How much of each step a session audits.
typedef enum CairnAuditing {
    CAIRN_AUDITING_FRAME = 0, // momentum, energy and joints every step; overlaps and what was passed now and then
    CAIRN_AUDITING_FULL,      // all of it every step
    CAIRN_AUDITING_OFF,
    CAIRN_AUDITING_COUNT
} CairnAuditing;

typedef struct CairnRunOptions {
    const char *scene, *solver, *partition, *refine; // NULL: not given
    const char *part_size;                           // an option of whatever partitioner and refiner there are
    const char *iterations, *tolerance, *budget;     // options of whatever solver there is
    const char *json, *csv, *record, *video;
    int steps;   // 0: the scene's
    double dt;   // 0: the scene's
    int threads; // 0: the world's
    uint64_t seed;
    bool has_friction;
    CairnFrictionKind friction;
    CairnTextList params, settings;
    CairnShot shots[CAIRN_RUN_LIST];
    int shot_count;
    int width, height; // of the pictures
    CairnAuditing auditing;
    bool needs_certified, needs_sound, is_quiet, wants_help;
    const CairnAllocator *allocator; // of the world; NULL: the C library's
    bool needs_parts;                // some solver needs parts, even where the session's does not
} CairnRunOptions;

CairnStatus cairn_run_options_parse(int argc, char **argv, CairnRunOptions *options);
void cairn_run_options_help(void);

// For other commands that run scenes: their options begin with a CairnRunOptions. Fills `table` with the command's
// options and then the common ones: all of run's options but --solver, --csv and the pictures (CAIRN_RUN_COMMON at
// most). Returns the count.
int cairn_run_options_join(const CairnOption *command_options, int count, CairnOption *table);
// Fills `table` with the command's options and then all of run's (CAIRN_RUN_ALL at most).
int cairn_run_options_join_all(const CairnOption *command_options, int count, CairnOption *table);
CairnRunOptions cairn_run_options(void); // the defaults
// Parses a command's options by the joined tables into `size` allocated bytes (too many for a small stack) that begin
// with a CairnRunOptions. The caller frees them, also after an error; they are NULL where there is no memory.
CairnStatus cairn_run_options_read(const CairnOption *command_options, int command_count, size_t size, int argc,
                                   char **argv, void **options);
CairnStatus cairn_run_options_take_scene(void *target, const char *word);
CairnStatus cairn_run_options_need_scene(const CairnRunOptions *options);
// Reports a picture that cannot be written before the run, not after it.
CairnStatus cairn_run_options_check_shots(const CairnRunOptions *options);

CairnStatus cairn_friction_parse(const char *text, CairnFrictionKind *kind);
const char *cairn_friction_name(CairnFrictionKind kind);

#endif
