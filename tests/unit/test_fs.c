// SPDX-License-Identifier: Apache-2.0
// Whole files and folders.
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include "engines/base/fs.h"

static char folder[64];

static void folder_make(void)
{
    snprintf(folder, sizeof(folder), "/tmp/tacho-fs-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

static void folder_remove(void)
{
    cr_expect_eq(fs_remove_tree(folder, NULL), ERR_OK);
    cr_expect_not(fs_exists(folder));
}

static const char *in_folder(const char *name)
{
    static char path[256];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

Test(fs, reads_back_what_it_wrote, .init = folder_make, .fini = folder_remove)
{
    static char bytes[200000];
    struct buf buf;

    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (char)(i * 31);
    }
    buf_init(&buf, sizeof(bytes));
    cr_expect_eq(fs_write_file(in_folder("a"), bytes, sizeof(bytes), NULL), ERR_OK);
    cr_expect_eq(fs_read_file(in_folder("a"), &buf, NULL), ERR_OK);
    cr_expect_eq(buf.length, sizeof(bytes));
    cr_expect_eq(memcmp(buf.bytes, bytes, sizeof(bytes)), 0);
    buf_clear(&buf);
    cr_expect_eq(fs_write_file(in_folder("a"), "", 0, NULL), ERR_OK);
    cr_expect_eq(fs_read_file(in_folder("a"), &buf, NULL), ERR_OK);
    cr_expect_eq(buf.length, 0);
    buf_release(&buf);
}

Test(fs, refuses_what_it_cannot_read_whole, .init = folder_make, .fini = folder_remove)
{
    struct buf buf;
    struct err e = {0};

    buf_init(&buf, 3);
    cr_expect_eq(fs_read_file(in_folder("none"), &buf, &e), ERR_SYS);
    cr_expect_eq(e.sys_errno, ENOENT);
    cr_expect_eq(fs_read_file(folder, &buf, &e), ERR_FORMAT);
    cr_assert_eq(mkfifo(in_folder("pipe"), 0600), 0);
    cr_expect_eq(fs_read_file(in_folder("pipe"), &buf, &e), ERR_FORMAT, "and does not block");
    cr_expect_eq(fs_read_file("/dev/zero", &buf, &e), ERR_FORMAT);
    cr_expect_eq(fs_write_file(in_folder("a"), "1234", 4, NULL), ERR_OK);
    cr_expect_eq(fs_read_file(in_folder("a"), &buf, &e), ERR_FORMAT);
    cr_expect(strstr(e.text, "larger than 3 bytes"), "%s", e.text);
    cr_expect_eq(fs_read_file("/proc/self/maps", &buf, &e), ERR_FORMAT, "which tells no size");
    cr_expect_eq(fs_check_regular(in_folder("a"), 3, &e), ERR_FORMAT);
    cr_expect_eq(fs_check_regular(in_folder("a"), 4, &e), ERR_OK);
    cr_expect_eq(fs_check_regular(in_folder("a"), 0, &e), ERR_OK);
    cr_expect_eq(fs_check_regular(in_folder("pipe"), 0, &e), ERR_FORMAT);
    cr_expect_eq(fs_check_regular("", 0, &e), ERR_USAGE);
    cr_expect_eq(fs_read_file("", &buf, &e), ERR_USAGE);
    buf_release(&buf);
}

/* A rename as root would take the place of /dev/null. */
Test(fs, replaces_nothing_but_regular_files, .init = folder_make, .fini = folder_remove)
{
    static const char *const names[] = {"pipe", "device", "link", "folder", "socket"};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat before, after;
    struct err e = {0};

    cr_assert_eq(mkfifo(in_folder("pipe"), 0600), 0);
    cr_assert_eq(mkdir(in_folder("folder"), 0700), 0);
    cr_assert_eq(symlink("nowhere", in_folder("link")), 0);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", folder);
    cr_assert_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    close(fd);
    bool has_device = mknod(in_folder("device"), S_IFCHR | 0600, makedev(1, 3)) == 0; /* as root */
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (strcmp(names[i], "device") == 0 && !has_device) {
            continue;
        }
        cr_assert_eq(lstat(in_folder(names[i]), &before), 0);
        cr_expect_eq(fs_write_file(in_folder(names[i]), "x", 1, &e), ERR_USAGE, "%s", names[i]);
        cr_expect(strstr(e.text, "not replaced"), "%s", e.text);
        cr_expect(lstat(in_folder(names[i]), &after) == 0 && after.st_ino == before.st_ino);
    }
    cr_expect_eq(fs_write_file("", "x", 1, &e), ERR_USAGE);
}

Test(fs, leaves_the_old_file_when_writing_fails, .init = folder_make, .fini = folder_remove)
{
    struct err e = {0};

    cr_expect_eq(fs_write_file(in_folder("none/a"), "x", 1, &e), ERR_SYS);
    cr_expect_eq(e.sys_errno, ENOENT);
    cr_assert_eq(mkdir(in_folder("taken"), 0700), 0);
    cr_expect_eq(fs_write_file(in_folder("taken"), "x", 1, &e), ERR_USAGE, "a folder is there");
    char partial[128];
    snprintf(partial, sizeof(partial), "taken.partial-%ld", (long)getpid());
    cr_expect_not(fs_exists(in_folder(partial)));
}

Test(fs, makes_every_folder_of_a_path, .init = folder_make, .fini = folder_remove)
{
    struct err e = {0};

    cr_expect_eq(fs_make_directories(in_folder("a/b//c/"), NULL), ERR_OK);
    cr_expect(fs_exists(in_folder("a/b/c")));
    cr_expect_eq(fs_make_directories(in_folder("a/b/c"), NULL), ERR_OK);
    cr_expect_eq(fs_write_file(in_folder("a/f"), "x", 1, NULL), ERR_OK);
    cr_expect_eq(fs_make_directories(in_folder("a/f"), &e), ERR_SYS);
    cr_expect_eq(fs_make_directories(in_folder("a/f/g"), &e), ERR_SYS);
    cr_expect_eq(fs_make_directories("", &e), ERR_USAGE);
}

Test(fs, removes_links_and_not_what_they_lead_to, .init = folder_make, .fini = folder_remove)
{
    cr_expect_eq(fs_make_directories(in_folder("kept"), NULL), ERR_OK);
    cr_expect_eq(fs_write_file(in_folder("kept/file"), "x", 1, NULL), ERR_OK);
    cr_expect_eq(fs_make_directories(in_folder("gone/deep"), NULL), ERR_OK);
    cr_assert_eq(symlink("../kept", in_folder("gone/link")), 0);
    cr_assert_eq(symlink("nowhere", in_folder("gone/broken")), 0);
    cr_expect_eq(fs_remove_tree(in_folder("gone"), NULL), ERR_OK);
    cr_expect_not(fs_exists(in_folder("gone")));
    cr_expect(fs_exists(in_folder("kept/file")));
    cr_expect_eq(fs_remove_tree(in_folder("gone"), NULL), ERR_OK, "not there is no error");
}
