/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of test_kma.c that have a file of their own. */
#pragma once

void a_new_heap_lies_ready_and_is_empty(void **state);
void a_bare_heap_has_nothing_ready(void **state);
void a_file_keeps_whether_a_heap_lies_ready(void **state);
