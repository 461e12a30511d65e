// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.folder;

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
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeapFolderTest {
  private final FolderToken token = FolderToken.random();

  @TempDir(factory = SharedMemory.class)
  Path base;

  @TempDir Path disk;

  private Path expected;

  @BeforeEach
  void name() {
    expected =
        base.resolve("symshuffle-" + Integer.toUnsignedString(UserId.effective()) + "-" + token);
  }

  private String refusal() {
    return assertThrows(HeapException.class, () -> HeapFolder.open(base, token, List.of(disk)))
        .getMessage();
  }

  private static void chmod(Path path, String permissions) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void createsAPrivateFolderAndOpensItAgain() throws IOException {
    HeapFolder made = HeapFolder.open(base, token, List.of(disk));
    HeapFolder opened = HeapFolder.open(base, token, List.of(disk));

    assertEquals(expected, made.path());
    assertEquals(expected, opened.path());
    assertEquals("rwx------", mode(expected));
    assertEquals(expected.resolve("pe-3.heap"), made.heapFile(3));
  }

  /** Like an emptyDir that Kubernetes mounts with fsGroup. */
  @Test
  void worksInABaseWithTheSetGroupIdBit() throws IOException {
    Files.setAttribute(base, "unix:mode", 02777);

    HeapFolder folder = HeapFolder.open(base, token, List.of(base));
    folder.diskFolders(0).getFirst();
    try (HostHeap heap = HostHeap.create(HeapFolder.open(base, token, List.of(base)), 0, 1 << 16)) {
      assertTrue(heap.isAlive(0));
    }
    assertTrue(folder.removeIfUnused());
  }

  @Test
  void createsDiskFoldersOnDemand() throws IOException {
    HeapFolder folder = HeapFolder.open(base, token, List.of(disk));
    assertFalse(Files.exists(disk.resolve(expected.getFileName())));

    Path made = folder.diskFolders(4).getFirst();

    assertEquals(disk.resolve(expected.getFileName()).resolve("pe-4"), made);
    assertEquals("rwx------", mode(made));
    assertEquals("rwx------", mode(made.getParent()));
    assertEquals(made, folder.diskFolders(4).getFirst());
  }

  @Test
  void refusesOtherFilesInItsPlace() throws IOException {
    Path elsewhere = Files.createDirectory(base.resolve("elsewhere"));
    chmod(elsewhere, "rwx------");

    Files.createSymbolicLink(expected, elsewhere);
    assertTrue(refusal().contains("it is a symbolic link"), refusal());
    Files.delete(expected);
    Files.createFile(expected);
    assertTrue(refusal().contains("it is not a folder"), refusal());
    Files.delete(expected);
    Files.createDirectory(expected);
    chmod(expected, "rwxr-x---");
    assertTrue(refusal().contains("its mode is 0750, not 0700"), refusal());
  }

  @Test
  void refusesAFolderOfAnotherUser() throws IOException {
    assumeTrue(UserId.effective() == 0, "only root can change a folder's owner");
    Files.createDirectory(expected);
    chmod(expected, "rwx------");
    Files.setAttribute(expected, "unix:uid", 65534);

    assertTrue(refusal().contains("it belongs to user 65534, not 0"), refusal());
  }

  @Test
  void refusesALinkInPlaceOfADiskFolder() throws IOException {
    HeapFolder folder = HeapFolder.open(base, token, List.of(disk));
    Files.createSymbolicLink(disk.resolve(expected.getFileName()), base);

    HeapException e = assertThrows(HeapException.class, () -> folder.diskFolders(0).getFirst());
    assertTrue(e.getMessage().contains("it is a symbolic link"), e.getMessage());
  }

  @Test
  void refusesAMissingBaseAndOtherFiles() throws IOException {
    Path missing = base.resolve("missing");
    String message =
        assertThrows(HeapException.class, () -> HeapFolder.open(missing, token, List.of(disk)))
            .getMessage();
    assertTrue(message.contains("create it, or set spark.symshuffle.heap.dir"), message);

    Path file = Files.createFile(base.resolve("file"));
    message =
        assertThrows(HeapException.class, () -> HeapFolder.open(file, token, List.of(disk)))
            .getMessage();
    assertTrue(message.contains("is not a folder"), message);
  }

  @Test
  void refusesABaseInWhichOtherUsersCanReplaceFiles() throws IOException {
    assumeTrue(UserId.effective() == 0, "only root can change a folder's owner");
    Files.setAttribute(base, "unix:uid", 65534);
    chmod(base, "rwxrwxrwx");
    assertTrue(refusal().contains("chmod +t it"), refusal());

    Files.setAttribute(base, "unix:mode", 01777);
    HeapFolder.open(base, token, List.of(disk));
  }

  @Test
  void refusesABaseThatIsNotWritable() throws IOException {
    assumeTrue(UserId.effective() != 0, "root can write everywhere");
    chmod(base, "r-x------");

    assertTrue(refusal().contains("cannot write to"), refusal());
    chmod(base, "rwx------");
  }

  @Test
  void refusesABaseThatIsMountedReadOnly() throws Exception {
    Path readOnly = Files.createDirectory(base.resolve("read-only"));
    // Over a mount that can be written, as over the /dev/shm of a container.
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", readOnly.toString()) == 0,
        "only root can mount a file system");
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "ro,size=64k", "tmpfs", readOnly.toString()) == 0,
        "only root can mount a file system");
    try {
      String message =
          assertThrows(HeapException.class, () -> HeapFolder.open(readOnly, token, List.of(disk)))
              .getMessage();
      assertEquals(
          "the folder %s cannot be written to (Read-only file system): mount it for writing, or"
                  .formatted(readOnly)
              + " set spark.symshuffle.heap.dir to another one",
          message);
      HeapFolder folder = HeapFolder.open(base, token, List.of(readOnly));
      message =
          assertThrows(HeapException.class, () -> folder.diskFolders(0).getFirst()).getMessage();
      assertTrue(message.contains("or set spark.symshuffle.disk.dir to another one"), message);
    } finally {
      run("umount", readOnly.toString());
      run("umount", readOnly.toString());
    }
  }

  private static int run(String... command) {
    return ChildProcess.of(command).run(Duration.ofMinutes(10)).status();
  }

  @Test
  void followsOnlyALinkToTheBase() throws IOException {
    Path link = Files.createSymbolicLink(disk.resolve("shm"), base);

    assertEquals(expected, HeapFolder.open(link, token, List.of(disk)).path());
  }
}
