#include "demos/viewer/shaders.h"

#define VERSION "#version 330 core\n"

// From a unit mesh to the world: scale, push a capsule's ends apart, turn, move.
#define INSTANCE                                                                                                       \
    "layout(location = 0) in vec3 a_position;\n"                                                                       \
    "layout(location = 1) in float a_end;\n"                                                                           \
    "layout(location = 2) in vec3 a_normal;\n"                                                                         \
    "layout(location = 3) in vec4 i_position;\n" /* where, and the kind of surface */                                  \
    "layout(location = 4) in vec4 i_turn;\n"                                                                           \
    "layout(location = 5) in vec4 i_scale;\n"                                                                          \
    "layout(location = 6) in vec4 i_color;\n"                                                                          \
    "vec3 turned(vec3 v) { return v + 2.0 * cross(i_turn.xyz, cross(i_turn.xyz, v) + i_turn.w * v); }\n"               \
    "uniform vec4 u_toward;\n"                                                                                         \
    "vec3 toward() { return normalize(u_toward.xyz - u_toward.w * i_position.xyz); }\n"                                \
    "vec3 placed() {\n"                                                                                                \
    "    if (i_position.w > 3.5) {\n"                                                                                  \
    "        vec3 n = toward(), r = normalize(cross(vec3(0, 0, 1), n));\n"                                             \
    "        return i_position.xyz + i_scale.x * (a_position.x * r + a_position.y * cross(n, r));\n"                   \
    "    }\n"                                                                                                          \
    "    return i_position.xyz + turned(a_position * i_scale.xyz + vec3(0, 0, a_end * i_scale.w));\n"                  \
    "}\n"

#define BACKDROP                                                                                                       \
    "uniform vec4 u_viewport;\n"                                                                                       \
    "uniform vec3 u_top, u_bottom;\n"                                                                                  \
    "vec3 backdrop() {\n"                                                                                              \
    "    float down = 1.0 - (gl_FragCoord.y - u_viewport.y) / u_viewport.w;\n"                                         \
    "    return mix(u_top, u_bottom, smoothstep(0.0, 0.75, down));\n"                                                  \
    "}\n"                                                                                                              \
    "vec3 encoded(vec3 c) {\n" /* the sRGB curve */                                                                    \
    "    c = clamp(c, 0.0, 1.0);\n"                                                                                    \
    "#ifdef PLAIN\n" /* to 2 of 255, by roots alone, which take a processor a third of the time */                     \
    "    vec3 r = sqrt(c);\n"                                                                                          \
    "    return 1.4213 * r - 0.1348 * sqrt(r) - 0.2952 * c;\n"                                                         \
    "#else\n"                                                                                                          \
    "    return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));\n"                        \
    "#endif\n"                                                                                                         \
    "}\n"

