// Camera of the viewer: it turns about a target, z is up.
#ifndef CAIRN_VIEWER_CAMERA_H
#define CAIRN_VIEWER_CAMERA_H

#include <cairn/scene.h>

typedef struct CairnOrbit {
    CairnVec3 target;
    double yaw, pitch; // radians; where the eye stands as seen from the target
    double distance, fov;
    double least, most; // distances
} CairnOrbit;

CairnOrbit cairn_orbit(const CairnCamera *camera);
CairnCamera cairn_orbit_camera(const CairnOrbit *orbit);
void cairn_orbit_turn(CairnOrbit *orbit, double yaw, double pitch);
// Move the target by fractions of the height of the view, so that the scene follows the mouse.
void cairn_orbit_pan(CairnOrbit *orbit, double right, double up);
void cairn_orbit_zoom(CairnOrbit *orbit, double steps);
// Fly: move eye and target by fractions of the distance, level with the ground but for `up`.
void cairn_orbit_fly(CairnOrbit *orbit, double right, double forward, double up);
// Look at a ball of this radius.
void cairn_orbit_frame(CairnOrbit *orbit, CairnVec3 center, double radius);

#endif
