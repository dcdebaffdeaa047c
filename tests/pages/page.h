/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the structures' pages share: tests/W/page.c has W_page, one test. */
#pragma once

#include <clade/clade.h>

#include "harness/fixture.h"
#include "harness/structures.h"

enum { ITEMS = 64, LOCAL_BYTES = (2 * ITEMS + 4) * 4 };

struct example {
    clade_program *program;
    cl_kernel kernel;
};

/* A kernel of a file in docs/examples/structures. */
struct example example_open(struct fixture *f, const char *file, const char *kernel,
                            const char *options);
void example_close(struct example *example);
/* A buffer of ITEMS words: the kernel's argument `at`. */
cl_mem page_words(struct fixture *f, const struct example *example, cl_uint at,
                  const uint32_t *content);
/* ITEMS work-items; the object is the first argument. */
void page_launch(struct fixture *f, const struct example *example, cl_mem object);

/* What the page shows is there: bench_cold_start asks for no more, and the program ends here. */
void page_has_its_result(void);

#define DECLARE_PAGE(structure) extern const struct CMUnitTest structure##_page;
CLADE_PAGE(DECLARE_PAGE)
