// Shaders: GLSL 3.30 texts. Colours, light and patterns are those of the pictures (render_shade.c).
#ifndef CAIRN_VIEWER_SHADERS_H
#define CAIRN_VIEWER_SHADERS_H

// Stand before the fragments of backdrop, solids and ground; of solids with stripes; of discs; of those where each
// fragment has its ball's depth.
extern const char *const cairn_shader_light, *const cairn_shader_light_stripes;
// The shader of solids with hard shadows, for drawing on a processor; its discs have them, too.
extern const char *const cairn_shader_light_plain, *const cairn_shader_light_plain_stripes;
extern const char *const cairn_shader_light_discs, *const cairn_shader_light_deep_discs;
extern const char *const cairn_shader_solid_vertex, *const cairn_shader_solid_fragment;
// Small balls where a processor draws: a corner each, met by the ray through each pixel; the sky over them is looked
// for once a ball.
extern const char *const cairn_shader_points_vertex, *const cairn_shader_points_fragment;
extern const char *const cairn_shader_shadow_points_vertex, *const cairn_shader_shadow_points_fragment;
extern const char *const cairn_shader_shadow_vertex, *const cairn_shader_shadow_fragment;
extern const char *const cairn_shader_shadow_discs_fragment;
extern const char *const cairn_shader_backdrop_vertex, *const cairn_shader_backdrop_fragment;
extern const char *const cairn_shader_ground_vertex, *const cairn_shader_ground_fragment;
extern const char *const cairn_shader_overlay_vertex, *const cairn_shader_overlay_fragment;

#endif
