// Pictures: colours, text, the rasteriser against areas and depths known in closed form, light and shadow, whole
// pictures.
#include "demos/program/render/render_font.h"
#include "demos/program/render/render_light.h"
#include "demos/program/render/render_raster.h"
#include "demos/program/render/render_scene.h"
#include "demos/program/render/render_shade.h"
#include "tests/support/support.h"

#include <float.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- image ----

static void colors_survive_both_ways(void **state) {
    (void)state;
    for (unsigned i = 0; i < 256; i++) {
        CairnColor color = cairn_color(i << 16 | (255 - i) << 8 | i);
        assert_int_equal(cairn_color_byte(color.r), i);
        assert_int_equal(cairn_color_byte(color.g), 255 - i);
        assert_int_equal(cairn_color_byte(color.b), i);
    }
    assert_int_equal(cairn_color_byte(-1), 0);
    assert_int_equal(cairn_color_byte((double)NAN), 0);
    assert_int_equal(cairn_color_byte(7), 255);
    assert_near(cairn_color(0xBCBCBC).r, 0.5029, 1e-4); // sRGB 188 is half the light
}

static void images_are_written_and_read_back(void **state) {
    (void)state;
    char path[] = "/tmp/cairn_render_XXXXXX";
    int handle = mkstemp(path);
    assert_true(handle >= 0);
    close(handle);
    CairnImage image;
    assert_ok(cairn_image_create(&image, 37, 21));
    for (size_t i = 0; i < (size_t)3 * 37 * 21; i++) {
        image.pixels[i] = (unsigned char)(i * 31 % 251);
    }
    assert_ok(cairn_image_write_png(&image, path));
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    assert_true(png_image_begin_read_from_file(&png, path));
    png.format = PNG_FORMAT_RGB;
    assert_int_equal(png.width, 37);
    assert_int_equal(png.height, 21);
    unsigned char pixels[3 * 37 * 21];
    assert_true(png_image_finish_read(&png, NULL, pixels, 0, NULL));
    assert_memory_equal(pixels, image.pixels, sizeof pixels);
    unlink(path);
    assert_refused(cairn_image_write_png(&image, "/tmp/no/such/folder/a.png"), CAIRN_IO, "/tmp/no/such/folder/a.png");
    assert_refused(cairn_image_write_png(&image, "/dev/full"), CAIRN_IO, "/dev/full");
    cairn_image_free(&image);
    assert_refused(cairn_image_create(&image, 0, 5), CAIRN_INVALID_ARGUMENT, "0x5");
    assert_refused(cairn_image_create(&image, 5, 1 << 20), CAIRN_INVALID_ARGUMENT, "5x1048576");
}

// ---- font ----

static int ink(const CairnImage *image, int x0, int x1) {
    int sum = 0;
    for (int y = 0; y < image->height; y++) {
        for (int x = x0; x < x1; x++) {
            sum += image->pixels[3 * ((size_t)y * (size_t)image->width + (size_t)x)];
        }
    }
    return sum;
}

// Every printable character leaves ink of its own, inside its own width.
static void every_character_has_its_own_glyph(void **state) {
    (void)state;
    unsigned char seen[128][3 * 40 * 40];
    for (int c = 33; c < 127; c++) {
        CairnImage image;
        assert_ok(cairn_image_create(&image, 40, 40));
        char text[2] = {(char)c, '\0'};
        double width = cairn_font_draw(&image, 8, 28, 14, cairn_color(0xFFFFFF), text);
        assert_near(width, cairn_font_width(14, text), 1e-12);
        assert_true(ink(&image, 0, 40) > 500);
        assert_int_equal(ink(&image, 0, 6), 0);
        assert_int_equal(ink(&image, (int)(8 + width + 1), 40), 0);
        memcpy(seen[c], image.pixels, sizeof seen[c]);
        for (int d = 33; d < c; d++) {
            bool is_frame = strchr("$&@^`{}~", c) && strchr("$&@^`{}~", d); // the characters it lacks
            if (!is_frame && memcmp(seen[c], seen[d], sizeof seen[c]) == 0) {
                fail_msg("'%c' looks like '%c'", c, d);
            }
        }
        cairn_image_free(&image);
    }
    assert_near(cairn_font_width(12, "ab"), cairn_font_width(12, "a") + cairn_font_width(12, "b"), 1e-12);
    assert_near(cairn_font_width(24, "box_tower"), 2 * cairn_font_width(12, "box_tower"), 1e-9);
    CairnImage image; // text that runs out of the image is cut
    assert_ok(cairn_image_create(&image, 20, 10));
    cairn_font_draw(&image, -30, 5, 30, cairn_color(0xFFFFFF), "W\xC3\xA9W");
    cairn_image_free(&image);
}

