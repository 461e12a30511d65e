// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.directory.MapOutputId;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskEncryptionTest {
  private static final String MARKER = "row that nobody may read";
  private static final Optional<DiskEncryption> ENCRYPTION = withKey(1);

  @TempDir private Path folder;
  private Path path;

  @BeforeEach
  void chooseFile() {
    path = DiskFile.path(folder, new MapOutputId(1, 2));
  }

  @Test
  void readsAnyRangeOfSeveralRuns() throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    byte[] all = new byte[700_001];
    random.nextBytes(all);
    try (DiskFile written = DiskFile.create(path, ENCRYPTION)) {
      int done = 0;
      while (done < all.length) {
        int bytes = Math.min(all.length - done, 1 + random.nextInt(200_000));
        assertEquals(done, written.append(MemorySegment.ofArray(all).asSlice(done, bytes), 70_000));
        done += bytes;
      }
      assertEquals(all.length, written.bytes());
    }
    try (DiskFile read = DiskFile.open(path, ENCRYPTION);
        Arena arena = Arena.ofConfined()) {
      assertEquals(all.length, read.bytes());
      for (int i = 0; i < 200; i++) {
        int from = random.nextInt(all.length);
        int bytes = random.nextInt(Math.min(all.length - from, i < 5 ? 700_000 : 5_000) + 1);
        MemorySegment memory = arena.allocate(Math.max(1, bytes)).asSlice(0, bytes);
        read.read(from, memory);
        assertArrayEquals(
            Arrays.copyOfRange(all, from, from + bytes),
            memory.toArray(ValueLayout.JAVA_BYTE),
            () -> "seed " + seed);
      }
      MemorySegment tooLong = arena.allocate(2);
      assertThrows(EOFException.class, () -> read.read(all.length - 1, tooLong));
    }
  }

  @Test
  void writesNoPlainTextAndNeverTheSameBytes() throws IOException {
    byte[] text = MARKER.repeat(5000).getBytes(ISO_8859_1);
    Path second = folder.resolve("second.runs");
    Path plain = folder.resolve("plain.runs");
    write(path, ENCRYPTION, text);
    write(second, ENCRYPTION, text);
    write(plain, Optional.empty(), text);
    assertTrue(Files.readString(plain, ISO_8859_1).contains(MARKER));
    assertFalse(Files.readString(path, ISO_8859_1).contains(MARKER.substring(0, 8)));
    assertEquals(text.length + DiskEncryption.IV_BYTES, Files.size(path));
    assertFalse(Arrays.equals(Files.readAllBytes(path), Files.readAllBytes(second)));
  }

  @Test
  void movesToAnotherFileWithAnotherVector() throws IOException {
    byte[] text = MARKER.repeat(100_000).getBytes(ISO_8859_1);
    byte[] more = "more".getBytes(ISO_8859_1);
    Path target = folder.resolve("target.runs");
    byte[] before;
    try (DiskFile first = DiskFile.create(path, ENCRYPTION)) {
      first.append(MemorySegment.ofArray(text));
      before = Files.readAllBytes(path);
      try (DiskFile moved = first.moveTo(target)) {
        assertEquals(text.length, moved.append(MemorySegment.ofArray(more)));
      }
    }
    assertFalse(Files.exists(path));
    byte[] after = Files.readAllBytes(target);
    assertFalse(Arrays.equals(Arrays.copyOf(before, 1000), Arrays.copyOf(after, 1000)));
    byte[] back = read(target, ENCRYPTION);
    assertArrayEquals(text, Arrays.copyOf(back, text.length));
    assertArrayEquals(more, Arrays.copyOfRange(back, text.length, back.length));
  }

  /** The same position must not be encrypted twice. */
  @Test
  void refusesToAppendAfterAFailureButMoves() throws IOException {
    byte[] text = MARKER.getBytes(ISO_8859_1);
    Arena closed = Arena.ofConfined();
    MemorySegment unreadable = closed.allocate(100);
    closed.close();
    try (DiskFile file = DiskFile.create(path, ENCRYPTION)) {
      file.append(MemorySegment.ofArray(text));
      assertThrows(IllegalStateException.class, () -> file.append(unreadable));
      assertThrows(IOException.class, () -> file.append(MemorySegment.ofArray(text)));
      try (DiskFile moved = file.moveTo(folder.resolve("moved.runs"))) {
        assertEquals(text.length, moved.append(MemorySegment.ofArray(text)));
      }
    }
  }

  /** Direct memory of a file that is closed counts until the next garbage collection. */
  @Test
  void keepsNoDirectMemoryOfClosedFiles() throws IOException {
    byte[] text = MARKER.getBytes(ISO_8859_1);
    write(path, ENCRYPTION, text);
    read(path, ENCRYPTION);
    long before = directBytes();
    for (int i = 0; i < 100; i++) {
      write(folder.resolve(i + ".runs"), ENCRYPTION, text);
      read(path, ENCRYPTION);
    }
    assertTrue(directBytes() - before < 1 << 20, () -> "from " + before + " to " + directBytes());
  }

  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }

  @Test
  void encryptsWithAesInCounterModeFromTheVectorOn() throws Exception {
    byte[] text = MARKER.repeat(10).getBytes(ISO_8859_1);
    byte[] key = new byte[16];
    Arrays.fill(key, (byte) 1);
    byte[] iv = new byte[16];
    Arrays.fill(iv, (byte) -1);
    Cipher cipher = Cipher.getInstance("AES/CTR/NoPadding");
    cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"), new IvParameterSpec(iv));
    ByteBuffer file = ByteBuffer.allocate(iv.length + text.length);
    Files.write(path, file.put(iv).put(cipher.doFinal(text)).array());
    try (DiskFile opened = DiskFile.open(path, ENCRYPTION)) {
      for (int from : new int[] {0, 15, 16, 17, 100}) {
        byte[] rest = new byte[text.length - from];
        opened.read(from, MemorySegment.ofArray(rest));
        assertArrayEquals(Arrays.copyOfRange(text, from, text.length), rest);
      }
    }
  }

  @Test
  void refusesAFileWithoutAVector() throws IOException {
    Files.write(path, new byte[DiskEncryption.IV_BYTES - 1]);
    assertThrows(EOFException.class, () -> DiskFile.open(path, ENCRYPTION));
  }

  private static Optional<DiskEncryption> withKey(int value) {
    byte[] key = new byte[16];
    Arrays.fill(key, (byte) value);
    return Optional.of(new DiskEncryption(key));
  }

  private static void write(Path file, Optional<DiskEncryption> encryption, byte[] bytes)
      throws IOException {
    try (DiskFile written = DiskFile.create(file, encryption)) {
      written.append(MemorySegment.ofArray(bytes));
    }
  }

  private static byte[] read(Path file, Optional<DiskEncryption> encryption) throws IOException {
    try (DiskFile opened = DiskFile.open(file, encryption)) {
      byte[] bytes = new byte[(int) opened.bytes()];
      opened.read(0, MemorySegment.ofArray(bytes));
      return bytes;
    }
  }
}
