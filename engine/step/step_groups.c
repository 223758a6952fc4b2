// Groups: which blocks are tied together, found once for each problem and read by all stages that ask: the arcs
// (step_arcs.c), compliances (step_compliance.c), momentum (step_momentum.c), energy (step_calm.c), and the limit of
// advances (step_advance.c). The solvers and the referee find the components of a problem by themselves, since they
// take problems from anywhere.
#include "engine/step/step.h"
#include <string.h>

int cairn_step_root(int *parent, int i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// The lower index becomes the root, so that the roots do not depend on the order of the unions.
void cairn_step_unite(int *parent, int a, int b) {
    a = cairn_step_root(parent, a);
    b = cairn_step_root(parent, b);
    parent[a > b ? a : b] = a < b ? a : b;
}

void cairn_step_name_roots(int *parent, int count) {
    for (int b = 0; b < count; b++) {
        parent[b] = parent[parent[b]];
    }
}

int cairn_step_unite_joint(const CairnStep *step, const CairnStepJoint *sj, int *parent) {
    int first = -1;
    for (int k = 0; k < sj->body_count; k++) {
        int block = cairn_step_block(step, sj->bodies[k]);
        if (block >= 0 && first >= 0) {
            cairn_step_unite(parent, first, block);
        }
        first = first < 0 ? block : first;
    }
    return first;
}

void cairn_step_find_groups(CairnStep *step, const CairnStepContacts *contacts, const CairnStepJoints *joints,
                            CairnStepGroups *groups) {
    int count = step->block_count;
    int *joined = CAIRN_STEP_PUSH(step, int, count), *touching = CAIRN_STEP_PUSH(step, int, count);
    if (cairn_step_failed(step)) {
        return;
    }
    for (int b = 0; b < count; b++) {
        joined[b] = b;
    }
    for (int j = 0; j < joints->count; j++) {
        cairn_step_unite_joint(step, &joints->all[j], joined);
    }
    cairn_step_name_roots(joined, count);
    memcpy(touching, joined, (size_t)count * sizeof *touching);
    int last_a = -1, last_b = -1; // points of one manifold follow each other
    for (int i = 0; i < contacts->count; i++) {
        int a = step->block_of[contacts->all[i].body_a], b = step->block_of[contacts->all[i].body_b];
        if (a >= 0 && b >= 0 && !(a == last_a && b == last_b)) {
            cairn_step_unite(touching, a, b);
        }
        last_a = a;
        last_b = b;
    }
    cairn_step_name_roots(touching, count);
    *groups = (CairnStepGroups){joined, touching};
}
