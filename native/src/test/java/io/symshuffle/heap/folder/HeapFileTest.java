// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.folder;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.ffi.UserId;
import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.SharedMemory;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Heap files are checked before use. */
class HeapFileTest {
  private static final long WINDOW = 64 << 10;

  @TempDir(factory = SharedMemory.class)
  Path folder;

  private final FolderToken token = FolderToken.random();
  private Path path;

  @BeforeEach
  void name() {
    path = folder.resolve("pe-2.heap");
  }

  private HeapHeader header() {
    return new HeapHeader(2, WINDOW, 1, 2, token, List.of(folder));
  }

  private String refusal() {
    HeapException e = assertThrows(HeapException.class, () -> HeapFile.open(path, 2, token));
    assertTrue(e.getMessage().startsWith(path + " is not a valid heap file: "), e.getMessage());
    return e.getMessage().substring((path + " is not a valid heap file: ").length());
  }

  @Test
  void isPrivateAndSparseWithATwoMebibyteHeader() throws IOException {
    try (HeapFile made = HeapFile.create(path, header())) {
      assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
      assertEquals((2 << 20) + WINDOW, Files.size(path));
      assertEquals(0, made.window().address() % 4096);
    }
  }

  @Test
  void missingEmptyOrUnfinishedFileIsAbsent() throws IOException {
    assertEquals(Optional.empty(), HeapFile.open(path, 2, token));
    plant(new byte[0]);
    assertEquals(Optional.empty(), HeapFile.open(path, 2, token));
    plant(new byte[3 << 20]);
    assertEquals(Optional.empty(), HeapFile.open(path, 2, token));
    assertFalse(HeapFile.isLocked(folder.resolve("pe-9.heap")));
  }

  @Test
  void refusesToReplaceAnExistingFile() throws IOException {
    plant(new byte[10]);
    assertTrue(
        assertThrows(HeapException.class, () -> HeapFile.create(path, header()))
            .getMessage()
            .contains("already exists"));
    Files.delete(path);
    Files.createSymbolicLink(path, folder.resolve("elsewhere"));
    assertThrows(HeapException.class, () -> HeapFile.create(path, header()));
    assertFalse(Files.exists(folder.resolve("elsewhere")));
  }

  @Test
  void refusesAnythingButPrivateRegularFiles() throws Exception {
    HeapFile.create(path, header()).close();
    Path real = folder.resolve("real");
    Files.move(path, real);

    Files.createSymbolicLink(path, real);
    assertEquals("it is a symbolic link", refusal());
    Files.delete(path);
    Files.createDirectory(path);
    assertTrue(refusal().contains("EISDIR"));
    Files.delete(path);
    ChildProcess.of("mkfifo", "-m", "600", path.toString()).run(Duration.ofMinutes(10));
    assertEquals("it is not a regular file", refusal());
    Files.delete(path);
    Files.move(real, path);
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-r-----"));
    assertEquals("its mode is 0640, not 0600", refusal());
  }

  @Test
  void refusesAFileOfAnotherUser() throws IOException {
    assumeTrue(UserId.effective() == 0, "only root can change a file's owner");
    HeapFile.create(path, header()).close();
    Files.setAttribute(path, "unix:uid", 65534);

    assertEquals("it belongs to user 65534, not 0", refusal());
  }

  @Test
  void refusesAnotherPeAndAnotherApplication() {
    HeapFile.create(path, new HeapHeader(7, WINDOW, 1, 2, token, List.of(folder))).close();
    assertEquals("it belongs to PE 7, not 2", refusal());

    HeapException e =
        assertThrows(HeapException.class, () -> HeapFile.open(path, 7, FolderToken.random()));
    assertTrue(e.getMessage().endsWith("it belongs to another application"), e.getMessage());
  }

  @Test
  void refusesATruncatedFile() throws IOException {
    HeapFile.create(path, header()).close();
    for (long bytes : new long[] {(2 << 20) + WINDOW - 1, 2 << 20, 4096}) {
      truncate(bytes);
      assertEquals("it has " + bytes + " bytes instead of " + ((2 << 20) + WINDOW), refusal());
    }
    for (long bytes : new long[] {4095, 100, 9}) {
      truncate(bytes);
      assertEquals("it has " + bytes + " bytes, too few for a header", refusal());
    }
  }

