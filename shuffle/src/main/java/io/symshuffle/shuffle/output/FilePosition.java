// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import org.apache.commons.crypto.stream.input.Input;

/**
 * A place in a file as a stream of Commons Crypto sees it: what is written follows what was written
 * before, and reads have positions that count from here. Closing it leaves the file open. Not
 * thread-safe.
 */
final class FilePosition implements Input, WritableByteChannel {
  private final FileChannel channel;
  private final long start;
  private long written;

  FilePosition(FileChannel channel, long start) {
    this.channel = channel;
    this.start = start;
  }

  /**
   * Writes all of a buffer. The system may write less than it is asked to, which the streams of
   * Commons Crypto do not notice.
   *
   * @throws IOException if a part cannot be written
   */
  @Override
  public int write(ByteBuffer from) throws IOException {
    int bytes = from.remaining();
    while (from.hasRemaining()) {
      written += channel.write(from, start + written);
    }
    return bytes;
  }

  @Override
  public int read(long position, byte[] to, int offset, int bytes) throws IOException {
    return channel.read(ByteBuffer.wrap(to, offset, bytes), start + position);
  }

  @Override
  public int read(ByteBuffer to) {
    throw new UnsupportedOperationException("all reads have a position");
  }

  @Override
  public long skip(long bytes) {
    throw new UnsupportedOperationException("all reads have a position");
  }

  @Override
  public int available() {
    return 0;
  }

  @Override
  public void seek(long position) {
    throw new UnsupportedOperationException("all reads have a position");
  }

  @Override
  public boolean isOpen() {
    return channel.isOpen();
  }

  @Override
  public void close() {
    // The owner of the file closes it.
  }
}
