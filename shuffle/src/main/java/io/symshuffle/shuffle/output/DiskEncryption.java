// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.SecureRandom;
import java.util.Properties;
import org.apache.commons.crypto.stream.CryptoInputStream;
import org.apache.commons.crypto.stream.CtrCryptoOutputStream;
import org.apache.commons.crypto.stream.PositionedCryptoInputStream;

/**
 * Encrypts files of the DISK tier with the key of Spark's encryption of local files, as Spark
 * encrypts its own: AES in counter mode from Apache Commons Crypto, with a random initialization
 * vector that is stored at the start of the file. Counter mode allows reads at any position. It
 * does not detect changes; the checksums of blocks detect accidents.
 *
 * <p>Immutable and thread-safe; a {@link OfFile} is not.
 */
public final class DiskEncryption {
  /** Size of the vector at the start of a file, in bytes. */
  static final int IV_BYTES = 16;

  private static final int BUFFER_BYTES = 64 << 10;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Properties settings;
  private final byte[] key;

  /**
   * @param settings of Commons Crypto
   * @param key of 16, 24 or 32 bytes; copied
   */
  public DiskEncryption(Properties settings, byte[] key) {
    this.settings = new Properties();
    this.settings.setProperty(
        CryptoInputStream.STREAM_BUFFER_SIZE_KEY, Integer.toString(BUFFER_BYTES));
    this.settings.putAll(settings);
    this.key = key.clone();
  }

  /** Writes a new vector to an empty file. */
  OfFile create(FileChannel channel) throws IOException {
    byte[] iv = new byte[IV_BYTES];
    RANDOM.nextBytes(iv);
    int unused = new FilePosition(channel, 0).write(ByteBuffer.wrap(iv));
    return new OfFile(channel, iv);
  }

  /**
   * Reads the vector of a file.
   *
   * @throws EOFException if the file is too short to have one
   */
  OfFile open(FileChannel channel) throws IOException {
    byte[] iv = new byte[IV_BYTES];
    int read = new FilePosition(channel, 0).read(0, iv, 0, IV_BYTES);
    if (read < IV_BYTES) {
      throw new EOFException(
          "the file has %d bytes; an encrypted one starts with %d".formatted(read, IV_BYTES));
    }
    return new OfFile(channel, iv);
  }

  /** The bytes of one file after its vector. Positions do not count the vector. */
  final class OfFile {
    private final FileChannel channel;
    private final byte[] iv;
    private PositionedCryptoInputStream reader;

    private OfFile(FileChannel channel, byte[] iv) {
      this.channel = channel;
      this.iv = iv;
    }

    /** Writes the rest of a buffer. No position may be written twice. */
    void write(long position, ByteBuffer from) throws IOException {
      FilePosition to = new FilePosition(channel, IV_BYTES + position);
      try (CtrCryptoOutputStream out = new CtrCryptoOutputStream(settings, to, key, iv, position)) {
        out.write(from);
      }
    }

    /**
     * Fills memory.
     *
     * @throws EOFException if the file is too short
     */
    void read(long position, MemorySegment to) throws IOException {
      if (reader == null) {
        FilePosition start = new FilePosition(channel, IV_BYTES);
        reader = new PositionedCryptoInputStream(settings, start, key, iv, 0);
      }
      byte[] piece = new byte[(int) Math.min(BUFFER_BYTES, to.byteSize())];
      for (long done = 0; done < to.byteSize(); done += piece.length) {
        int bytes = (int) Math.min(piece.length, to.byteSize() - done);
        readPiece(position + done, piece, bytes);
        MemorySegment.copy(piece, 0, to, ValueLayout.JAVA_BYTE, done, bytes);
      }
    }

    private void readPiece(long position, byte[] piece, int bytes) throws IOException {
      int done = 0;
      while (done < bytes) {
        int got = reader.read(position + done, piece, done, bytes - done);
        if (got < 0) {
          throw new EOFException(
              "the file ends before %d; expected %d more bytes"
                  .formatted(position + done, bytes - done));
        }
        done += got;
      }
    }

    /** Frees memory; the channel remains open. */
    void close() throws IOException {
      if (reader != null) {
        reader.close();
      }
    }
  }
}
