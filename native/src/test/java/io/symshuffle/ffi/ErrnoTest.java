// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ErrnoTest {
  @Test
  void describesKnownAndUnknownNumbers() {
    assertEquals("ENOMEM (12), Cannot allocate memory", Errno.describe(12));
    assertEquals("errno 4711", Errno.describe(4711));
    assertEquals(Optional.of(Errno.ENOSPC), Errno.of(28));
    assertEquals(Optional.empty(), Errno.of(0));
  }

  @Test
  void failedCallIsReportedWithArgumentsAndErrno() {
    NativeCallException e =
        assertThrows(
            NativeCallException.class, () -> NativeFile.create(Path.of("/proc/none/file")));

    assertEquals(
        "open(\"/proc/none/file\", \"O_RDWR|O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC\", \"0600\")"
            + " failed: ENOENT (2), No such file or directory",
        e.getMessage());
    assertTrue(e.is(Errno.ENOENT));
    assertFalse(e.is(Errno.EPERM));
    assertEquals(2, e.code());
  }
}
