// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;

/** Flips bytes of rows where they lie, as a fault of memory or of another program would. */
final class HeapCorruption {
  private HeapCorruption() {}

  /**
   * Overwrites the first byte of each occurrence of a text.
   *
   * @return how many were found
   */
  static int overwrite(Collection<Path> files, String text) {
    byte[] wanted = text.getBytes(StandardCharsets.UTF_8);
    int found = 0;
    for (Path file : files) {
      try (FileChannel channel = FileChannel.open(file, READ, WRITE)) {
        found += overwrite(channel, wanted);
      } catch (IOException e) {
        throw new UncheckedIOException("corrupting " + file, e);
      }
    }
    return found;
  }

  private static int overwrite(FileChannel channel, byte[] wanted) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(channel.size()));
    while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) >= 0) {}
    int found = 0;
    for (int at = indexOf(bytes.array(), wanted, 0);
        at >= 0;
        at = indexOf(bytes.array(), wanted, at + 1)) {
      channel.write(ByteBuffer.wrap(new byte[] {'#'}), at);
      found++;
    }
    return found;
  }

  private static int indexOf(byte[] bytes, byte[] wanted, int from) {
    for (int at = from; at + wanted.length <= bytes.length; at++) {
      if (bytes[at] == wanted[0]
          && Arrays.equals(bytes, at, at + wanted.length, wanted, 0, wanted.length)) {
        return at;
      }
    }
    return -1;
  }
}
