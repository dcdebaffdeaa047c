/* SPDX-License-Identifier: Apache-2.0 */
/* What all calls over arrays do before and after their own work. */
#include <inttypes.h>

#include "base/error.h"
#include "object/call.h"

static clade_status check(const struct cladei_call *call)
{
    clade_status status = CLADE_OK;
    for (const struct cladei_row *row = call->rows; row < call->rows + CLADEI_ROWS; row++)
        CLADE_REQUIRE(!row->need || call->count == 0 || cladei_is_given(row->array), CLADE_E_ARG,
                      "there is no array %s", row->need);
    CLADE_REQUIRE(call->most == 0 || call->count <= call->most, CLADE_E_ARG,
                  "the count is %" PRIu64 "; the most is %" PRIu64, call->count, call->most);
fail:
    return status;
}

static clade_status open_row(struct cladei_call *call, struct cladei_row *row)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_view_open(&row->view, &call->run, row->array,
                               row->count ? row->count : call->count, row->bytes, row->direction,
                               row->name));
    if (cladei_is_given(row->array))
        call->given |= row->bit;
    else if (!call->has_nulls)
        row->view.mem = call->object->mem;
fail:
    return status;
}

clade_status cladei_call_open(struct cladei_call *call, const struct cladei_kind *kind,
                              const struct cladei_object *object, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    call->kind = kind;
    call->object = object;
    CLADE_TRY(check(call));
    CLADE_TRY(cladei_run_begin(&call->run, object->context, launch));
    for (struct cladei_row *row = call->rows; row < call->rows + CLADEI_ROWS; row++)
        if (row->name)
            CLADE_TRY(open_row(call, row));
    if (call->tells && call->run.blocking)
        CLADE_TRY(cladei_kind_told(kind, object, &call->run));
fail:
    return status;
}

clade_status cladei_call_read(struct cladei_call *call)
{
    clade_status status = CLADE_OK;
    bool tells = call->tells && call->run.blocking;
    for (struct cladei_row *row = call->rows; row < call->rows + CLADEI_ROWS; row++) {
        if (row->name)
            CLADE_TRY(cladei_view_finish(&row->view, &call->run));
        tells = tells && !(row->tells && cladei_is_given(row->array));
    }
    if (tells)
        CLADE_TRY(cladei_kind_told(call->kind, call->object, &call->run));
fail:
    return status;
}

clade_status cladei_call_finish(struct cladei_call *call)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_call_read(call));
    CLADE_TRY(cladei_run_end(&call->run));
fail:
    return status;
}

void cladei_call_close(struct cladei_call *call)
{
    for (size_t i = CLADEI_ROWS; i-- > 0;)
        cladei_view_close(&call->rows[i].view);
}