#define LIGHT                                                                                                             \
    "uniform sampler2DShadow u_shadow;\n"                                                                                 \
    "uniform mat4 u_light;\n"                                                                                             \
    "uniform vec3 u_sun, u_eye;\n"                                                                                        \
    "uniform float u_texel, u_spread, u_sky_lift;\n"                                                                      \
    "uniform sampler2DShadow u_above;\n"                                                                                  \
    "uniform mat4 u_sky;\n"                                                                                               \
    "float open_sky(vec3 p, vec3 n) {\n" /* fraction of the sky that is visible, by rays that lean out of the vertical */ \
    "    if (u_spread <= 0.0) { return 1.0; }\n"                                                                          \
    "    vec3 q = (u_sky * vec4(p + n * u_sky_lift, 1)).xyz * 0.5 + 0.5;\n"                                               \
    "    if (any(lessThan(q, vec3(0))) || any(greaterThan(q, vec3(1)))) { return 1.0; }\n"                                \
    "    float a = u_spread, b = 0.38 * u_spread, sum = 0.0;\n"                                                           \
    "    sum += texture(u_above, q + vec3(a, b, -0.35 * a)) + texture(u_above, q + vec3(-b, a, -0.35 * a));\n"            \
    "    sum += texture(u_above, q + vec3(-a, -b, -0.35 * a)) + texture(u_above, q + vec3(b, -a, -0.35 * a));\n"          \
    "    a *= 0.45; b *= -0.45;\n"                                                                                        \
    "    sum += texture(u_above, q + vec3(a, b, -0.35 * a)) + texture(u_above, q + vec3(-b, a, -0.35 * a));\n"            \
    "    sum += texture(u_above, q + vec3(-a, -b, -0.35 * a)) + texture(u_above, q + vec3(b, -a, -0.35 * a));\n"          \
    "    return 0.42 + 0.58 * sum / 8.0;\n"                                                                               \
    "}\n"                                                                                                                 \
    "float sunlit(vec3 p, vec3 n) {\n"                                                                                    \
    "    vec3 q = (u_light * vec4(p + n * u_texel * 1.5, 1)).xyz * 0.5 + 0.5;\n"                                          \
    "    if (any(lessThan(q, vec3(0))) || any(greaterThan(q, vec3(1)))) { return 1.0; }\n"                                \
    "    float s = 1.2 / float(textureSize(u_shadow, 0).x);\n"                                                            \
    "    q.z -= 0.0004;\n"                                                                                                \
    "#ifdef PLAIN\n"                                                                                                      \
    "    return texture(u_shadow, q);\n"                                                                                  \
    "#else\n"                                                                                                             \
    "    return 0.2 * (texture(u_shadow, q) + texture(u_shadow, q + vec3(s, 0.4 * s, 0)) +\n"                             \
    "        texture(u_shadow, q + vec3(-0.4 * s, s, 0)) + texture(u_shadow, q - vec3(s, 0.4 * s, 0)) +\n"                \
    "        texture(u_shadow, q + vec3(0.4 * s, -s, 0)));\n"                                                             \
    "#endif\n"                                                                                                            \
    "}\n"                                                                                                                 \
    "vec3 lit_under(float sky, vec3 color, vec3 n, vec3 p, float gloss) {\n"                                              \
    "    float facing = dot(n, u_sun), seen = facing > 0.0 ? sunlit(p, n) : 0.0;\n"                                       \
    "    float sun = 1.78 * seen * max(facing, 0.0);\n"                                                                   \
    "    vec3 ambient = 0.68 * sky * mix(vec3(0.40, 0.37, 0.34), vec3(0.62, 0.67, 0.74), 0.5 + 0.5 * "                    \
    "n.z);\n"                                                                                                             \
    "    float shine = max(dot(n, normalize(normalize(u_eye - p) + u_sun)), 0.0);\n"                                      \
    "    float highlight = facing > 0.0 && gloss > 0.0 ? gloss * seen * pow(shine, 48.0) : 0.0;\n"                        \
    "    return color * (ambient + sun * vec3(0.50, 0.485, 0.455)) + highlight;\n"                                        \
    "}\n"                                                                                                                 \
    "vec3 lit(vec3 color, vec3 n, vec3 p, float gloss) {\n"                                                               \
    "    return lit_under(open_sky(p, n), color, n, p, gloss);\n"                                                         \
    "}\n"

// A ball's colour where the direction `u` from its middle, turned back, comes out.
#define STRIPES                                                                                                        \
    "uniform vec3 u_cream;\n"                                                                                          \
    "vec3 striped(vec3 color, vec3 u) {\n"                                                                             \
    "    float turn = 3.0 * (atan(u.y, u.x) / 3.14159265 + 1.0);\n"                                                    \
    "    bool is_light = (int(floor(turn)) & 1) == 1;\n"                                                               \
    "    return abs(u.z) > 0.94 ? u_cream : is_light ? mix(color, u_cream, 0.8) : color;\n"                            \
    "}\n"

const char *const cairn_shader_solid_vertex = VERSION INSTANCE "uniform mat4 u_camera;\n"
                                                               "out vec3 v_point, v_normal, v_local, v_axis;\n"
                                                               "flat out vec4 v_turn;\n"
                                                               "flat out vec3 v_half;\n"
                                                               "flat out vec4 v_color;\n"
                                                               "flat out int v_kind;\n"
                                                               "void main() {\n"
                                                               "    v_point = placed();\n"
                                                               "    v_normal = turned(a_normal / i_scale.xyz);\n"
                                                               "    v_local = a_position * i_scale.xyz;\n"
                                                               "    v_axis = a_normal;\n"
                                                               "    v_half = i_scale.xyz;\n"
                                                               "    v_color = i_color;\n"
                                                               "    v_kind = int(i_position.w);\n"
                                                               "    v_turn = i_turn;\n"
                                                               "    if (v_kind > 3) {\n"
                                                               "        v_normal = toward();\n"
                                                               "        v_local = a_position;\n"
                                                               "    }\n"
                                                               "    gl_Position = u_camera * vec4(v_point, 1);\n"
                                                               "}\n";

