// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.ffi.DirectMemory;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts files of the DISK tier with the key of Spark's encryption of local files, as Spark
 * encrypts its own: AES in counter mode, with a random initialization vector that is stored at the
 * start of the file. Counter mode allows reads at any position. It does not detect changes; the
 * checksums of blocks detect accidents.
 *
 * <p>It is the JDK's AES, since the streams of Apache Commons Crypto, which Spark uses, leave their
 * direct buffers to the garbage collector.
 *
 * <p>Immutable and thread-safe; a {@link OfFile} is not.
 */
public final class DiskEncryption {
  /** Size of the vector at the start of a file, and of a block of AES, in bytes. */
  static final int IV_BYTES = 16;

  private static final int PIECE_BYTES = 64 << 10;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final SecretKeySpec key;

  /**
   * @param key of 16, 24 or 32 bytes; copied
   */
  public DiskEncryption(byte[] key) {
    this.key = new SecretKeySpec(key, "AES");
  }

  /** Writes a new vector to an empty file. */
  OfFile create(FileChannel channel) throws IOException {
    byte[] iv = new byte[IV_BYTES];
    RANDOM.nextBytes(iv);
    write(channel, 0, iv);
    return new OfFile(channel, iv);
  }

  /**
   * Reads the vector of a file.
   *
   * @throws EOFException if the file is too short to have one
   */
  OfFile open(FileChannel channel) throws IOException {
    byte[] iv = new byte[IV_BYTES];
    int read =
        DirectMemory.require(
            "%d bytes to read from disk", IV_BYTES, () -> channel.read(ByteBuffer.wrap(iv), 0));
    if (read < IV_BYTES) {
      throw new EOFException(
          "the file has %d bytes; an encrypted one starts with %d"
              .formatted(Math.max(0, read), IV_BYTES));
    }
    return new OfFile(channel, iv);
  }

  /** Writes all bytes; the system may write less than it is asked to. */
  private static void write(FileChannel channel, long position, byte[] bytes) throws IOException {
    ByteBuffer from = ByteBuffer.wrap(bytes);
    while (from.hasRemaining()) {
      int unused =
          DirectMemory.require(
              "a piece of %d bytes to write to disk",
              from.remaining(), () -> channel.write(from, position + from.position()));
    }
  }

  /** The bytes of one file after its vector. Positions do not count the vector. */
  final class OfFile {
    private final FileChannel channel;
    private final byte[] iv;

    private OfFile(FileChannel channel, byte[] iv) {
      this.channel = channel;
      this.iv = iv;
    }

    /**
     * Encrypts and writes the first bytes of a buffer. No position may be written twice.
     *
     * @return how many
     */
    int write(long position, ByteBuffer from) throws IOException {
      byte[] piece = new byte[Math.min(PIECE_BYTES, from.remaining())];
      from.get(piece);
      apply(position, piece, piece.length);
      DiskEncryption.write(channel, IV_BYTES + position, piece);
      return piece.length;
    }

    /**
     * Encrypts or decrypts bytes in place, which is the same.
     *
     * @param position of the first one in the file
     */
    void apply(long position, MemorySegment bytes) {
      byte[] piece = new byte[(int) Math.min(PIECE_BYTES, bytes.byteSize())];
      for (long done = 0; done < bytes.byteSize(); done += piece.length) {
        int length = (int) Math.min(piece.length, bytes.byteSize() - done);
        MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, done, piece, 0, length);
        apply(position + done, piece, length);
        MemorySegment.copy(piece, 0, bytes, ValueLayout.JAVA_BYTE, done, length);
      }
    }

    private void apply(long position, byte[] piece, int length) {
      try {
        int unused = at(position).update(piece, 0, length, piece, 0);
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("this JVM has no AES/CTR for files: " + e.getMessage(), e);
      }
    }

    /** The vector is the counter of the first block of AES, as a number of 128 bits. */
    private Cipher at(long position) throws GeneralSecurityException {
      byte[] sum = new BigInteger(1, iv).add(BigInteger.valueOf(position / IV_BYTES)).toByteArray();
      byte[] counter = new byte[IV_BYTES];
      int bytes = Math.min(sum.length, IV_BYTES);
      System.arraycopy(sum, sum.length - bytes, counter, IV_BYTES - bytes, bytes);
      Cipher cipher = Cipher.getInstance("AES/CTR/NoPadding");
      cipher.init(Cipher.ENCRYPT_MODE, key, new IvParameterSpec(counter));
      cipher.update(new byte[(int) (position % IV_BYTES)]);
      return cipher;
    }
  }
}