// ---- raster ----

static const CairnCamera camera = {.eye = {0, -10, 0}, .target = {0, 0, 0}, .fov = 60};

static int count_id(const CairnRaster *raster, int id) {
    int count = 0;
    for (int i = 0; i < raster->width * raster->height; i++) {
        count += raster->id[i] == id;
    }
    return count;
}

static void views_project_and_look_back(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 200; i++) {
        CairnCamera random = {.eye = support_vec3(&seed, -3, 3), .target = support_vec3(&seed, 5, 9), .fov = 50};
        CairnView view = cairn_view_perspective(&random, 640, 400);
        CairnScreenPoint middle = cairn_view_project(&view, random.target);
        assert_near(middle.x, 320, 1e-9);
        assert_near(middle.y, 200, 1e-9);
        CairnVec3 point = cairn_add(random.target, support_vec3(&seed, -1, 1));
        CairnScreenPoint p = cairn_view_project(&view, point);
        CairnVec3 again = cairn_add_scaled(view.eye, 1 / p.key, cairn_view_ray(&view, p.x, p.y));
        assert_vec3_near(again, point, 1e-11);
    }
    // Straight down there is no "up" to find: it must still be a frame.
    CairnCamera down = {.eye = {0, 0, 5}, .target = {0, 0, 0}, .fov = 50};
    CairnView view = cairn_view_perspective(&down, 100, 100);
    assert_near(cairn_length(view.right), 1, 1e-12);
    assert_near(cairn_dot(view.right, view.back), 0, 1e-12);
}

static void triangles_cover_their_area(void **state) {
    (void)state;
    CairnRaster raster;
    assert_ok(cairn_raster_create(&raster, 400, 400));
    CairnView view = cairn_view_perspective(&camera, 400, 400);
    assert_int_equal(count_id(&raster, -1), 400 * 400);
    // A right triangle of legs 4 m at 10 m: 8 m2 of scale (200 / tan 30 deg / 10)^2 samples a square metre.
    CairnVec3 far[3] = {{-2, 0, -2}, {2, 0, -2}, {-2, 0, 2}};
    cairn_raster_triangle(&raster, &view, far, 7);
    double per_metre = 200 / tan(CAIRN_PI / 6) / 10;
    assert_near(count_id(&raster, 7) / (8 * per_metre * per_metre), 1, 0.01);
    for (int i = 0; i < 400 * 400; i++) {
        if (raster.id[i] == 7) {
            assert_near(1 / (double)raster.key[i], 10, 1e-5);
        }
    }
    // Nearer wins, whichever comes first, and from either side.
    CairnVec3 near[3] = {{-1, -5, 1}, {1, -5, -1}, {-1, -5, -1}};
    int before = count_id(&raster, 7);
    cairn_raster_triangle(&raster, &view, near, 8);
    int hidden = count_id(&raster, 8);
    assert_true(hidden > 1000 && count_id(&raster, 7) < before);
    cairn_raster_triangle(&raster, &view, far, 9);
    assert_int_equal(count_id(&raster, 8), hidden);
    assert_int_equal(count_id(&raster, 9), 0);
    cairn_raster_free(&raster);
}

// Two triangles that share an edge leave no gap, at any turn.
static void shared_edges_have_no_gaps(void **state) {
    (void)state;
    CairnView view = cairn_view_perspective(&camera, 200, 200);
    for (int i = 0; i < 24; i++) {
        CairnRaster raster;
        assert_ok(cairn_raster_create(&raster, 200, 200));
        CairnQuat turn = cairn_quat_axis_angle(cairn_vec3(0, 1, 0), i * 0.2617);
        CairnVec3 corners[4] = {{-9, 0, -9}, {9, 0, -9}, {9, 0, 9}, {-9, 0, 9}};
        for (int k = 0; k < 4; k++) {
            corners[k] = cairn_rotate(turn, corners[k]);
        }
        CairnVec3 a[3] = {corners[0], corners[1], corners[2]}, b[3] = {corners[0], corners[2], corners[3]};
        cairn_raster_triangle(&raster, &view, a, 1);
        cairn_raster_triangle(&raster, &view, b, 2);
        assert_int_equal(count_id(&raster, -1), 0); // the square is larger than the view
        cairn_raster_free(&raster);
    }
}