// Kinds: 0 plain, 1 a ball with stripes, 2 a box with worn edges, 3 an arrow. A processor runs all branches of a shader
// for every pixel, so what has stripes, what has edges and what is a disc have programs of their own, and so has what
// such a processor draws (PLAIN).
const char *const cairn_shader_light = VERSION BACKDROP LIGHT;
const char *const cairn_shader_light_stripes = VERSION "#define STRIPED\n" BACKDROP LIGHT;
const char *const cairn_shader_light_plain = VERSION "#define PLAIN\n" BACKDROP LIGHT;
const char *const cairn_shader_light_plain_stripes = VERSION "#define PLAIN\n#define STRIPED\n" BACKDROP LIGHT;
const char *const cairn_shader_light_discs = VERSION "#define PLAIN\n#define STRIPED\n#define DISCS\n" BACKDROP LIGHT;
const char *const cairn_shader_light_deep_discs =
    VERSION "#define STRIPED\n#define DISCS\n#define DEEP\nuniform mat4 u_camera;\n" BACKDROP LIGHT;

const char *const cairn_shader_solid_fragment =
    "in vec3 v_point, v_normal, v_local, v_axis;\n"
    "flat in vec4 v_turn;\n"
    "flat in vec3 v_half;\n"
    "flat in vec4 v_color;\n"
    "flat in int v_kind;\n"
    "out vec4 f_color;\n" STRIPES "float bend(float half_edge, float x, float rim, float is_face) {\n"
    "    return is_face > 0.5 ? 0.0 : clamp(1.0 - (half_edge - abs(x)) / rim, 0.0, 1.0);\n"
    "}\n"
    "void main() {\n"
    "    vec3 n = normalize(v_normal), color = v_color.rgb, point = v_point, local = v_local;\n"
    "    int kind = v_kind;\n"
    "#ifdef DISCS\n" // a disc becomes the ball whose outline it is
    "    float d = dot(v_local.xy, v_local.xy);\n"
    "    if (d > 1.0) { discard; }\n"
    "    vec3 r = normalize(cross(vec3(0, 0, 1), n));\n"
    "    vec3 ball = v_local.x * r + v_local.y * cross(n, r) + sqrt(1.0 - d) * n;\n"
    "    point += v_half.x * sqrt(1.0 - d) * n;\n"
    "    local = ball - 2.0 * cross(v_turn.xyz, v_turn.w * ball - cross(v_turn.xyz, ball));\n"
    "    n = ball;\n"
    "    kind = kind == 5 ? 1 : 0;\n"
    "#endif\n"
    "#ifdef DEEP\n"
    "    vec4 clip = u_camera * vec4(point, 1);\n"
    "    gl_FragDepth = 0.5 + 0.5 * clip.z / clip.w;\n"
    "#endif\n"
    "    float gloss = 0.06;\n"
    "#ifdef STRIPED\n"
    "    if (kind == 1) {\n"
    "        color = striped(color, normalize(local));\n"
    "        gloss = 0.35;\n"
    "    }\n"
    "#else\n"
    "    if (kind == 3) {\n"
    "        f_color = vec4(encoded(color * (0.75 + 0.35 * dot(n, u_sun))), v_color.a);\n"
    "        return;\n"
    "    }\n"
    "    if (kind == 2) {\n"
    "        float thin = min(v_half.x, min(v_half.y, v_half.z));\n"
    "        float middle = dot(v_half, vec3(1)) - thin - max(v_half.x, max(v_half.y, v_half.z));\n"
    "        float rim = min(0.16 * thin + 0.02 * middle, 0.5 * thin);\n"
    "        vec3 b = vec3(bend(v_half.x, v_local.x, rim, abs(v_axis.x)), bend(v_half.y, v_local.y, rim, "
    "abs(v_axis.y)),\n"
    "            bend(v_half.z, v_local.z, rim, abs(v_axis.z)));\n"
    "        float most = max(b.x, max(b.y, b.z));\n"
    "        color *= 1.0 - 0.22 * smoothstep(0.45, 1.0, most);\n"
    "    }\n"
    "#endif\n"
    "    f_color = vec4(encoded(lit(color, n, point, gloss)), v_color.a);\n"
    "}\n";

