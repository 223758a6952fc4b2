#include "demos/viewer/camera.h"

CairnOrbit cairn_orbit(const CairnCamera *camera) {
    CairnVec3 offset = cairn_sub(camera->eye, camera->target);
    double distance = cairn_length(offset);
    return (CairnOrbit){.target = camera->target,
                        .yaw = atan2(offset.y, offset.x),
                        .pitch = asin(cairn_clamp(offset.z / distance, -1, 1)),
                        .distance = distance,
                        .fov = camera->fov,
                        .least = 0.02 * distance,
                        .most = 20 * distance};
}

static CairnVec3 back_of(const CairnOrbit *orbit) {
    return cairn_vec3(cos(orbit->pitch) * cos(orbit->yaw), cos(orbit->pitch) * sin(orbit->yaw), sin(orbit->pitch));
}

CairnCamera cairn_orbit_camera(const CairnOrbit *orbit) {
    return (CairnCamera){cairn_add_scaled(orbit->target, orbit->distance, back_of(orbit)), orbit->target, orbit->fov};
}

void cairn_orbit_turn(CairnOrbit *orbit, double yaw, double pitch) {
    orbit->yaw = remainder(orbit->yaw + yaw, 2 * CAIRN_PI);
    orbit->pitch = cairn_clamp(orbit->pitch + pitch, -1.5, 1.55); // short of the poles, where up has no direction
}

void cairn_orbit_pan(CairnOrbit *orbit, double right, double up) {
    CairnVec3 back = back_of(orbit), side = cairn_normalize(cairn_cross(cairn_vec3(0, 0, 1), back));
    double height = 2 * orbit->distance * tan(0.5 * orbit->fov * CAIRN_PI / 180);
    orbit->target = cairn_add_scaled(orbit->target, -right * height, side);
    orbit->target = cairn_add_scaled(orbit->target, -up * height, cairn_cross(back, side));
}

void cairn_orbit_zoom(CairnOrbit *orbit, double steps) {
    orbit->distance = cairn_clamp(orbit->distance * pow(0.9, steps), orbit->least, orbit->most);
}

void cairn_orbit_fly(CairnOrbit *orbit, double right, double forward, double up) {
    CairnVec3 ahead = cairn_vec3(-cos(orbit->yaw), -sin(orbit->yaw), 0);
    CairnVec3 side = cairn_vec3(ahead.y, -ahead.x, 0);
    orbit->target = cairn_add_scaled(orbit->target, forward * orbit->distance, ahead);
    orbit->target = cairn_add_scaled(orbit->target, right * orbit->distance, side);
    orbit->target.z += up * orbit->distance;
}

void cairn_orbit_frame(CairnOrbit *orbit, CairnVec3 center, double radius) {
    orbit->target = center;
    orbit->distance = cairn_clamp(2.2 * radius / sin(0.5 * orbit->fov * CAIRN_PI / 180), orbit->least, orbit->most);
}
