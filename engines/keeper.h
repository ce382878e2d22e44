// SPDX-License-Identifier: Apache-2.0
// The keeper of a server that is not ours: a process between tacho and the server, to which all
// that the server starts falls when its parent ends, and which ends all of it when tacho wants it,
// or when tacho is gone.
#ifndef ENGINES_KEEPER_H
#define ENGINES_KEEPER_H

#define KEEPER_OPTION "--keep"

/* The words after KEEPER_OPTION, then those of the command. */
enum keeper_word {
    KEEPER_INPUT,   /* "open", "null", "terminal" */
    KEEPER_MODE,    /* "process", "daemon": the first process may end and others serve */
    KEEPER_GRACE,   /* milliseconds from SIGTERM to SIGKILL */
    KEEPER_PARENT,  /* process id of tacho: when it is another's, tacho is gone already */
    KEEPER_FOLDER,  /* where it runs */
    KEEPER_PROGRAM, /* what is executed; the command's first word is only its name */
    KEEPER_WORD_COUNT
};

/* Ends as the server's first process ended: with its status, or by its signal. words: as above,
 * NULL at the end. */
int keeper_run(int count, char **words);

#endif
