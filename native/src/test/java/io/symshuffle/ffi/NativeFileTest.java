// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.ffi.NativeFile.LockMode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class NativeFileTest {
  @TempDir Path folder;

  private Path path() {
    return folder.resolve("file");
  }

  private static void assertCode(Errno errno, Executable call) {
    NativeCallException e = assertThrows(NativeCallException.class, call);
    assertTrue(e.is(errno), e.getMessage());
  }

  @Test
  void createsPrivateFiles() throws IOException {
    NativeFile.create(path()).close();

    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path())));
    assertCode(Errno.EEXIST, () -> NativeFile.create(path()));
  }

  @Test
  void refusesSymbolicLinks() throws IOException {
    Files.createSymbolicLink(folder.resolve("link"), Files.createFile(path()));
    Files.createSymbolicLink(folder.resolve("folder"), folder);

    assertCode(Errno.ELOOP, () -> NativeFile.open(folder.resolve("link")));
    assertCode(Errno.ENOTDIR, () -> NativeFile.openDirectory(folder.resolve("folder")));
    assertCode(Errno.ENOTDIR, () -> NativeFile.openDirectory(path()));
    assertEquals(Optional.empty(), NativeFile.open(folder.resolve("none")));
  }

  @Test
  void readsUpToTheEnd() throws IOException {
    Files.writeString(path(), "0123456789");
    try (NativeFile file = NativeFile.open(path()).orElseThrow()) {
      assertArrayEquals("345".getBytes(StandardCharsets.UTF_8), file.read(3, 3).toArray(JAVA_BYTE));
      assertArrayEquals(
          "89".getBytes(StandardCharsets.UTF_8), file.read(8, 100).toArray(JAVA_BYTE));
      assertEquals(0, file.read(10, 1).byteSize());
    }
  }

  @Test
  void allocatesAndPunchesHoles() throws IOException {
    try (NativeFile file = NativeFile.create(path())) {
      file.truncate(1 << 20);
      assertTrue(file.allocate(0, 1 << 20));
      file.punchHole(0, 1 << 19);
      assertEquals(1 << 20, Files.size(path()));
      assertCode(Errno.EINVAL, () -> file.punchHole(0, 0));
      assertCode(Errno.EINVAL, () -> file.truncate(-1));
    }
  }

  @Test
  void openFilesCompeteForTheLock() {
    try (NativeFile first = NativeFile.create(path());
        NativeFile second = NativeFile.open(path()).orElseThrow();
        NativeFile third = NativeFile.open(path()).orElseThrow()) {
      assertTrue(first.tryLock(LockMode.SHARED));
      assertTrue(second.tryLock(LockMode.SHARED));
      assertFalse(third.tryLock(LockMode.EXCLUSIVE));
    }
    try (NativeFile fourth = NativeFile.open(path()).orElseThrow()) {
      assertTrue(fourth.tryLock(LockMode.EXCLUSIVE), "close releases the lock");
    }
  }

  @Test
  void locksFolders() {
    try (NativeFile first = NativeFile.openDirectory(folder).orElseThrow();
        NativeFile second = NativeFile.openDirectory(folder).orElseThrow()) {
      assertTrue(first.tryLock(LockMode.EXCLUSIVE));
      assertFalse(second.tryLock(LockMode.SHARED));
      first.unlock();
      first.unlock();
      assertTrue(second.tryLock(LockMode.EXCLUSIVE), "unlock releases the lock");
    }
  }

  @Test
  void statusAgreesWithJava() throws IOException {
    Files.writeString(path(), "12345");
    Files.setLastModifiedTime(path(), FileTime.from(Instant.parse("2026-01-02T03:04:05Z")));
    Files.setPosixFilePermissions(path(), PosixFilePermissions.fromString("rwxr-x--x"));

    FileStatus status = FileStatus.ofLink(path()).orElseThrow();

    assertEquals(FileStatus.Kind.FILE, status.kind());
    assertEquals(5, status.bytes());
    assertEquals("0751", status.permissionsInOctal());
    assertEquals(Instant.parse("2026-01-02T03:04:05Z"), status.modified());
    assertEquals(Files.getAttribute(path(), "unix:uid"), status.ownerUid());
    assertEquals(Files.getAttribute(path(), "unix:ino"), status.inode());
    assertEquals(UserId.effective(), status.ownerUid());
    try (NativeFile file = NativeFile.open(path()).orElseThrow()) {
      assertEquals(status, file.status());
    }
  }
}
