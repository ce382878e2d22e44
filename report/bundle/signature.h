// SPDX-License-Identifier: Apache-2.0
// Detached signatures by ssh-keygen -Y (SSHSIG) over the tag manifest: they hold for a bundle
// however it is carried.
#ifndef REPORT_BUNDLE_SIGNATURE_H
#define REPORT_BUNDLE_SIGNATURE_H

#include <stddef.h>

#include "engines/base/attr.h"
#include "engines/base/buf.h"
#include "engines/base/err.h"

#define SIGNATURE_NAMESPACE   "tacho-bundle"
#define SIGNATURE_ENDING      ".sig"             /* after the archive's name */
#define SIGNATURE_BYTES_MAX   ((size_t)64 << 10) /* of a signature */
#define SIGNATURE_SIGNERS_MAX ((size_t)4 << 20)  /* of a file of allowed signers */
#define SIGNATURE_TEXT_BYTES  256

enum signature_verdict {
    SIGNATURE_TRUSTED, /* by a key that the signers' file gives to the identity, now */
    SIGNATURE_UNKNOWN, /* it fits the bytes; whose key it is, the signers' file does not say */
    SIGNATURE_BAD,     /* it is none, is of other bytes or of another namespace */
};

struct signature_check {
    const char *signature_path, *signers_path; /* signers_path may be NULL: nobody is trusted */
    const char *identity; /* who must have signed; NULL: anyone of the signers' file */
    const void *bytes;
    size_t length;
};

struct signature_answer {
    enum signature_verdict verdict;
    char identity[SIGNATURE_TEXT_BYTES]; /* of SIGNATURE_TRUSTED, else "" */
    char key[SIGNATURE_TEXT_BYTES];      /* "ED25519 key SHA256:…"; "" when bad */
    char reason[SIGNATURE_TEXT_BYTES];   /* of what is not trusted: what ssh-keygen says */
};

/*
 * Signs bytes.
 *
 * key_path   private key; or a public one whose private part an agent has
 * errors     ERR_USAGE: the key cannot be used, with what ssh-keygen says; ERR_SYS: no ssh-keygen;
 *            ERR_LIMIT: it did not end
 */
enum err_code signature_make(const char *key_path, const void *bytes, size_t length,
                             struct buf *signature_out, struct err *e) ATTR_MUST_USE;

/* Asks ssh-keygen about a signature. errors ERR_SYS: no ssh-keygen; ERR_LIMIT: it did not end */
enum err_code signature_check(const struct signature_check *check,
                              struct signature_answer *answer_out, struct err *e) ATTR_MUST_USE;

#endif
