/* SPDX-License-Identifier: Apache-2.0 */
/* Include expansion: one string, every line still known by file and number. */
#include <unistd.h>

#include "harness/fixture.h"
#include "harness/scratch.h"
#include "program/buildlog.h"
#include "program/expand.h"

static int make_folder(void **state)
{
    *state = scratch_make();
    return 0;
}

static int drop_folder(void **state)
{
    scratch_remove(*state);
    return 0;
}

static void put(const char *folder, const char *name, const char *text)
{
    free(scratch_text(folder, name, text));
}

static struct cladei_expansion expand_ok(const char *source, const char *path)
{
    struct cladei_expansion e;
    assert_ok(cladei_expand(&e, source, "main.cl", NULL, path, NULL));
    return e;
}

static void expand_fails(const char *source, const char *path, clade_status wanted,
                         const char *part)
{
    struct cladei_expansion e;
    assert_fails(cladei_expand(&e, source, "main.cl", NULL, path, NULL), wanted);
    assert_message(part);
    assert_null(e.source.data);
}

static void source_without_includes_is_kept(void **state)
{
    (void)state;
    struct cladei_expansion e = expand_ok("int a;\nint b;", NULL);
    assert_string_equal(e.source.data, "#line 1 \"main.cl\"\nint a;\nint b;\n");
    assert_int_equal(e.file_count, 0);
    cladei_expansion_free(&e);
}

static void an_include_is_replaced_with_line_marks(void **state)
{
    put(*state, "a.clh", "int a;\n");
    char *file = scratch_path(*state, "a.clh"), wanted[512];
    struct cladei_expansion e = expand_ok("int x;\n#include \"a.clh\"\nint y;\n", *state);
    snprintf(wanted, sizeof wanted,
             "#line 1 \"main.cl\"\nint x;\n#line 1 \"%s\"\nint a;\n#line 3 \"main.cl\"\nint y;\n",
             file);
    assert_string_equal(e.source.data, wanted);
    assert_int_equal(e.file_count, 1);
    cladei_expansion_free(&e);
    free(file);
}

static void pragma_once_is_honoured_and_templates_repeat(void **state)
{
    put(*state, "once.clh", "#pragma once\nONCE\n");
    put(*state, "each.clh", "EACH\n");
    struct cladei_expansion e = expand_ok("#include \"once.clh\"\n#include \"once.clh\"\n"
                                          "#include \"each.clh\"\n#include \"each.clh\"\n",
                                          *state);
    char *first = strstr(e.source.data, "\nONCE\n");
    assert_non_null(first);
    assert_null(strstr(first + 1, "\nONCE\n"));
    first = strstr(e.source.data, "\nEACH\n");
    assert_non_null(first);
    assert_non_null(strstr(first + 1, "\nEACH\n"));
    assert_int_equal(e.file_count, 2);
    cladei_expansion_free(&e);
}

static void pragma_once_may_be_followed_by_a_comment(void **state)
{
    put(*state, "line.clh", "#pragma once // of lines\nLINE\n");
    put(*state, "block.clh", "# pragma once /* of blocks */ \nBLOCK\n");
    struct cladei_expansion e = expand_ok("#include \"line.clh\"\n#include \"line.clh\"\n"
                                          "#include \"block.clh\"\n#include \"block.clh\"\n",
                                          *state);
    char *first = strstr(e.source.data, "\nLINE\n");
    assert_non_null(first);
    assert_null(strstr(first + 1, "\nLINE\n"));
    first = strstr(e.source.data, "\nBLOCK\n");
    assert_non_null(first);
    assert_null(strstr(first + 1, "\nBLOCK\n"));
    cladei_expansion_free(&e);
    /* The end of this comment is not on the line, and must not come alone. */
    put(*state, "open.clh", "#pragma once /* of\nmore */\nOPEN\n");
    e = expand_ok("#include \"open.clh\"\n", *state);
    assert_non_null(strstr(e.source.data, "/* of\nmore */\nOPEN\n"));
    cladei_expansion_free(&e);
}

static size_t times(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)) != NULL; text++)
        count++;
    return count;
}

/* What an #if hides may be needed by what comes after it, and what it does not hide must not come
 * again: the compiler is left to decide. */
