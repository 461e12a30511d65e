// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.folder;

import java.io.Serializable;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * The 16 random bytes in the names of an application's folders, so that nobody can guess the names
 * or create the folders first. The driver creates it.
 *
 * @param hex the bytes as 32 lower-case hexadecimal digits
 */
public record FolderToken(String hex) implements Serializable {
  /** Length of a token in bytes. */
  public static final int BYTES = 16;

  private static final Pattern HEX = Pattern.compile("[0-9a-f]{32}");

  public FolderToken {
    if (!HEX.matcher(hex).matches()) {
      throw new IllegalArgumentException(
          "a token has 32 lower-case hexadecimal digits, unlike " + hex);
    }
  }

  /** Returns a new token from a secure random number generator. */
  public static FolderToken random() {
    byte[] bytes = new byte[BYTES];
    new SecureRandom().nextBytes(bytes);
    return of(bytes);
  }

  /** Returns the token with these {@link #BYTES} bytes. */
  public static FolderToken of(byte[] bytes) {
    return new FolderToken(HexFormat.of().formatHex(bytes));
  }

  /** Returns a copy of the {@link #BYTES} bytes. */
  public byte[] bytes() {
    return HexFormat.of().parseHex(hex);
  }

  @Override
  public String toString() {
    return hex;
  }
}