  @Test
  void lockShowsWhetherTheOwnerIsAlive() {
    HeapFile made = HeapFile.create(path, header());
    try (HeapFile opened = HeapFile.open(path, 2, token).orElseThrow()) {
      assertTrue(HeapFile.isLocked(path));
      made.close();
      assertFalse(HeapFile.isLocked(path), "other processes that have it open do not count");
      assertEquals(0, opened.window().get(JAVA_LONG, 0));
    }
  }

  @Test
  void checksEachFileOfAHeapThatHasSeveral() throws IOException {
    long window = 9L << 20;
    HeapHeader header = new HeapHeader(2, window, 1, 2, token, 4L << 20, List.of(folder));
    HeapFile made = HeapFile.create(path, header);
    made.window().set(JAVA_LONG, window - 8, 42);
    try (HeapFile opened = HeapFile.open(path, 2, token).orElseThrow()) {
      assertEquals(42, opened.window().get(JAVA_LONG, window - 8));
    }
    Path second = folder.resolve("pe-2.heap.1");
    Path third = folder.resolve("pe-2.heap.2");
    assertEquals(List.of(4L << 20, 4L << 20, 3L << 20), sizes(path, second, third));

    try (FileChannel file = FileChannel.open(third, StandardOpenOption.WRITE)) {
      file.truncate(1 << 20);
    }
    assertEquals(
        third + " is not a valid heap file: it has 1048576 bytes instead of 3145728",
        assertThrows(HeapException.class, () -> HeapFile.open(path, 2, token)).getMessage());
    Files.setPosixFilePermissions(second, PosixFilePermissions.fromString("rw-r--r--"));
    assertEquals(
        second + " is not a valid heap file: its mode is 0644, not 0600",
        assertThrows(HeapException.class, () -> HeapFile.open(path, 2, token)).getMessage());
    Files.delete(second);
    assertEquals(Optional.empty(), HeapFile.open(path, 2, token), "it is being removed");
    made.remove();
    assertFalse(Files.exists(path) || Files.exists(third));
    made.close();
  }

  @Test
  void removesWhatItHasCreatedWhenAFileExists() throws IOException {
    Files.createFile(folder.resolve("pe-2.heap.1"));
    HeapHeader header = new HeapHeader(2, 9L << 20, 1, 2, token, 4L << 20, List.of(folder));
    HeapException e = assertThrows(HeapException.class, () -> HeapFile.create(path, header));
    assertTrue(e.getMessage().startsWith(path + ".1 already exists"), e.getMessage());
    assertFalse(Files.exists(path));
    assertTrue(Files.exists(folder.resolve("pe-2.heap.1")), "it is not ours");
  }

  private static List<Long> sizes(Path... files) throws IOException {
    List<Long> sizes = new ArrayList<>();
    for (Path file : files) {
      sizes.add(Files.size(file));
    }
    return sizes;
  }

  /** After a crash, a new process may get the same process id. */
  @Test
  void processWithAReusedPidIsNotTheOwner() {
    long ownPid = ProcessHandle.current().pid();
    FolderToken other = FolderToken.random();
    HeapFolder left = HeapFolder.open(folder, other, List.of(folder));
    HeapHeader header = new HeapHeader(2, WINDOW, ownPid, BootId.hash(), other, List.of(folder));
    HeapFile.create(left.heapFile(2), header).close();

    assertTrue(ProcessHandle.of(ownPid).isPresent());
    assertFalse(HeapFile.isLocked(left.heapFile(2)));
    try (HostHeap heap = HostHeap.create(left, 3, WINDOW)) {
      assertFalse(heap.isAlive(2), "only the lock shows that the owner is alive");
    }
    assertEquals(List.of(left.path()), HeapFolder.sweep(folder, Duration.ZERO));
  }

  private void plant(byte[] content) throws IOException {
    Files.write(path, content);
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
  }

  private void truncate(long bytes) throws IOException {
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
      file.truncate(bytes);
    }
  }
}
