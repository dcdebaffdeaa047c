# SPDX-License-Identifier: Apache-2.0
# What Doxygen reads of a header: plain comments that stand above or behind a declaration become
# documentation, and the comment at the top that of the file. Lines keep their numbers.
1s,.*,/** @file,
2s,^/\* , * ,
3,$s,\([;\,]\) */\* ,\1 /**< ,
3,$s,^\(#define [A-Za-z_0-9]* .*[^ ]\) */\* ,\1 /**< ,
3,$s,^\( *\)/\* ,\1/** ,