static void triangles_behind_the_eye_are_cut(void **state) {
    (void)state;
    CairnRaster raster;
    assert_ok(cairn_raster_create(&raster, 100, 100));
    CairnView view = cairn_view_perspective(&camera, 100, 100);
    CairnVec3 behind[3] = {{-1, -11, 0}, {1, -11, 0}, {0, -12, 1}};
    cairn_raster_triangle(&raster, &view, behind, 1);
    assert_int_equal(count_id(&raster, 1), 0);
    // A strip of floor from behind the eye to far before it fills the lower half, and nothing above the horizon.
    CairnVec3 strip[3] = {{-1000, -30, -1}, {1000, -30, -1}, {0, 100000, -1}};
    cairn_raster_triangle(&raster, &view, strip, 2);
    assert_true(count_id(&raster, 2) > 4000);
    for (int i = 0; i < 100 * 49; i++) {
        assert_int_equal(raster.id[i], -1);
    }
    cairn_raster_free(&raster);
}

static void planes_reach_the_horizon(void **state) {
    (void)state;
    CairnRaster raster;
    assert_ok(cairn_raster_create(&raster, 100, 100));
    CairnView view = cairn_view_perspective(&camera, 100, 100);
    cairn_raster_plane(&raster, &view, cairn_vec3(0, 0, 1), -2, 5); // z = -2
    assert_int_equal(count_id(&raster, 5), 5000);                   // all below the middle, nothing above
    for (int y = 50; y < 100; y += 7) {
        for (int x = 0; x < 100; x += 9) {
            int i = 100 * y + x;
            CairnVec3 ray = cairn_view_ray(&view, x + 0.5, y + 0.5);
            CairnVec3 point = cairn_add_scaled(view.eye, 1 / (double)raster.key[i], ray);
            assert_near(point.z, -2, 1e-5);
        }
    }
    cairn_raster_free(&raster);
}

// ---- light ----

static void shadows_fall_where_the_sun_is_hidden(void **state) {
    (void)state;
    CairnMesh mesh = {0};
    CairnPrimitive ball = {.kind = CAIRN_PRIMITIVE_SPHERE, .pose = {{0, 0, 3}, {1, 0, 0, 0}}, .half = {1, 1, 1}};
    assert_ok(cairn_mesh_add(&mesh, &ball, 100));
    CairnLight light;
    CairnVec3 sun = cairn_normalize(cairn_vec3(1, 0, 1));
    assert_ok(cairn_light_create(&light, &mesh, sun, cairn_vec3(0, 0, 3), 1.5));
    light.reach = 0.1;
    CairnRaster raster;
    assert_ok(cairn_raster_create(&raster, 64, 64));
    CairnView view = cairn_view_perspective(&camera, 64, 64);
    CairnVec3 up = {0, 0, 1};
    // The shadow of the centre falls 3 m to the left of the ball on the ground.
    assert_near((double)cairn_light_at(&light, &raster, &view, cairn_vec3(-3, 0, 0), up, 1, 1).sun, 0, 0);
    assert_near((double)cairn_light_at(&light, &raster, &view, cairn_vec3(0, 0, 0), up, 1, 1).sun, 1, 0);
    assert_near((double)cairn_light_at(&light, &raster, &view, cairn_vec3(-3, 1.5, 0), up, 1, 1).sun, 1, 0);
    // The lit and the far side of the ball itself, and its rim in half light.
    CairnVec3 lit = cairn_add(ball.pose.p, sun), dark = cairn_sub(ball.pose.p, sun);
    assert_near((double)cairn_light_at(&light, &raster, &view, lit, sun, 1, 1).sun, 1, 0);
    assert_near((double)cairn_light_at(&light, &raster, &view, dark, cairn_neg(sun), 1, 1).sun, 0, 0);
    CairnVisibility rim = cairn_light_at(&light, &raster, &view, cairn_vec3(-3, 1, 0), up, 1, 1);
    assert_true(rim.sun > 0.0F && rim.sun < 1.0F);
    assert_near((double)rim.sky, 1, 0); // nothing is drawn in the raster, so nothing hides the sky
    cairn_raster_free(&raster);
    cairn_light_free(&light);
    cairn_mesh_free(&mesh);
}

