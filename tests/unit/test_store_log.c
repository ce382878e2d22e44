// SPDX-License-Identifier: Apache-2.0
// What a trial's server wrote: any bytes, once a trial.
#include <criterion/criterion.h>

#include "tests/support/store_fixture.h"

Test(store_log, is_stored_byte_for_byte_and_once)
{
    const struct store_log log = {9, "\x00\xff", "\n'", 2, 2};
    struct store_fixture fixture;
    struct err e = {0};

    store_fixture_init(&fixture);
    cr_assert_eq(store_fixture_begin(&fixture, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(store_add_log(fixture.store, fixture.trial_id, &log, &e), ERR_OK, "%s", e.text);
    cr_expect_eq(store_add_log(fixture.store, fixture.trial_id, &log, &e), ERR_DB);
    cr_expect_eq(store_close(fixture.store, &e), ERR_OK, "%s", e.text);
    cr_expect_str_eq(store_fixture_query(fixture.path, "SELECT trial_id, written_bytes, hex(head), "
                                                       "hex(tail), typeof(tail) FROM log"),
                     "1|9|00FF|0A27|blob\n");
    store_fixture_release(&fixture);
}
