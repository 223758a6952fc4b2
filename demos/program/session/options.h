// Options: a table of "--name value" and "--name" that a command takes.
#ifndef CAIRN_PROGRAM_OPTIONS_H
#define CAIRN_PROGRAM_OPTIONS_H

#include <cairn/status.h>
#include <stdint.h>

typedef struct CairnOption {
    const char *name;  // with its dashes: "--steps"
    const char *value; // what the value is called in the help; NULL: a switch
    const char *help;
    // Take the value (NULL for a switch); an error's message describes the value, and the parser adds the option's
    // name.
    CairnStatus (*take)(void *target, const char *value);
} CairnOption;

// Go through argv[1 ...]: options of the table ("--name=value" works too), everything else goes to `positional`. After
// "--" nothing is an option.
CairnStatus cairn_options_parse(const CairnOption *options, int count, int argc, char **argv, void *target,
                                CairnStatus (*positional)(void *target, const char *word));

void cairn_options_help(const CairnOption *options, int count);

// A word that is not empty.
CairnStatus cairn_parse_text(const char *text, const char **value);
// Strict numbers: the whole text, inside the range, finite.
CairnStatus cairn_parse_int(const char *text, int low, int high, int *value);
CairnStatus cairn_parse_double(const char *text, double low, double high,
                               double *value);                  // low < value <= high; "1/240" too
CairnStatus cairn_parse_u64(const char *text, uint64_t *value); // decimal or 0x...

#endif
