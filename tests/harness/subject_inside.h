/* SPDX-License-Identifier: Apache-2.0 */
/* What the subjects share (tests/W/subject.c). */
#pragma once

#include "harness/subject.h"

enum { HALF = SUBJECT_KEYS / 2 };

#define NONE      clade_no_array()
#define KEYS(s)   clade_host((s)->keys)
#define MORE(s)   clade_host((s)->keys + HALF) /* keys that fill() did not use */
#define VALUE(s)  clade_host((s)->values)
#define OUT(s)    clade_host((s)->out)
#define FOUND(s)  clade_host((s)->found)
#define STATUS(s) clade_host((s)->statuses)

void subject_mix_words(struct subject *s, const void *words, size_t n);