static void meshes_lie_on_their_solids(void **state) {
    (void)state;
    uint64_t seed = 3;
    CairnVec3 points[40];
    for (int i = 0; i < 40; i++) {
        points[i] = cairn_scale(0.5, support_unit(&seed));
    }
    CairnPrimitive primitives[5] = {{.kind = CAIRN_PRIMITIVE_SPHERE, .half = {0.7, 0.7, 0.7}},
                                    {.kind = CAIRN_PRIMITIVE_BOX, .half = {0.3, 0.5, 0.9}},
                                    {.kind = CAIRN_PRIMITIVE_ROD, .half = {0.1, 0.1, 2}},
                                    {.kind = CAIRN_PRIMITIVE_CAPSULE, .half = {0.4, 0.4, 0.8}},
                                    {.kind = CAIRN_PRIMITIVE_HULL, .points = points, .point_count = 40}};
    for (int k = 0; k < 5; k++) {
        CairnMesh mesh = {0};
        primitives[k].pose = support_transform(&seed, 5);
        assert_ok(cairn_mesh_add(&mesh, &primitives[k], 400));
        for (int i = 0; i < mesh.triangle_count; i++) {
            const CairnTriangle *t = &mesh.triangles[i];
            CairnVec3 local = cairn_untransform_point(primitives[k].pose, t->corners[0]);
            if (k == 0) {
                assert_near(cairn_length(local), 0.7, 1e-12);
            } else if (k == 1) {
                assert_vec3_near(cairn_vec3(fabs(local.x), fabs(local.y), fabs(local.z)), primitives[k].half, 1e-12);
            } else if (k == 2) {
                assert_near(hypot(local.x, local.y), 0.1, 1e-12);
            } else {
                assert_near(cairn_length(cairn_primitive_local(&primitives[k], t->corners[0])), k == 3 ? 0.4 : 0.5,
                            1e-12);
            }
            // The triangle's own normal agrees with the solid's, up to its sign.
            CairnVec3 flat =
                cairn_cross(cairn_sub(t->corners[1], t->corners[0]), cairn_sub(t->corners[2], t->corners[0]));
            CairnVec3 middle = cairn_scale(1.0 / 3, cairn_add(cairn_add(t->corners[0], t->corners[1]), t->corners[2]));
            if (cairn_length(flat) > 1e-9) {
                double along = fabs(
                    cairn_dot(cairn_normalize(flat), cairn_primitive_normal(&mesh.primitives[0], t->face, middle)));
                assert_true(along > (k == 1 || k == 4 ? 1 - 1e-12 : 0.95));
            }
        }
        // 40 points on a ball are corners all, and closed: Euler counts 2 (40) - 4 triangles.
        assert_true(k != 4 || mesh.triangle_count == 76);
        cairn_mesh_free(&mesh);
    }
}

// No two faces of all primitives share a number: the light of one is not smoothed into another.
static void surfaces_have_numbers_of_their_own(void **state) {
    (void)state;
    CairnMesh mesh = {0};
    const CairnVec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int indices[12] = {0, 1, 2, 0, 1, 3, 0, 2, 3, 1, 2, 3};
    const CairnPrimitive primitives[5] = {
        {.kind = CAIRN_PRIMITIVE_FACETS, .points = points, .indices = indices, .index_count = 12},
        {.kind = CAIRN_PRIMITIVE_HULL, .points = points, .point_count = 4},
        {.kind = CAIRN_PRIMITIVE_BOX, .half = {1, 1, 1}},
        {.kind = CAIRN_PRIMITIVE_CYLINDER, .half = {1, 1, 1}},
        {.kind = CAIRN_PRIMITIVE_PLANE}};
    const int first[5] = {0, 4, 8, 14, 17};
    for (int i = 0; i < 5; i++) {
        assert_ok(cairn_mesh_add(&mesh, &primitives[i], 100));
        assert_int_equal(mesh.primitives[i].first_surface, first[i]);
    }
    const CairnPrimitive flat = {.kind = CAIRN_PRIMITIVE_HULL, .points = points, .point_count = 3};
    assert_refused(cairn_mesh_add(&mesh, &flat, 100), CAIRN_INVALID_ARGUMENT, "");
    assert_int_equal(mesh.primitive_count, 5);
    cairn_mesh_free(&mesh);
}

// ---- pictures ----

static CairnWorld *make_world(void) {
    CairnWorldDef def = cairn_world_def();
    CairnWorld *world;
    assert_ok(cairn_world_create(&def, &world));
    return world;
}

static CairnColor pixel(const CairnImage *image, int x, int y) {
    const unsigned char *p = image->pixels + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
    return cairn_color((unsigned)p[0] << 16 | (unsigned)p[1] << 8 | p[2]);
}

