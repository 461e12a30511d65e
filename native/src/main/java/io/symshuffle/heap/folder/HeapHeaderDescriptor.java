// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.folder;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.google.errorprone.annotations.FormatMethod;
import io.symshuffle.ffi.Segments;
import io.symshuffle.heap.ChunkGrid;
import io.symshuffle.heap.HeapException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;

/**
 * Byte layout of a heap file. Numbers are in the machine's byte order: a file never leaves its
 * host.
 *
 * <pre>
 *   offset  bytes  field
 *        0      8  magic, "SYMHEAP" and a zero byte; written last, so that 0 means "not ready yet"
 *        8      4  layout version
 *       12      4  CRC32C of bytes 16 to 4095
 *       16      4  PE
 *       20      4  bytes of the disk bases, d
 *       24      8  window bytes
 *       32      8  process id
 *       40      8  hash of the boot id
 *       48     16  token of the application
 *       64      8  bytes of a file of the heap; the last one is shorter, or the only one
 *       72   4024  disk bases: d bytes of UTF-8 with a zero byte between two, then zeros
 *     4096         a hole
 *     2 MiB        the window
 * </pre>
 *
 * <p>If the heap has several files, these bytes are divided between them, in order; see {@link
 * io.symshuffle.ffi.StripedFile}.
 *
 * <p>The window starts at 2 MiB so that its chunks can be huge pages and so that it is aligned to
 * any page size. The hole costs no memory.
 */
public final class HeapHeaderDescriptor {
  /** "SYMHEAP" and a zero byte, as a little-endian number. */
  static final long MAGIC = 0x0050_4145_484d_5953L;

  /** Incremented with each change of the layout. */
  static final int VERSION = 4;

  static final int MAGIC_OFFSET = 0;
  static final int VERSION_OFFSET = 8;
  static final int CRC_OFFSET = 12;
  static final int PE_OFFSET = 16;
  static final int DISK_BASES_LENGTH_OFFSET = 20;
  static final int WINDOW_BYTES_OFFSET = 24;
  static final int PID_OFFSET = 32;
  static final int BOOT_ID_OFFSET = 40;
  static final int TOKEN_OFFSET = 48;
  static final int STRIPE_BYTES_OFFSET = 64;
  static final int DISK_BASES_OFFSET = 72;

  /** Bytes that a reader needs to check a header. */
  static final int PAGE_BYTES = 4096;

  /** Maximum bytes of all disk bases with the zero bytes between them. */
  static final int DISK_BASES_BYTES = PAGE_BYTES - DISK_BASES_OFFSET;

  /** First byte of the window. */
  public static final long WINDOW_OFFSET = ChunkGrid.CHUNK_BYTES;

  private static final VarHandle LONG = Segments.varHandle(JAVA_LONG);

  private HeapHeaderDescriptor() {}

  /** Writes a header; a reader that sees the magic sees all of it. */
  static void writeRelease(MemorySegment page, HeapHeader header) {
    byte[] diskBases = text(header.diskBases());
    page.set(JAVA_INT, VERSION_OFFSET, VERSION);
    page.set(JAVA_INT, PE_OFFSET, header.pe());
    page.set(JAVA_INT, DISK_BASES_LENGTH_OFFSET, diskBases.length);
    page.set(JAVA_LONG, WINDOW_BYTES_OFFSET, header.windowBytes());
    page.set(JAVA_LONG, PID_OFFSET, header.pid());
    page.set(JAVA_LONG, BOOT_ID_OFFSET, header.bootId());
    MemorySegment.copy(header.token().bytes(), 0, page, JAVA_BYTE, TOKEN_OFFSET, FolderToken.BYTES);
    page.set(JAVA_LONG, STRIPE_BYTES_OFFSET, header.stripeBytes());
    MemorySegment.copy(diskBases, 0, page, JAVA_BYTE, DISK_BASES_OFFSET, diskBases.length);
    page.set(JAVA_INT, CRC_OFFSET, crc(page));
    LONG.setRelease(page, (long) MAGIC_OFFSET, MAGIC);
  }

  /**
   * Reads and checks a header. The caller passes a copy that no one else writes to.
   *
   * @param page at least {@link #PAGE_BYTES}, aligned to 8
   * @throws HeapException with the first invalid value
   */
  static HeapHeader read(MemorySegment page) {
    long magic = page.get(JAVA_LONG, MAGIC_OFFSET);
    check(magic == MAGIC, "its first 8 bytes are %016x, not %016x", magic, MAGIC);
    int version = page.get(JAVA_INT, VERSION_OFFSET);
    check(version == VERSION, "its layout version is %d, not %d", version, VERSION);
    int crc = page.get(JAVA_INT, CRC_OFFSET);
    int actual = crc(page);
    check(crc == actual, "its header has CRC %08x, not %08x", crc, actual);
    int pe = page.get(JAVA_INT, PE_OFFSET);
    check(pe >= 0, "its PE is %d", pe);
    long windowBytes = page.get(JAVA_LONG, WINDOW_BYTES_OFFSET);
    check(
        windowBytes > 0 && windowBytes <= Long.MAX_VALUE - WINDOW_OFFSET,
        "its window has %d bytes",
        windowBytes);
    long stripeBytes = page.get(JAVA_LONG, STRIPE_BYTES_OFFSET);
    HeapHeader.stripeFault(windowBytes, stripeBytes)
        .ifPresent(
            fault -> {
              throw new HeapException(fault);
            });
    int length = page.get(JAVA_INT, DISK_BASES_LENGTH_OFFSET);
    check(
        length > 0 && length <= DISK_BASES_BYTES,
        "the names of its disk bases have %d bytes",
        length);
    byte[] token = page.asSlice(TOKEN_OFFSET, FolderToken.BYTES).toArray(JAVA_BYTE);
    byte[] names = page.asSlice(DISK_BASES_OFFSET, length).toArray(JAVA_BYTE);
    return new HeapHeader(
        pe,
        windowBytes,
        page.get(JAVA_LONG, PID_OFFSET),
        page.get(JAVA_LONG, BOOT_ID_OFFSET),
        FolderToken.of(token),
        stripeBytes,
        diskBases(names));
  }

  static byte[] text(List<Path> paths) {
    return paths.stream()
        .map(Path::toString)
        .collect(Collectors.joining("\0"))
        .getBytes(StandardCharsets.UTF_8);
  }

  private static List<Path> diskBases(byte[] bytes) {
    String names = new String(bytes, StandardCharsets.UTF_8);
    check(
        Arrays.equals(names.getBytes(StandardCharsets.UTF_8), bytes),
        "its disk bases are not UTF-8");
    try {
      List<Path> paths = new ArrayList<>();
      for (String name : names.split("\0", -1)) {
        Path path = Path.of(name);
        check(path.isAbsolute(), "its disk base is not absolute: %s", name);
        paths.add(path);
      }
      return paths;
    } catch (InvalidPathException e) {
      throw new HeapException("its disk base is not a path: " + e.getMessage(), e);
    }
  }

  private static int crc(MemorySegment page) {
    CRC32C crc = new CRC32C();
    crc.update(page.asSlice(PE_OFFSET, PAGE_BYTES - PE_OFFSET).toArray(JAVA_BYTE));
    return (int) crc.getValue();
  }

  @FormatMethod
  private static void check(boolean good, String sentence, Object... values) {
    if (!good) {
      throw new HeapException(sentence.formatted(values));
    }
  }
}
