// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.folder;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** Identifies the current boot of the machine. */
public final class BootId {
  private static final Path FILE = Path.of("/proc/sys/kernel/random/boot_id");

  private BootId() {}

  /** Returns the kernel's boot id; empty where it cannot be read, as in some sandboxes. */
  public static String text() {
    try {
      return Files.readString(FILE, StandardCharsets.US_ASCII).strip();
    } catch (IOException e) {
      return "";
    }
  }

  /** Returns a hash of the kernel's boot id; 0 where it cannot be read. */
  public static long hash() {
    try {
      UUID id = UUID.fromString(text());
      return id.getMostSignificantBits() ^ id.getLeastSignificantBits();
    } catch (IllegalArgumentException e) {
      return 0;
    }
  }
}
