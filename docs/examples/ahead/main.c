/* SPDX-License-Identifier: Apache-2.0 */
/* A program whose kernel was compiled when the program was built (meson.build, CMakeLists.txt).
 * Only the archive is installed: it holds the driver's code for the devices of the build machine,
 * and the source for all others. */
#include <clade/clade.h>
#include <stdio.h>

int main(void)
{
    clade_context *context = NULL;
    clade_program *program = NULL;
    const clade_context_params where = { .archive = ARCHIVE };
    const clade_program_params what = { .file = "scale.cl", .options = "-DFAST=1" };
    int failed = clade_context_create(&context, &where) != CLADE_OK ||
                 clade_program_build(&program, context, &what) != CLADE_OK;
    if (failed)
        fprintf(stderr, "%s\n%s", clade_error_last()->message, clade_error_last()->log);
    else
        printf("the kernel comes from %s\n", clade_program_origin(program) == CLADE_FROM_ARCHIVE
                                                 ? "the archive"
                                                 : "its source, or a cache");
    clade_program_destroy(&program);
    clade_context_destroy(&context);
    return failed;
}
