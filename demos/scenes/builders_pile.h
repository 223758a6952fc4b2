// Builders of rocks: boxes, balls, cylinders and convex hulls of random points, one by one or heaped up. A scene of
// your own may call them too.
#ifndef CAIRN_SCENE_BUILDERS_PILE_H
#define CAIRN_SCENE_BUILDERS_PILE_H

#include <cairn/scene.h>

typedef enum CairnRockKind {
    CAIRN_ROCK_HULL = 0,
    CAIRN_ROCK_BOX,
    CAIRN_ROCK_BALL,
    CAIRN_ROCK_CYLINDER,
    CAIRN_ROCK_KINDS
} CairnRockKind;

enum { CAIRN_ROCK_POINTS = 14 };

// One rock: a shape about the origin of its body's frame, and how far it reaches from there.
typedef struct CairnRock {
    CairnShapeDef shape;
    CairnVec3 points[CAIRN_ROCK_POINTS]; // of a hull; shape.points refers to them, so a copied rock needs it set anew
    double reach;
} CairnRock;

// A rock of this kind, mass and density; its proportions are drawn from `seed`.
CairnStatus cairn_build_rock(CairnRockKind kind, double mass, double density, uint64_t *seed, CairnRock *rock);

typedef struct CairnPile {
    int count;
    const double *masses; // where given, each rock has one of these `mass_count` masses; else one between the two below
    int mass_count;
    double least_mass, most_mass;
    double density;                    // kg/m3
    double friction, rolling_friction; // the latter (a lever arm in m, of drilling too) of balls and cylinders
    CairnVec3 foot;                    // the middle of the heap, on the ground
    double slope;                      // rise over run of the heap's side
} CairnPile;

// 180 rocks of 80 to 250 kg, of granite.
CairnPile cairn_pile(void);

// No rock's centre lies farther than this from the foot, as they are laid.
double cairn_pile_radius(const CairnPile *pile);

// Heap up the rocks: each is laid, at rest and turned at random, where it comes to lie lowest, so that balls about all
// of them just do not overlap. Rock i is of kind i % CAIRN_ROCK_KINDS. ids[count] may be NULL.
CairnStatus cairn_build_pile(CairnWorld *world, const CairnPile *pile, uint64_t seed, CairnBodyId *ids);

#endif