static void pictures_show_what_is_there(void **state) {
    (void)state;
    CairnWorld *world = make_world();
    CairnPicture picture = {
        .width = 200, .height = 120, .camera = {.eye = {0, -6, 2}, .target = {0, 0, 0.5}, .fov = 40}};
    CairnImage empty, image, other;
    assert_ok(cairn_picture_draw(world, &picture, &empty)); // an empty world is a backdrop
    assert_memory_equal(empty.pixels, empty.pixels + 3, 3);

    CairnBodyDef body = cairn_body_def();
    body.type = CAIRN_BODY_STATIC;
    CairnShapeDef ground = cairn_half_space(), box = cairn_box(1, 1, 1);
    assert_ok(cairn_body_add(world, &body, &ground, NULL));
    body.type = CAIRN_BODY_DYNAMIC;
    body.position = cairn_vec3(0, 0, 0.5);
    CairnBodyId id;
    assert_ok(cairn_body_add(world, &body, &box, &id));
    assert_ok(cairn_picture_draw(world, &picture, &image));
    CairnColor middle = pixel(&image, 100, 60), floor = pixel(&image, 20, 100);
    assert_true(middle.b > 2 * middle.r);                        // the first body is blue
    assert_true(fabs(floor.b - floor.r) < 0.1 && floor.r > 0.5); // the ground is a light grey
    CairnColor shadow = pixel(&image, 118, 72);                  // to the right of the box
    assert_true(shadow.r < 0.7 * floor.r && shadow.r > 0.05);

    // Equal worlds give equal bytes; a moved body another picture.
    assert_ok(cairn_picture_draw(world, &picture, &other));
    assert_memory_equal(image.pixels, other.pixels, (size_t)3 * 200 * 120);
    cairn_image_free(&other);
    assert_ok(cairn_body_set_pose(world, id, cairn_vec3(0, 0, 0.6), cairn_quat_identity()));
    assert_ok(cairn_picture_draw(world, &picture, &other));
    assert_memory_not_equal(image.pixels, other.pixels, (size_t)3 * 200 * 120);
    cairn_image_free(&other);

    // A caption writes on a strip at the bottom and leaves the rest.
    assert_ok(cairn_body_set_pose(world, id, cairn_vec3(0, 0, 0.5), cairn_quat_identity()));
    picture.caption = "box";
    picture.verdict = "certified";
    assert_ok(cairn_picture_draw(world, &picture, &other));
    assert_memory_equal(image.pixels, other.pixels, (size_t)3 * 200 * 105);
    assert_memory_not_equal(image.pixels + 3 * 200 * 110, other.pixels + 3 * 200 * 110, (size_t)3 * 200 * 10);
    cairn_image_free(&empty);
    cairn_image_free(&image);
    cairn_image_free(&other);
    cairn_world_destroy(world);
}

static void impossible_pictures_are_refused(void **state) {
    (void)state;
    CairnWorld *world = make_world();
    CairnPicture good = {.width = 32, .height = 32, .camera = camera}, bad = good;
    CairnImage image;
    bad.width = 8;
    assert_refused(cairn_picture_draw(world, &bad, &image), CAIRN_INVALID_ARGUMENT, "8x32");
    bad = good, bad.height = 100000;
    assert_refused(cairn_picture_draw(world, &bad, &image), CAIRN_INVALID_ARGUMENT, "32x100000");
    bad = good, bad.camera.eye = bad.camera.target;
    assert_refused(cairn_picture_draw(world, &bad, &image), CAIRN_INVALID_ARGUMENT, "camera.eye");
    bad = good, bad.camera.eye.x = (double)NAN;
    assert_refused(cairn_picture_draw(world, &bad, &image), CAIRN_INVALID_ARGUMENT, "camera.eye");
    bad = good, bad.camera.fov = 180;
    assert_refused(cairn_picture_draw(world, &bad, &image), CAIRN_INVALID_ARGUMENT, "fov = 180");
    cairn_world_destroy(world);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colors_survive_both_ways),
        cmocka_unit_test(images_are_written_and_read_back),
        cmocka_unit_test(every_character_has_its_own_glyph),
        cmocka_unit_test(views_project_and_look_back),
        cmocka_unit_test(triangles_cover_their_area),
        cmocka_unit_test(shared_edges_have_no_gaps),
        cmocka_unit_test(triangles_behind_the_eye_are_cut),
        cmocka_unit_test(planes_reach_the_horizon),
        cmocka_unit_test(shadows_fall_where_the_sun_is_hidden),
        cmocka_unit_test(meshes_lie_on_their_solids),
        cmocka_unit_test(surfaces_have_numbers_of_their_own),
        cmocka_unit_test(pictures_show_what_is_there),
        cmocka_unit_test(impossible_pictures_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
