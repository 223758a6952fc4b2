// What a step tells: events of contacts, and the contacts themselves.
#include "tests/support/support.h"
#include "tests/support/support_mechanism.h"
#include "tests/support/support_worlds.h"

#define V(x, y, z) ((CairnVec3){x, y, z})

static const double gravity = 9.81;

// ---- events ----

// A ball with e = 0.8 from 1 m: it hits with sqrt(2 g 1) and e times the last speed after. Newton's law takes the speed
// at the start of the step, at most g h short of the one at the surface, and semi-implicit steps fall ahead of the
// parabola by g h t / 2, which is another g h / 2 at the surface.
static void a_bouncing_ball_begins_hits_and_ends(void **state) {
    (void)state;
    const double h = 1.0 / 240, e = 0.8, height = 1;
    CairnWorld *world = support_empty_world();
    CairnShapeDef ball = cairn_sphere(0.5);
    ball.restitution = e;
    CairnBodyId ground = support_add(world, CAIRN_BODY_STATIC, cairn_half_space(), V(0, 0, 0));
    CairnBodyId id = support_add(world, CAIRN_BODY_DYNAMIC, ball, V(0, 0, 0.5 + height));
    int begins = 0, ends = 0;
    double speed = sqrt(2 * gravity * height);
    for (int i = 0; begins < 5 && i < 2000; i++) {
        support_step(world, h);
        CairnEvents events = cairn_world_events(world);
        assert_true(events.begin_count + events.end_count <= 1);
        assert_int_equal(events.hit_count, events.begin_count);
        if (events.begin_count == 1) {
            assert_int_equal(ends, begins); // an end between any two begins
            assert_near(events.hit[0].speed, speed, 1.5 * gravity * h);
            assert_true(support_same_shape(events.begin[0].shape_a, support_first_shape(world, ground)));
            assert_true(support_same_shape(events.begin[0].shape_b, support_first_shape(world, id)));
            assert_vec3_near(events.hit[0].normal, V(0, 0, 1), 1e-12);
            speed = e * events.hit[0].speed;
            begins += 1;
        }
        ends += events.end_count;
    }
    assert_int_equal(begins, 5);
    assert_int_equal(ends, 4);
    cairn_world_destroy(world);
}

static void slow_touch_is_no_hit(void **state) {
    (void)state;
    CairnWorld *world = support_empty_world();
    support_add(world, CAIRN_BODY_STATIC, cairn_half_space(), V(0, 0, 0));
    support_add(world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.5), V(0, 0, 0.5001));
    int begins = 0;
    for (int i = 0; i < 10; i++) {
        support_step(world, 1.0 / 60);
        begins += cairn_world_events(world).begin_count;
        assert_int_equal(cairn_world_events(world).hit_count, 0);
        assert_int_equal(cairn_world_events(world).end_count, 0);
    }
    assert_int_equal(begins, 1);
    cairn_world_destroy(world);
}

static void only_what_moved_is_told(void **state) {
    (void)state;
    CairnWorld *world = support_empty_world();
    assert_ok(cairn_world_set(world, "gravity", "0,0,0"));
    support_add(world, CAIRN_BODY_STATIC, cairn_half_space(), V(0, 0, -9));
    CairnBodyId still = support_add(world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.5), V(0, 0, 0));
    CairnBodyId flying = support_add(world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.5), V(5, 0, 0));
    CairnBodyId driven = support_add(world, CAIRN_BODY_KINEMATIC, cairn_box(1, 1, 1), V(0, 5, 0));
    support_add(world, CAIRN_BODY_KINEMATIC, cairn_box(1, 1, 1), V(0, 9, 0));
    assert_ok(cairn_body_set_velocity(world, flying, V(1, 0, 0), V(0, 0, 0)));
    assert_ok(cairn_body_set_velocity(world, driven, V(0, 0, 0), V(0, 0, 1)));
    support_step(world, 0.5);
    CairnEvents events = cairn_world_events(world);
    assert_int_equal(events.moved_count, 2);
    assert_int_equal(events.moved[0].body.index, flying.index);
    assert_vec3_near(events.moved[0].pose.p, V(5.5, 0, 0), 1e-15);
    assert_int_equal(events.moved[1].body.index, driven.index);
    assert_quat_near(events.moved[1].pose.q, cairn_quat_axis_angle(V(0, 0, 1), 0.5), 1e-15);
    assert_vec3_near(support_state(world, still).position, V(0, 0, 0), 0);
    cairn_world_destroy(world);
}

