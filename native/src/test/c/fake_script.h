// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Reads the script with which a test controls a fake library: the file `script` in the library's folder,
// one word per line, read at each call. Each copy of a library in a separate folder has separate state, so
// one process can have several PEs.

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline const char *fake_folder(void) {
  static char folder[1024];
  Dl_info info;
  if (folder[0] == 0 && dladdr((const void *)&fake_folder, &info) != 0) {
    snprintf(folder, sizeof folder, "%s", info.dli_fname);
    char *slash = strrchr(folder, '/');
    if (slash != NULL) {
      *slash = 0;
    }
  }
  return folder;
}

/// Finds a word in the script: returns the value of `word=value`, "" for `word`, or NULL if it is absent.
static inline const char *fake_script(const char *word) {
  static __thread char line[256];
  char path[1100];
  snprintf(path, sizeof path, "%s/script", fake_folder());
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    return NULL;
  }
  const char *value = NULL;
  size_t length = strlen(word);
  while (value == NULL && fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = 0;
    if (strncmp(line, word, length) == 0 && (line[length] == 0 || line[length] == '=')) {
      value = line[length] == 0 ? "" : line + length + 1;
    }
  }
  fclose(file);
  return value;
}

static inline long fake_number(const char *word, long otherwise) {
  const char *value = fake_script(word);
  return value == NULL ? otherwise : atol(value);
}
