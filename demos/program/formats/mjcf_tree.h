// Kinematic tree: a world's bodies as MuJoCo orders them, each below the body that a joint hangs it on. Joints that
// close a loop stay beside the tree, and so do those below which it would be deeper than MuJoCo's reader allows.
#ifndef CAIRN_PROGRAM_MJCF_TREE_H
#define CAIRN_PROGRAM_MJCF_TREE_H

#include <cairn/world.h>

enum { CAIRN_MJCF_AXES = 6 };

// One coordinate of a joint as a joint of its own, in the frame of the body that it hangs.
typedef struct CairnMjcfAxis {
    bool is_slide;
    int axis;            // CAIRN_X ...
    CairnVec3 direction; // world; turning or moving the child about or along it raises the coordinate
    double position, velocity;
} CairnMjcfAxis;

typedef struct CairnMjcfBody {
    CairnBodyId id;
    CairnBodyState state;
    int parent, depth; // index in `bodies`; -1: the world
    int joint;         // index in `joints` of the joint to its parent; -1: it is free, or static
    bool is_inverted;  // it is the joint's body A
    CairnVec3 anchor;  // of the joint, world
    bool is_ball;      // one joint with three turns
    CairnMjcfAxis axes[CAIRN_MJCF_AXES];
    int axis_count;
} CairnMjcfBody;

typedef struct CairnMjcfJoint {
    CairnJointId id;
    CairnJointDef def;
    CairnJointState state;
    int bodies[2]; // -1: the world
    bool is_in_tree;
} CairnMjcfJoint;

typedef struct CairnMjcfTree {
    CairnMjcfBody *bodies; // parents before children
    CairnMjcfJoint *joints;
    int body_count, joint_count;
} CairnMjcfTree;

CairnStatus cairn_mjcf_tree(const CairnWorld *world, CairnMjcfTree *tree);
void cairn_mjcf_tree_free(CairnMjcfTree *tree);
// The frame of a side of a joint, in the world.
CairnTransform cairn_mjcf_frame(const CairnMjcfTree *tree, const CairnMjcfJoint *joint, int side);
// Whether a coordinate moves at all, by the joint's type and the mode of the axis.
bool cairn_mjcf_moves(const CairnJointDef *def, int axis);

#endif