// The end of a touch names shapes that are dead by then, even where their slots live on.
static void a_destroyed_body_ends_its_touches(void **state) {
    (void)state;
    CairnWorld *world = support_empty_world();
    CairnBodyId ground = support_add(world, CAIRN_BODY_STATIC, cairn_half_space(), V(0, 0, 0));
    CairnBodyId ball = support_add(world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.5), V(0, 0, 0.5));
    CairnShapeId dead = support_first_shape(world, ball);
    support_step(world, 1.0 / 60);
    assert_int_equal(cairn_world_events(world).begin_count, 1);
    assert_ok(cairn_body_destroy(world, ball));
    CairnBodyId next =
        support_add(world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.5), V(3, 0, 0.5)); // takes the slot and touches at once
    CairnShapeId fresh = support_first_shape(world, next);
    assert_int_equal(fresh.index, dead.index);
    CairnContact contact; // a contact of the last step does not pass to the slot's next owner
    assert_int_equal(cairn_world_contacts(world, &contact, 1), 1);
    assert_true(support_same_shape(contact.shape_a, support_first_shape(world, ground)));
    assert_int_equal(contact.shape_b.index, 0);
    assert_int_equal(contact.body_b.index, 0);
    support_step(world, 1.0 / 60);
    CairnEvents events = cairn_world_events(world);
    assert_int_equal(events.end_count, 1);
    assert_int_equal(events.begin_count, 1);
    assert_true(support_same_shape(events.end[0].shape_b, dead));
    assert_true(support_same_shape(events.begin[0].shape_b, fresh));
    cairn_world_destroy(world);
}

// ---- contacts ----

// A resting box: four points in its corners, a normal up, impulses that add up to m g h.
static void contacts_carry_the_weight(void **state) {
    (void)state;
    const double h = 1.0 / 60;
    CairnWorld *world = support_empty_world();
    CairnBodyId ground = support_add(world, CAIRN_BODY_STATIC, cairn_half_space(), V(0, 0, 0));
    CairnBodyId box = support_add(world, CAIRN_BODY_DYNAMIC, cairn_box(1, 1, 1), V(0, 0, 0.5));
    CairnStats stats = {0};
    for (int i = 0; i < 30; i++) {
        stats = support_step(world, h);
    }
    CairnContact contacts[8];
    assert_int_equal(cairn_world_contacts(world, contacts, 8), 4);
    assert_int_equal(cairn_world_contacts(world, contacts, 2), 4);
    assert_int_equal(stats.contacts, 4);
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        const CairnContact *c = &contacts[i];
        assert_int_equal(c->body_a.index, ground.index);
        assert_int_equal(c->body_b.index, box.index);
        assert_vec3_near(c->normal, V(0, 0, 1), 1e-9);
        assert_vec3_near(cairn_cross(c->tangent_1, c->tangent_2), c->normal, 1e-12);
        assert_near(fabs(c->point.x), 0.5, 1e-4);
        assert_near(fabs(c->point.y), 0.5, 1e-4);
        sum += c->impulse.x;
    }
    assert_near(sum, 1000 * gravity * h, 1e-3); // pgs stops at 1e-9 m/s, times a ton
    cairn_world_destroy(world);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bouncing_ball_begins_hits_and_ends),
        cmocka_unit_test(slow_touch_is_no_hit),
        cmocka_unit_test(only_what_moved_is_told),
        cmocka_unit_test(a_destroyed_body_ends_its_touches),
        cmocka_unit_test(contacts_carry_the_weight),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
