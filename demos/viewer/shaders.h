// Shaders: GLSL 3.30 texts. Colours, light and patterns are those of the pictures (render_shade.c).
#ifndef CAIRN_VIEWER_SHADERS_H
#define CAIRN_VIEWER_SHADERS_H

// Stand before the fragments of solids and ground; with discs: each fragment has the depth of its ball.
extern const char *const cairn_shader_light, *const cairn_shader_light_discs;
extern const char *const cairn_shader_solid_vertex, *const cairn_shader_solid_fragment;
extern const char *const cairn_shader_shadow_vertex, *const cairn_shader_shadow_fragment;
extern const char *const cairn_shader_backdrop_vertex, *const cairn_shader_backdrop_fragment;
extern const char *const cairn_shader_ground_vertex, *const cairn_shader_ground_fragment;
extern const char *const cairn_shader_overlay_vertex, *const cairn_shader_overlay_fragment;

#endif
