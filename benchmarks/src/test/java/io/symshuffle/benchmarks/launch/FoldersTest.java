// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FoldersTest {
  @TempDir private Path folder;

  @Test
  void deviceWithoutAnyJournalLacksIt() throws IOException {
    Path device = Files.createFile(folder.resolve("vda"));
    Path journals = Files.createDirectory(folder.resolve("jbd2"));
    Files.createDirectory(journals.resolve("vda1-8"));
    assertTrue(Folders.lacksJournal(device, journals));
    Files.createDirectory(journals.resolve("vda-8"));
    assertFalse(Folders.lacksJournal(device, journals));
  }

  @Test
  void linksToDevicesAreFollowed() throws IOException {
    Path device = Files.createFile(folder.resolve("dm-0"));
    Path link = Files.createSymbolicLink(folder.resolve("vg-root"), device);
    Path journals = Files.createDirectory(folder.resolve("jbd2"));
    assertTrue(Folders.lacksJournal(link, journals));
    Files.createDirectory(journals.resolve("dm-0-8"));
    assertFalse(Folders.lacksJournal(link, journals));
  }

  @Test
  void unknownDevicesAndFileSystemsAreNotBlamed() throws IOException {
    Path journals = folder.resolve("jbd2");
    Path device = Files.createFile(folder.resolve("vda"));
    assertFalse(Folders.lacksJournal(device, journals), "no list of journals");
    Files.createDirectory(journals);
    assertFalse(Folders.lacksJournal(folder.resolve("root"), journals), "no such device");
    assertFalse(Folders.lackJournal(Path.of("/dev/shm/not/there")), "in memory");
  }
}
