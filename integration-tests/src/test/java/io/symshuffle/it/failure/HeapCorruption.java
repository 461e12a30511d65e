// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.failure;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/** Overwrites bytes of rows in files, like a fault of memory or of another program. */
final class HeapCorruption {
  private static final int PIECE_BYTES = 1 << 20;
  private static final byte[] ZEROS = new byte[PIECE_BYTES];

  private HeapCorruption() {}

  /**
   * Overwrites the first byte of each occurrence of some texts.
   *
   * @param files files to search; they may be sparse or missing
   * @param texts short texts, all with the same first byte
   * @return number of occurrences
   */
  static int overwrite(Collection<Path> files, String... texts) {
    List<byte[]> wanted =
        Arrays.stream(texts).map(text -> text.getBytes(StandardCharsets.UTF_8)).toList();
    int found = 0;
    for (Path file : files) {
      try (FileChannel channel = FileChannel.open(file, READ, WRITE)) {
        found += overwrite(channel, wanted);
      } catch (NoSuchFileException e) {
        // The heap of an executor that died earlier was deleted.
      } catch (IOException e) {
        throw new UncheckedIOException("corrupting " + file, e);
      }
    }
    return found;
  }

  private static int overwrite(FileChannel channel, List<byte[]> wanted) throws IOException {
    int longest = wanted.stream().mapToInt(text -> text.length).max().orElseThrow();
    ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES + longest - 1);
    int found = 0;
    for (long start = 0; start < channel.size(); start += PIECE_BYTES) {
      piece.clear();
      while (piece.hasRemaining() && channel.read(piece, start + piece.position()) >= 0) {}
      int bytes = piece.position();
      int starts = Math.min(bytes, PIECE_BYTES);
      if (Arrays.equals(piece.array(), 0, starts, ZEROS, 0, starts)) {
        continue;
      }
      for (int at = 0; at < starts; at++) {
        if (startsAt(piece.array(), at, bytes, wanted)) {
          channel.write(ByteBuffer.wrap(new byte[] {'#'}), start + at);
          found++;
        }
      }
    }
    return found;
  }

  private static boolean startsAt(byte[] bytes, int at, int end, List<byte[]> wanted) {
    if (bytes[at] != wanted.getFirst()[0]) {
      return false;
    }
    for (byte[] text : wanted) {
      if (at + text.length <= end
          && Arrays.equals(bytes, at, at + text.length, text, 0, text.length)) {
        return true;
      }
    }
    return false;
  }
}
