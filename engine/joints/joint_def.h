// The definition of a joint, from the inside.
#ifndef CAIRN_JOINTS_JOINT_DEF_H
#define CAIRN_JOINTS_JOINT_DEF_H

#include <cairn/joints.h>

enum { CAIRN_JOINT_COOKIE = 0x6a6f696e }; // "join": a definition that did not start from cairn_joint_def() lacks it

// "X" ... "RZ"
const char *cairn_axis_name(int axis);

#endif
