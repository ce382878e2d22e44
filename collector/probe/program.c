// SPDX-License-Identifier: Apache-2.0
// What is known of this program as it runs.
#include "collector/probe/program.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "collector/digest.h"
#include "engines/base/attr.h"

#define LIBRARY_COUNT_MAX 128
#define NAME_BYTES        64
#define BUILD_ID_BYTES    20

struct library {
    char name[NAME_BYTES], sha256[DIGEST_HEX_BYTES];
};

struct image {
    struct library libraries[LIBRARY_COUNT_MAX];
    size_t library_count;
    bool is_whole; /* every library was hashed */
    char build_id[2 * BUILD_ID_BYTES + 1];
};

/* Notes are a row of: sizes, type, name, bytes, each padded to 4. This program's own, mapped by the
 * loader. */
static void build_id_find(const char *note, size_t length, char out[2 * BUILD_ID_BYTES + 1])
{
    ElfW(Nhdr) head;

    while (length >= sizeof(head)) {
        memcpy(&head, note, sizeof(head));
        size_t name = (head.n_namesz + 3U) & ~3U, bytes = (head.n_descsz + 3U) & ~3U;

        if (name > length || bytes > length || sizeof(head) + name + bytes > length) {
            return;
        }
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == sizeof(ELF_NOTE_GNU) &&
            head.n_descsz == BUILD_ID_BYTES) {
            const unsigned char *id = (const unsigned char *)note + sizeof(head) + name;
            for (size_t i = 0; i < BUILD_ID_BYTES; i++) {
                snprintf(out + 2 * i, 3, "%02x", id[i]);
            }
            return;
        }
        note += sizeof(head) + name + bytes;
        length -= sizeof(head) + name + bytes;
    }
}

static void library_add(struct image *image, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    /* What the kernel maps into every process has no file. */
    if (!slash || strncmp(name, "linux-", strlen("linux-")) == 0) {
        return;
    }
    if (image->library_count == LIBRARY_COUNT_MAX) {
        image->is_whole = false;
        return;
    }
    struct library *library = &image->libraries[image->library_count];
    snprintf(library->name, sizeof(library->name), "%s", name);
    char *real_path = realpath(path, NULL); /* most are symbolic links */
    if (real_path && digest_file(real_path, library->sha256, NULL) == ERR_OK) {
        image->library_count++;
    } else {
        image->is_whole = false;
    }
    free(real_path);
}

static int object_visit(struct dl_phdr_info *info, size_t size, void *self)
{
    struct image *image = self;

    (void)size;
    if (*info->dlpi_name) {
        library_add(image, info->dlpi_name);
        return 0;
    }
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];

        if (part->p_type == PT_NOTE) {
            build_id_find((const char *)(info->dlpi_addr + part->p_vaddr), part->p_memsz,
                          image->build_id);
        }
    }
    return 0;
}

static int library_compare(const void *left, const void *right)
{
    return strcmp(((const struct library *)left)->name, ((const struct library *)right)->name);
}

/* One hash over the lines "SHA256  NAME", as sha256sum writes them, in the order of the names. */
static void libraries_put(struct image *image, const struct machine_sink *sink)
{
    const size_t capacity = LIBRARY_COUNT_MAX * sizeof(struct library);
    char *lines = calloc(1, capacity + 1), *names = calloc(1, capacity + 1);
    char hex[DIGEST_HEX_BYTES];
    size_t line_bytes = 0, name_bytes = 0;

    qsort(image->libraries, image->library_count, sizeof(struct library), library_compare);
    for (size_t i = 0; lines && names && i < image->library_count; i++) {
        const struct library *library = &image->libraries[i];

        line_bytes += (size_t)snprintf(lines + line_bytes, capacity - line_bytes, "%s  %s\n",
                                       library->sha256, library->name);
        name_bytes += (size_t)snprintf(names + name_bytes, capacity - name_bytes, "%s%s",
                                       i ? " " : "", library->name);
    }
    bool is_hashed =
        image->is_whole && lines && names && digest_bytes(lines, line_bytes, hex, NULL) == ERR_OK;
    sink->put(sink->self, "program.libraries", names);
    sink->put(sink->self, "program.libraries_sha256", is_hashed ? hex : NULL);
    free(lines);
    free(names);
}

void program_describe(const struct machine_sink *sink)
{
    struct image *image = calloc(1, sizeof(*image));

    if (!image) {
        return;
    }
    image->is_whole = true;
    dl_iterate_phdr(object_visit, image);
    sink->put(sink->self, "program.build_id", *image->build_id ? image->build_id : NULL);
    libraries_put(image, sink);
    free(image);
}

const char *program_filesystem(const char *path)
{
    /* linux/magic.h, and statfs(2) for those that lie outside of the kernel */
    static const struct {
        unsigned number;
        const char *name;
    } names[] = {{0xef53, "ext4"},      {0x58465342, "xfs"},       {0x9123683e, "btrfs"},
                 {0x01021994, "tmpfs"}, {0x794c7630, "overlayfs"}, {0x6969, "nfs"},
                 {0xff534d42, "cifs"},  {0x65735546, "fuse"},      {0x2fc12fc1, "zfs"},
                 {0xf2f52010, "f2fs"},  {0x01021997, "9p"},        {0x61756673, "aufs"}};
    static char number[16];
    struct statfs status;

    if (statfs(path, &status) < 0) {
        return NULL;
    }
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (names[i].number == (unsigned)status.f_type) {
            return names[i].name;
        }
    }
    snprintf(number, sizeof(number), "0x%x", (unsigned)status.f_type);
    return number;
}
