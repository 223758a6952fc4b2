#include "demos/viewer/setup.h"
#include <stdlib.h>
#include <string.h>

static CairnStatus copy_options(const CairnFieldTable *table, const void *from, void **options) {
    *options = NULL;
    if (!table || !from) {
        return cairn_ok();
    }
    *options = malloc(table->size ? table->size : 1);
    if (!*options) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no memory for options of %s", table->title);
    }
    memcpy(*options, from, table->size);
    return cairn_ok();
}

CairnStatus cairn_setup_copy(const CairnSetup *from, CairnSetup *setup) {
    *setup = (CairnSetup){.partitioner = from->partitioner, .refiner = from->refiner};
    CAIRN_TRY(cairn_choice_copy(&from->choice, &setup->choice));
    CairnStatus status = copy_options(from->partitioner->options, from->partition_options, &setup->partition_options);
    if (cairn_is_ok(status)) {
        status = copy_options(from->refiner->options, from->refine_options, &setup->refine_options);
    }
    if (!cairn_is_ok(status)) {
        cairn_setup_close(setup);
    }
    return status;
}

CairnStatus cairn_setup_take(const CairnSession *session, CairnSetup *setup) {
    CairnSetup session_setup = {session->choice, session->partitioner, session->partition_options, session->refiner,
                                session->refine_options};
    return cairn_setup_copy(&session_setup, setup);
}

void cairn_setup_close(CairnSetup *setup) {
    cairn_choice_close(&setup->choice);
    free(setup->partition_options);
    free(setup->refine_options);
    setup->partition_options = setup->refine_options = NULL;
}

static CairnStatus give(const CairnSetup *setup, CairnWorld *world) {
    CairnPartition partition = {setup->partitioner, setup->partition_options, setup->refiner, setup->refine_options};
    return cairn_world_choose(world, &setup->choice, &partition);
}

CairnStatus cairn_setup_use(const CairnSetup *setup, CairnSession *session) {
    CairnSetup copy, old = {session->choice, session->partitioner, session->partition_options, session->refiner,
                            session->refine_options};
    CAIRN_TRY(cairn_setup_copy(setup, &copy));
    CairnStatus status = give(&copy, session->world);
    if (!cairn_is_ok(status)) {
        (void)give(&old, session->world); // it took them before
        cairn_setup_close(&copy);
        return status;
    }
    cairn_setup_close(&old);
    session->choice = copy.choice;
    session->partitioner = copy.partitioner;
    session->partition_options = copy.partition_options;
    session->refiner = copy.refiner;
    session->refine_options = copy.refine_options;
    return cairn_ok();
}