static void pragma_once_inside_a_condition_hides_nothing(void **state)
{
    put(*state, "base.clh", "/* base */\n#pragma once\n#ifdef DEEP\n#endif\nBASE\n");
    put(*state, "one.clh", "#pragma once\n#include \"base.clh\"\nONE\n");
    struct cladei_expansion e = expand_ok("#if ENGINE == 1\n#include \"one.clh\"\n#endif\n"
                                          "#include \"base.clh\"\n#include \"base.clh\"\n",
                                          *state);
    const char *text = e.source.data;
    assert_int_equal(times(text, "\nBASE\n"), 2); /* the second one is seen if ENGINE is not 1 */
    assert_non_null(strstr(text, "#if ENGINE == 1\n#line"));
    assert_non_null(strstr(text, "one.clh\"\n#define CLADEI_ONCE_0\n#line 1"));
    assert_non_null(strstr(text, "\n/* base */\n#define CLADEI_ONCE_1\n#ifdef DEEP\n"));
    assert_non_null(
        strstr(text, "\nONE\n#line 3 \"main.cl\"\n#endif\n#ifndef CLADEI_ONCE_1\n#line"));
    assert_non_null(strstr(text, "\n/* base */\n\n#ifdef DEEP\n#endif\nBASE\n#endif\n#line 5"));
    assert_null(strstr(text, "CLADEI_ONCE_2"));
    cladei_expansion_free(&e);
}

/* One that stands inside of its file's own #if is of no use where another #if hides the file. */
static void pragma_once_inside_of_a_guard_hides_nothing(void **state)
{
    put(*state, "g.clh", "#ifndef G\n#define G\n#pragma once\nGUARDED\n#endif\n");
    struct cladei_expansion e =
        expand_ok("#ifdef NEVER\n#include \"g.clh\"\n#endif\n#include \"g.clh\"\n", *state);
    assert_int_equal(times(e.source.data, "\nGUARDED\n"), 2);
    assert_int_equal(times(e.source.data, "\n#define CLADEI_ONCE_0\nGUARDED\n"), 2);
    assert_int_equal(times(e.source.data, "\n#ifndef CLADEI_ONCE_0\n"), 1);
    assert_non_null(strstr(e.source.data, "\nGUARDED\n#endif\n#endif\n#line 5"));
    cladei_expansion_free(&e);
}

/* A pragma in a text that is no file is nobody else's, whatever the text is called. */
static void pragma_once_in_memory_leaves_files_alone(void **state)
{
    char here[4096];
    put(*state, "main.cl", "MAIN\n");
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(*state), 0);
    struct cladei_expansion e = expand_ok("#pragma once\n#include \"main.cl\"\n", *state);
    assert_int_equal(chdir(here), 0);
    assert_non_null(strstr(e.source.data, "\nMAIN\n"));
    assert_null(strstr(e.source.data, "#pragma"));
    cladei_expansion_free(&e);
}

static void pragma_once_holds_for_every_spelling(void **state)
{
    put(*state, "once.clh", "#pragma once\nONCE\n");
    put(*state, "deep/back.clh", "#include \"../once.clh\"\n");
    struct cladei_expansion e = expand_ok("#include \"once.clh\"\n#include \"deep/back.clh\"\n"
                                          "#include \"deep/../once.clh\"\n",
                                          *state);
    char *first = strstr(e.source.data, "\nONCE\n");
    assert_non_null(first);
    assert_null(strstr(first + 1, "\nONCE\n"));
    cladei_expansion_free(&e);
}

static void nested_includes_are_found_beside_their_includer(void **state)
{
    put(*state, "deep/outer.clh", "#include \"inner.clh\"\n");
    put(*state, "deep/inner.clh", "INNER\n");
    struct cladei_expansion e = expand_ok("#include \"deep/outer.clh\"\n", *state);
    assert_non_null(strstr(e.source.data, "\nINNER\n"));
    cladei_expansion_free(&e);
}

static void comments_hide_includes(void **state)
{
    (void)state;
    struct cladei_expansion e = expand_ok("/* one\n#include \"none\"\n*/ int a; // \"/*\n"
                                          "char c = \"/*\"[0];\nchar q = '\"'; /* {\n"
                                          "#include \"none\"\n} */\n// #include \"none\"\n",
                                          NULL);
    assert_non_null(strstr(e.source.data, "#include \"none\"\n*/"));
    cladei_expansion_free(&e);
}

