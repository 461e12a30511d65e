// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.ffi.DirectMemory;
import io.symshuffle.shuffle.directory.MapOutputId;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file with a map output's data of the DISK tier, and its index if the heap had no space for
 * it: {@code <disk folder>/<shuffle id>-<map task id>.runs}, mode 0600.
 *
 * <p>It is read with positioned reads, not mapped: a disk failure is an {@code IOException} instead
 * of a signal, and the number of mappings of a process is limited. Not thread-safe.
 */
public final class DiskFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DiskFile.class);

  /** A glob that matches all such files. */
  static final String FILES = "*.runs";

  /**
   * Memory is read and written in pieces of this size. Java copies arrays through native memory of
   * the size of the piece, which it keeps for the thread.
   */
  private static final long PIECE_BYTES = 1L << 20;

  private final Path path;
  private final FileChannel channel;

  /** Null if the file is not encrypted. */
  private final DiskEncryption.OfFile cipher;

  private final Optional<DiskEncryption> encryption;
  private long end;

  /** Whether an encrypted file has bytes after its end. */
  private boolean spoiled;

  private DiskFile(
      Path path,
      FileChannel channel,
      Optional<DiskEncryption> encryption,
      DiskEncryption.OfFile cipher,
      long end) {
    this.path = path;
    this.channel = channel;
    this.encryption = encryption;
    this.cipher = cipher;
    this.end = end;
  }

  static Path path(Path folder, MapOutputId id) {
    return folder.resolve(name(id));
  }

  static String name(MapOutputId id) {
    return id.shuffleId() + "-" + id.mapId() + ".runs";
  }

  /**
   * Creates an empty file.
   *
   * @param encryption of its contents, if they are encrypted
   * @throws IOException if it exists or cannot be created
   */
  static DiskFile create(Path path, Optional<DiskEncryption> encryption) throws IOException {
    FileChannel channel =
        FileChannel.open(
            path,
            Set.of(
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    return create(path, channel, encryption);
  }

  static DiskFile create(Path path, FileChannel channel, Optional<DiskEncryption> encryption)
      throws IOException {
    boolean complete = false;
    try {
      DiskEncryption.OfFile cipher =
          encryption.isPresent() ? encryption.get().create(channel) : null;
      complete = true;
      return new DiskFile(path, channel, encryption, cipher, 0);
    } finally {
      if (!complete) {
        channel.close();
        delete(path);
      }
    }
  }

  /** Opens a file of this or another PE for reading. */
  static DiskFile open(Path path, Optional<DiskEncryption> encryption) throws IOException {
    FileChannel channel =
        FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    boolean complete = false;
    try {
      DiskEncryption.OfFile cipher = encryption.isPresent() ? encryption.get().open(channel) : null;
      long bytes = channel.size() - (cipher == null ? 0 : DiskEncryption.IV_BYTES);
      complete = true;
      return new DiskFile(path, channel, encryption, cipher, bytes);
    } finally {
      if (!complete) {
        channel.close();
      }
    }
  }

  /**
   * Appends memory of any size. After a failure, the file ends where it did before; an encrypted
   * file can then only be read and moved, since counter mode must not write a position twice.
   *
   * @return its offset in the file
   * @throws IOException if it cannot be written
   */
  long append(MemorySegment bytes) throws IOException {
    return append(bytes, PIECE_BYTES);
  }

  long append(MemorySegment bytes, long pieceBytes) throws IOException {
    if (spoiled) {
      throw new IOException("an earlier write to the encrypted file %s failed".formatted(path));
    }
    long start = end;
    boolean complete = false;
    try {
      for (long done = 0; done < bytes.byteSize(); done += pieceBytes) {
        long piece = Math.min(pieceBytes, bytes.byteSize() - done);
        ByteBuffer buffer = bytes.asSlice(done, piece).asByteBuffer();
        while (buffer.hasRemaining()) {
          end +=
              DirectMemory.require(
                  "a piece of %d bytes to write to disk",
                  buffer.remaining(), () -> writePiece(end, buffer));
        }
      }
      complete = true;
      return start;
    } finally {
      if (!complete) {
        end = start;
        spoiled = cipher != null;
      }
    }
  }

  private int writePiece(long position, ByteBuffer from) throws IOException {
    return cipher == null ? channel.write(from, position) : cipher.write(position, from);
  }

  /**
   * Copies what was appended so far to a new file, and closes and deletes this one.
   *
   * @return the new file, for further appends
   * @throws UnreadableException if this file cannot be read; it is still open then
   * @throws IOException if the new file cannot be written; this file is still open then
   */
  DiskFile moveTo(Path target) throws IOException {
    DiskFile copy = create(target, encryption);
    boolean complete = false;
    try {
      copyTo(copy);
      complete = true;
    } finally {
      if (!complete) {
        copy.close();
        delete(target);
      }
    }
    try {
      close();
      delete(path);
    } catch (IOException e) {
      // Its disk fails. The folder is removed when the application ends.
      LOG.debug("{} cannot be deleted", path, e);
    }
    return copy;
  }

  private void copyTo(DiskFile copy) throws IOException {
    // The system copies no file here: its errors do not tell which of the two failed, and an
    // encrypted copy has another vector.
    byte[] piece = new byte[(int) Math.min(PIECE_BYTES, end)];
    while (copy.end < end) {
      int bytes = (int) Math.min(piece.length, end - copy.end);
      MemorySegment memory = MemorySegment.ofArray(piece).asSlice(0, bytes);
      try {
        read(copy.end, memory);
      } catch (ClosedByInterruptException e) {
        throw e;
      } catch (IOException e) {
        throw new UnreadableException("%s cannot be read: %s".formatted(path, e.getMessage()), e);
      }
      copy.append(memory);
    }
  }

  /** A file that was to be moved cannot be read. */
  static final class UnreadableException extends IOException {
    private static final long serialVersionUID = 1L;

    UnreadableException(String message, IOException cause) {
      super(message, cause);
    }
  }

  /**
   * Fills memory of any size from {@code position} on.
   *
   * @throws EOFException if the file is too short
   */
  void read(long position, MemorySegment to) throws IOException {
    read(position, to, PIECE_BYTES);
  }

  void read(long position, MemorySegment to, long pieceBytes) throws IOException {
    for (long done = 0; done < to.byteSize(); done += pieceBytes) {
      MemorySegment piece = to.asSlice(done, Math.min(pieceBytes, to.byteSize() - done));
      readPiece(position + done, piece.asByteBuffer());
      if (cipher != null) {
        cipher.apply(position + done, piece);
      }
    }
  }

  /**
   * Fills the rest of a buffer from {@code position} on.
   *
   * @throws EOFException if the file is too short
   */
  void read(long position, ByteBuffer to) throws IOException {
    read(position, MemorySegment.ofBuffer(to));
    to.position(to.limit());
  }

  private void readPiece(long position, ByteBuffer to) throws IOException {
    long at = position + (cipher == null ? 0 : DiskEncryption.IV_BYTES);
    while (to.hasRemaining()) {
      long from = at;
      int got =
          DirectMemory.require(
              "a piece of %d bytes to read from disk",
              to.remaining(), () -> channel.read(to, from));
      if (got < 0) {
        throw new EOFException(
            "%s ends at %d; expected %d more bytes".formatted(path, at, to.remaining()));
      }
      at += got;
    }
  }

  /** Number of bytes written, or in the file when it was opened. */
  long bytes() {
    return end;
  }

  Path path() {
    return path;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  static void delete(Path path) throws IOException {
    Files.deleteIfExists(path);
  }
}
