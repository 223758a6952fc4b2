// Choice: a solver with its options, as a word of the command line gives it: "NAME" or "NAME:k=v,k=v", where NAME is a
// built-in solver's or a file of the user's own ("./my_solver.so", "my_solver.c"). Partitioners and refiners are chosen
// in the same syntax.
#ifndef CAIRN_PROGRAM_CHOICE_H
#define CAIRN_PROGRAM_CHOICE_H

#include <cairn/partitioner.h>
#include <cairn/solver.h>
#include <stdbool.h>

enum { CAIRN_CHOICE_TEXT = 256, CAIRN_CHOICE_MOST = 32, CAIRN_NAME_SIZE = 64 };

typedef struct CairnChoice {
    const CairnSolver *solver;
    void *options;                // NULL: none
    char text[CAIRN_CHOICE_TEXT]; // as it was given
} CairnChoice;

// `option` is where the text stands ("--solver"): it opens every refusal.
CairnStatus cairn_choice_open(const char *text, const char *option, CairnChoice *choice);
CairnStatus cairn_choice_copy(const CairnChoice *from, CairnChoice *choice);
void cairn_choice_close(CairnChoice *choice);

bool cairn_choice_has(const CairnChoice *choice, const char *field);
// Set one option; a NULL value leaves it. A solver that has no such option refuses.
CairnStatus cairn_choice_set(CairnChoice *choice, const char *field, const char *value, const char *option);

// A partitioner or refiner with its options (NULL: none), which the caller frees, also after an error.
CairnStatus cairn_partitioner_open(const char *text, const char *option, const CairnPartitioner **partitioner,
                                   void **options);
CairnStatus cairn_refiner_open(const char *text, const char *option, const CairnRefiner **refiner, void **options);

// Several choices in one word, "A,B:k=v,k=v,C": a piece with '=' and no ':' before it goes on with the options of the
// one before.
typedef struct CairnChoiceList {
    char items[CAIRN_CHOICE_MOST][CAIRN_CHOICE_TEXT];
    int count;
} CairnChoiceList;

CairnStatus cairn_choices_split(const char *text, CairnChoiceList *list);
// The inverse: "name", or "name:k=v,k=v" with the options that are not their defaults.
CairnStatus cairn_name_join(const char *name, const CairnFieldTable *table, const void *options, char *text,
                            size_t size);
// An object of a field table with its defaults, then "a=1,b=2" where `text` is given. The caller frees it, also after
// an error.
CairnStatus cairn_options_make(const CairnFieldTable *table, const char *text, const char *option, void **object);

#endif