// What throws nothing away is tested for its depth alone, and no shader runs for its pixels.
const char *const cairn_shader_shadow_fragment = VERSION "void main() {}\n";

const char *const cairn_shader_shadow_vertex =
    VERSION INSTANCE "uniform mat4 u_light;\n"
                     "out vec2 v_disc;\n"
                     "void main() {\n"
                     "    v_disc = i_position.w > 3.5 ? a_position.xy : vec2(0);\n"
                     "    gl_Position = u_light * vec4(placed(), 1);\n"
                     "}\n";

const char *const cairn_shader_shadow_discs_fragment = VERSION "in vec2 v_disc;\n"
                                                               "void main() {\n"
                                                               "    if (dot(v_disc, v_disc) > 1.0) { discard; }\n"
                                                               "}\n";

// Off the axis the outline of a ball is longer than wide: there is room for its length.
const char *const cairn_shader_points_vertex = VERSION INSTANCE LIGHT
    "uniform mat4 u_camera;\n"
    "uniform float u_zoom;\n" // pixels a metre, a metre before the eye
    "flat out vec4 v_ball, v_turn, v_color;\n"
    "flat out float v_sky;\n"
    "flat out int v_kind;\n"
    "void main() {\n"
    "    vec3 to_eye = u_eye - i_position.xyz;\n"
    "    float radius = i_scale.x, away = length(to_eye);\n"
    "    vec3 seen = normalize(to_eye / away + vec3(0, 0, 1));\n" // its side that is looked at, and its top
    "    v_ball = vec4(i_position.xyz, radius);\n"
    "    v_turn = i_turn;\n"
    "    v_color = i_color;\n"
    "    v_kind = int(i_position.w);\n"
    "    v_sky = open_sky(i_position.xyz + radius * seen, seen);\n"
    "    gl_Position = u_camera * vec4(i_position.xyz, 1);\n"
    "    gl_PointSize = 1.0 + 2.0 * radius * u_zoom * away / (gl_Position.w * gl_Position.w);\n"
    "}\n";

const char *const cairn_shader_points_fragment =
    "flat in vec4 v_ball, v_turn, v_color;\n"
    "flat in float v_sky;\n"
    "flat in int v_kind;\n"
    "uniform vec3 u_ahead, u_across, u_up;\n" // of the picture: its middle, and to its right and upper edge from there
    "out vec4 f_color;\n" STRIPES "void main() {\n"
    "    vec2 at = 2.0 * (gl_FragCoord.xy - u_viewport.xy) / u_viewport.zw - 1.0;\n"
    "    vec3 ray = normalize(u_ahead + at.x * u_across + at.y * u_up), center = v_ball.xyz - u_eye;\n"
    "    vec3 beside = dot(center, ray) * ray - center;\n" // from the middle to the ray
    "    float inside = v_ball.w * v_ball.w - dot(beside, beside);\n"
    "    if (inside < 0.0) { discard; }\n"
    "    vec3 n = (beside - sqrt(inside) * ray) / v_ball.w, color = v_color.rgb;\n"
    "    vec3 u = n - 2.0 * cross(v_turn.xyz, v_turn.w * n - cross(v_turn.xyz, n));\n"
    "    color = v_kind == 5 ? striped(color, u) : color;\n"
    "    vec3 light = lit_under(v_sky, color, n, v_ball.xyz + v_ball.w * n, v_kind == 5 ? 0.35 : 0.06);\n"
    "    f_color = vec4(encoded(light), v_color.a);\n"
    "}\n";

const char *const cairn_shader_shadow_points_vertex =
    VERSION INSTANCE "uniform mat4 u_light;\n"
                     "uniform float u_zoom;\n" // texels a metre
                     "void main() {\n"
                     "    gl_Position = u_light * vec4(i_position.xyz, 1);\n"
                     "    gl_PointSize = 2.0 * i_scale.x * u_zoom;\n"
                     "}\n";

const char *const cairn_shader_shadow_points_fragment = VERSION "void main() {\n"
                                                                "    vec2 p = 2.0 * gl_PointCoord - 1.0;\n"
                                                                "    if (dot(p, p) > 1.0) { discard; }\n"
                                                                "}\n";

