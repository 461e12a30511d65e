// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.gpu;

import io.symshuffle.heap.folder.FolderToken;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * The messages with which a PE asks another one for the descriptor of a chunk. Numbers are
 * little-endian.
 *
 * <pre>
 *   request                          reply
 *   offset  bytes  field             offset  bytes  field
 *        0      8  mark                   0      8  mark
 *        8     16  token                  8      8  1: the descriptor is attached, 0: unknown
 *       24      4  PE of the owner       16      4  PE of the owner
 *       28      4  chunk                 20      4  chunk
 *       32      8  number of memory      24      8  number of memory
 * </pre>
 */
final class DescriptorMessage {
  static final int REQUEST_BYTES = 40;
  static final int REPLY_BYTES = 32;

  /** "SYMFDRQ" and the version. */
  private static final long REQUEST_MARK = 0x0151_5244_464d_5953L;

  /** "SYMFDRP" and the version. */
  private static final long REPLY_MARK = 0x0150_5244_464d_5953L;

  private DescriptorMessage() {}

  /**
   * Memory in a PE's window.
   *
   * @param pe the owner, 0 or more
   * @param chunk which chunk, 0 or more
   * @param number distinguishes it from earlier and later memory of the same chunk; not 0
   */
  record ChunkId(int pe, int chunk, long number) {
    private static Optional<ChunkId> read(ByteBuffer from) {
      int pe = from.getInt();
      int chunk = from.getInt();
      long number = from.getLong();
      return pe < 0 || chunk < 0 || number == 0
          ? Optional.empty()
          : Optional.of(new ChunkId(pe, chunk, number));
    }

    private ByteBuffer write(ByteBuffer to) {
      return to.putInt(pe).putInt(chunk).putLong(number);
    }
  }

  /**
   * A request.
   *
   * @param token the token of the application that the sender belongs to
   */
  record Request(FolderToken token, ChunkId id) {
    byte[] toBytes() {
      ByteBuffer bytes = buffer(new byte[REQUEST_BYTES]);
      return id.write(bytes.putLong(REQUEST_MARK).put(token.bytes())).array();
    }

    /** Reads a request; empty when it is not one. */
    static Optional<Request> read(byte[] message) {
      ByteBuffer bytes = buffer(message);
      if (message.length != REQUEST_BYTES || bytes.getLong() != REQUEST_MARK) {
        return Optional.empty();
      }
      byte[] token = new byte[FolderToken.BYTES];
      bytes.get(token);
      return ChunkId.read(bytes).map(id -> new Request(FolderToken.of(token), id));
    }
  }

  /**
   * A reply.
   *
   * @param known whether the descriptor is attached
   */
  record Reply(boolean known, ChunkId id) {
    byte[] toBytes() {
      ByteBuffer bytes = buffer(new byte[REPLY_BYTES]);
      return id.write(bytes.putLong(REPLY_MARK).putLong(known ? 1 : 0)).array();
    }

    /** Reads a reply; empty when it is not one. */
    static Optional<Reply> read(byte[] message) {
      ByteBuffer bytes = buffer(message);
      if (message.length != REPLY_BYTES || bytes.getLong() != REPLY_MARK) {
        return Optional.empty();
      }
      long known = bytes.getLong();
      return known < 0 || known > 1
          ? Optional.empty()
          : ChunkId.read(bytes).map(id -> new Reply(known == 1, id));
    }
  }

  private static ByteBuffer buffer(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