/* The compiler joins a line that ends in a backslash to the next one, on which nothing begins. */
static void continued_lines_hide_includes(void **state)
{
    put(*state, "a.clh", "A\n");
    struct cladei_expansion e = expand_ok("// one \\\n#include \"none\"\n// two \\ \t\r\n"
                                          "#include \"none\"\n#define TEXT \"\\\n/* no comment \"\n"
                                          "// \\\n/* nor that \\\n#if\n#include \"a.clh\"\n",
                                          *state);
    assert_non_null(strstr(e.source.data, "// one \\\n#include \"none\"\n"));
    assert_non_null(strstr(e.source.data, "\nA\n"));
    cladei_expansion_free(&e);
}

/* Marks of ours, and what follows the include, are no part of a file's last line. */
static void a_backslash_ends_with_its_file(void **state)
{
    put(*state, "end.clh", "#define K(a) (a) \\\n");
    struct cladei_expansion e = expand_ok("#include \"end.clh\"\nAFTER\n", *state);
    assert_non_null(strstr(e.source.data, "(a) \\\n\n#line 2 \"main.cl\"\nAFTER\n"));
    cladei_expansion_free(&e);
}

static void byte_order_marks_are_passed_over(void **state)
{
    put(*state, "a.clh", "\xef\xbb\xbf#include \"b.clh\"\n");
    put(*state, "b.clh",
        "\xef\xbb\xbf"
        "B\n");
    struct cladei_expansion e = expand_ok("\xef\xbb\xbf#include \"a.clh\"\nC\n", *state);
    assert_non_null(strstr(e.source.data, "\nB\n"));
    assert_null(strchr(e.source.data, '\xef'));
    cladei_expansion_free(&e);
    e = expand_ok("\xef\xbb", *state); /* none, and the text's end */
    assert_string_equal(e.source.data, "#line 1 \"main.cl\"\n\xef\xbb\n");
    cladei_expansion_free(&e);
}

static void a_missing_include_names_file_and_line(void **state)
{
    expand_fails("int a;\n#include \"gone.clh\"\n", *state, CLADE_E_NOT_FOUND,
                 "main.cl:2:1: error: the included file \"gone.clh\"");
}

static void a_cycle_is_an_error_not_a_hang(void **state)
{
    put(*state, "a.clh", "#include \"b.clh\"\n");
    put(*state, "b.clh", "#include \"a.clh\"\n");
    expand_fails("#include \"a.clh\"\n", *state, CLADE_E_ARG, "includes itself");
}

static void deep_nesting_is_bounded(void **state)
{
    for (int i = 0; i < 70; i++) {
        char name[32], text[64];
        snprintf(name, sizeof name, "n%d.clh", i);
        snprintf(text, sizeof text, "#include \"n%d.clh\"\n", i + 1);
        put(*state, name, text);
    }
    put(*state, "n70.clh", "END\n");
    expand_fails("#include \"n0.clh\"\n", *state, CLADE_E_ARG, "deeper than");
}

static void a_binary_file_is_refused(void **state)
{
    free(scratch_file(*state, "bin.clh", "a\0b", 3));
    expand_fails("#include \"bin.clh\"\n", *state, CLADE_E_ARG, "not a text file");
}

static void carriage_returns_and_odd_spacing_are_understood(void **state)
{
    put(*state, "a.clh", "A\n");
    struct cladei_expansion e = expand_ok("  #  include   \"a.clh\"  \r\n", *state);
    assert_non_null(strstr(e.source.data, "\nA\n"));
    cladei_expansion_free(&e);
}

static void the_first_folder_of_a_path_wins(void **state)
{
    put(*state, "one/f.clh", "ONE\n");
    put(*state, "two/f.clh", "TWO\n");
    char path[1024];
    snprintf(path, sizeof path, "%s/none::%s/one:%s/two", (char *)*state, (char *)*state,
             (char *)*state);
    struct cladei_expansion e = expand_ok("#include \"f.clh\"\n", path);
    assert_non_null(strstr(e.source.data, "\nONE\n"));
    cladei_expansion_free(&e);
}