// One triangle behind everything.
const char *const cairn_shader_backdrop_vertex =
    VERSION "void main() {\n"
            "    vec2 p = vec2((gl_VertexID & 1) * 4 - 1, (gl_VertexID & 2) * 2 - 1);\n"
            "    gl_Position = vec4(p, 1, 1);\n"
            "}\n";

const char *const cairn_shader_backdrop_fragment = "out vec4 f_color;\n"
                                                   "void main() {\n"
                                                   "    f_color = vec4(encoded(backdrop()), 1);\n"
                                                   "}\n";

// A square of the plane around the point nearest to the camera's target.
const char *const cairn_shader_ground_vertex =
    VERSION "uniform mat4 u_camera;\n"
            "uniform vec3 u_origin, u_right, u_front, u_middle;\n"
            "uniform float u_stage;\n"
            "out vec3 v_point;\n"
            "out vec2 v_local;\n"
            "void main() {\n"
            "    vec2 corner = vec2((gl_VertexID & 1) * 2 - 1, (gl_VertexID & 2) - 1) * u_stage;\n"
            "    v_point = u_middle + corner.x * u_right + corner.y * u_front;\n"
            "    v_local = vec2(dot(v_point - u_origin, u_right), dot(v_point - u_origin, u_front));\n"
            "    gl_Position = u_camera * vec4(v_point, 1);\n"
            "}\n";

const char *const cairn_shader_ground_fragment =
    "in vec3 v_point;\n"
    "in vec2 v_local;\n"
    "uniform vec3 u_right, u_front, u_target, u_color, u_field, u_line, u_forward;\n"
    "uniform float u_stage, u_grid, u_pixel;\n"
    "out vec4 f_color;\n"
    "float line(float x, float width, float footprint) {\n"
    "    float d = abs(x - floor(x + 0.5)), f = max(footprint, 1e-6);\n"
    "    float coverage = clamp((width - d) / f + 0.5, 0.0, 1.0) * min(1.0, 2.0 * width / f);\n"
    "    return footprint > 0.5 ? 2.0 * width : coverage;\n"
    "}\n"
    "void main() {\n"
    "    float fade = smoothstep(0.55 * u_stage, u_stage, length(v_point - u_target));\n"
    "    vec2 cell = v_local / u_grid;\n"
    "    float footprint = u_pixel * dot(v_point - u_eye, u_forward) / u_grid;\n"
    "    float contrast = 1.0 - smoothstep(0.15, 0.6, footprint);\n"
    "    bool is_dark = ((int(floor(cell.x)) + int(floor(cell.y))) & 1) == 1;\n"
    "    vec3 color = mix(u_color, u_field, is_dark ? 0.0 : 0.13 * contrast);\n"
    "    float lines = max(line(cell.x, 0.010, footprint), line(cell.y, 0.010, footprint));\n"
    "    color = mix(color, u_line, 0.35 * lines * contrast);\n"
    "    vec3 n = cross(u_right, u_front);\n"
    "    f_color = vec4(encoded(mix(lit(color, n, v_point, 0.0), backdrop(), fade)), 1);\n"
    "}\n";

const char *const cairn_shader_overlay_vertex = VERSION
    "layout(location = 0) in vec4 a_pixels;\n" // pixels from the top left, and texels
    "layout(location = 1) in vec4 a_color;\n"
    "uniform vec3 u_size;\n" // of the picture; -1: it is drawn upside down
    "out vec2 v_texel;\n"
    "out vec4 v_color;\n"
    "void main() {\n"
    "    v_texel = a_pixels.zw;\n"
    "    v_color = a_color;\n"
    "    gl_Position = vec4(2.0 * a_pixels.x / u_size.x - 1.0, u_size.z * (1.0 - 2.0 * a_pixels.y / u_size.y), 0, 1);\n"
    "}\n";

const char *const cairn_shader_overlay_fragment =
    VERSION "in vec2 v_texel;\n"
            "in vec4 v_color;\n"
            "uniform sampler2D u_glyphs;\n"
            "out vec4 f_color;\n"
            "void main() {\n"
            "    float coverage = texelFetch(u_glyphs, ivec2(v_texel), 0).r;\n"
            "    f_color = vec4(v_color.rgb, v_color.a * coverage);\n"
            "}\n";