/* A file of the same name in the working folder is not what is meant. */
static void the_working_folder_is_not_searched_for_texts_in_memory(void **state)
{
    char here[4096];
    struct cladei_expansion e;
    put(*state, "work/main.cl", "WRONG\n");
    put(*state, "work/part.clh", "WRONG\n");
    put(*state, "right/main.cl", "MAIN\n");
    put(*state, "right/part.clh", "PART\n");
    char *work = scratch_path(*state, "work"), *right = scratch_path(*state, "right");
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(work), 0);
    e = expand_ok("#include \"main.cl\"\n#include \"part.clh\"\n", right);
    assert_int_equal(chdir(here), 0);
    assert_non_null(strstr(e.source.data, "\nMAIN\n"));
    assert_non_null(strstr(e.source.data, "\nPART\n"));
    assert_null(strstr(e.source.data, "WRONG"));
    cladei_expansion_free(&e);
    free(work);
    free(right);
}

static void quotes_in_file_names_are_escaped(void **state)
{
    (void)state;
    struct cladei_expansion e;
    assert_ok(cladei_expand(&e, "x\n", "a\"b\\c.cl", NULL, NULL, NULL));
    assert_string_equal(e.source.data, "#line 1 \"a\\\"b\\\\c.cl\"\nx\n");
    cladei_expansion_free(&e);
}

static void messages_without_names_are_put_right(void **state)
{
    (void)state;
    static const char source[] = "#line 1 \"u.cl\"\n#line 1 \"/a b/x.clh\"\n\n\nbad\n"
                                 "#line 2 \"u.cl\"\nworse\n";
    char *log = cladei_log_translate("<kernel>:5:27: error: bad\nbad\n  ^\n"
                                     "input.cl:7: error: worse\n<kernel>:99:1: note\n"
                                     "<kernel>: no line\n<kernel>:2:1: a mark",
                                     source);
    assert_string_equal(log, "/a b/x.clh:3:27: error: bad\nbad\n  ^\n"
                             "u.cl:2: error: worse\n<kernel>:99:1: note\n"
                             "<kernel>: no line\n<kernel>:2:1: a mark");
    free(log);
}

/* PoCL's own order of words, made everybody's. */
static void a_place_comes_first(void **state)
{
    static const char source[] = "int x;\n";
    static const char *const pairs[][2] = {
        { "error: /a b/u.cl:3:12: use of x\n", "/a b/u.cl:3:12: error: use of x\n" },
        { "warning: u.cl:3:12: unused", "u.cl:3:12: warning: unused" },
        { "fatal error: a:7:u.cl:3:1: no\n", "a:7:u.cl:3:1: fatal error: no\n" },
        { "error: no place 3:4 here\n", "error: no place 3:4 here\n" },
        { "error: u.cl:3:12:no blank\n", "error: u.cl:3:12:no blank\n" },
        { "error: u.cl:3:\n", "error: u.cl:3:\n" },
        { "error: ", "error: " },
    };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        char *log = cladei_log_translate(pairs[i][0], source);
        assert_string_equal(log, pairs[i][1]);
        free(log);
    }
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, drop_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(source_without_includes_is_kept),
        IN_FOLDER(an_include_is_replaced_with_line_marks),
        IN_FOLDER(pragma_once_is_honoured_and_templates_repeat),
        IN_FOLDER(pragma_once_may_be_followed_by_a_comment),
        IN_FOLDER(pragma_once_holds_for_every_spelling),
        IN_FOLDER(nested_includes_are_found_beside_their_includer),
        IN_FOLDER(pragma_once_inside_a_condition_hides_nothing),
        IN_FOLDER(pragma_once_inside_of_a_guard_hides_nothing),
        IN_FOLDER(pragma_once_in_memory_leaves_files_alone),
        cmocka_unit_test(comments_hide_includes),
        IN_FOLDER(continued_lines_hide_includes),
        IN_FOLDER(a_backslash_ends_with_its_file),
        IN_FOLDER(byte_order_marks_are_passed_over),
        IN_FOLDER(a_missing_include_names_file_and_line),
        IN_FOLDER(a_cycle_is_an_error_not_a_hang),
        IN_FOLDER(deep_nesting_is_bounded),
        IN_FOLDER(a_binary_file_is_refused),
        IN_FOLDER(carriage_returns_and_odd_spacing_are_understood),
        IN_FOLDER(the_first_folder_of_a_path_wins),
        IN_FOLDER(the_working_folder_is_not_searched_for_texts_in_memory),
        cmocka_unit_test(quotes_in_file_names_are_escaped),
        cmocka_unit_test(messages_without_names_are_put_right),
        cmocka_unit_test(a_place_comes_first),
    };
    return cmocka_run_group_tests_name("expand", tests, NULL, NULL);
}
