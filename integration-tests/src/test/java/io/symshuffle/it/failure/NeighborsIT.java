// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.failure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.Folders;
import io.symshuffle.it.LeakCheck;
import io.symshuffle.it.process.Jars;
import io.symshuffle.it.process.SparkHome;
import io.symshuffle.it.process.SparkSubmission;
import io.symshuffle.it.program.HostsProgram;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Two applications of different users share a host: its shared memory and its disk are small, and
 * one of them uses all of it. Needs root.
 */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class NeighborsIT {
  private static final int NOBODY = 65_534;
  private static final Pattern READY = Pattern.compile("(?m)^ready$");

  /** Rows that take more than all shared memory: half of them are written, with 16 bytes each. */
  private static final String MORE_THAN_MEMORY = "9000000";

  /** Rows that take more than shared memory and disk. */
  private static final String MORE_THAN_DISK = "24000000";

  /** Rows that take about 8 MiB. */
  private static final String FEW = "1000000";

  @TempDir private Path folder;
  private SparkHome home;
  private SmallFileSystem memory;
  private SmallFileSystem disk;

  @BeforeEach
  void mount() throws IOException {
    // Only the permissions of our own files must keep others out.
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    home = SparkHome.create(folder.resolve("home"), List.of(Jars.plugin()));
    memory = SmallFileSystem.mount(folder.resolve("memory"), "64m");
  }

  @AfterEach
  void unmount() {
    if (memory != null) {
      memory.close();
    }
    if (disk != null) {
      disk.close();
    }
  }

  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  void applicationSpillsWhenAnotherUserFillsSharedMemory() throws IOException {
    disk = SmallFileSystem.mount(folder.resolve("disk"), "512m");
    try (ChildProcess neighbor = start("neighbor", "48m", FEW, NOBODY);
        ChildProcess greedy = start("greedy", "56m", MORE_THAN_MEMORY, 0)) {
      String before = answer(neighbor, "keep");
      assertEquals(List.of(), runs(NOBODY));
      String all = answer(greedy, "keep");
      assertFalse(runs(0).isEmpty(), "the greedy application did not fill its heap");
      assertClosedToOthers();
      assertEquals(before + ", computed again: 0", answer(neighbor, "read"));
      // Its heap could still grow, but the file system is full.
      assertEquals(before, answer(neighbor, "keep again"));
      assertFalse(runs(NOBODY).isEmpty(), "the neighbor found memory");
      assertEquals(answer(neighbor, "ours"), answer(neighbor, "sort"));
      assertEquals(all + ", computed again: 0", answer(greedy, "read"));
      end(greedy);
      end(neighbor);
    }
    assertNothingLeft();
  }

  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  void applicationGoesOnWhenAnotherOneFillsTheDisk() throws IOException {
    disk = SmallFileSystem.mount(folder.resolve("disk"), "128m");
    try (ChildProcess neighbor = start("neighbor", "24m", FEW, NOBODY);
        ChildProcess greedy = start("greedy", "32m", MORE_THAN_DISK, 0)) {
      greedy.send("keep");
      Await.until("a heap is full", () -> !runs(0).isEmpty() || !greedy.isAlive());
      // 32 MiB, and the directory. So the neighbor finds room.
      long mebibytes = heapMebibytes(0);
      assertTrue(mebibytes <= 36, mebibytes + " MiB");
      String before = answer(neighbor, "keep");
      assertEquals(List.of(), runs(NOBODY));
      assertNotEquals(0, greedy.awaitEnd(Await.LIMIT), greedy::output);
      String log = greedy.output();
      assertTrue(log.contains("of shuffle data to " + disk.folder()), log);
      assertTrue(log.contains("No space left on device"), log);
      assertTrue(log.contains("set spark.symshuffle.disk.dir"), log);
      assertEquals(before + ", computed again: 0", answer(neighbor, "read"));
      assertEquals(answer(neighbor, "ours"), answer(neighbor, "sort"));
      end(neighbor);
    }
    assertNothingLeft();
  }

  private ChildProcess start(String name, String heap, String rows, int uid) throws IOException {
    Path own = Files.createDirectories(folder.resolve(name));
    Files.setAttribute(own, "unix:uid", uid);
    ChildProcess application =
        SparkSubmission.of(home, HostsProgram.class)
            .user(uid)
            .conf("spark.plugins", "io.symshuffle.SymShufflePlugin")
            .conf("spark.symshuffle.heap.dir", memory.folder().toString())
            .conf("spark.symshuffle.heap.size", heap)
            .conf("spark.symshuffle.disk.dir", disk.folder().toString())
            .conf("spark.symshuffle.staging.size", "256k")
            .conf("spark.symshuffle.transfer.compression", "none")
            .conf("spark.local.dir", own.toString())
            .conf("spark.sql.shuffle.partitions", "4")
            .arguments(rows, "0")
            .start(folder.resolve(name + "-log"));
    application.awaitOutput(READY, Await.LIMIT);
    return application;
  }

  private static String answer(ChildProcess application, String question) {
    application.send(question);
    return application
        .awaitOutput(Pattern.compile("answer=(.*) of " + question + "\n"), Await.LIMIT)
        .group(1);
  }

  private static void end(ChildProcess application) {
    application.send("end");
    assertEquals(0, application.awaitEnd(Await.LIMIT), application::output);
  }

  /** The shared memory of a user. Files of heaps have holes. */
  private long heapMebibytes(int uid) {
    return ChildProcess.of(
            "find", memory.folder().toString(), "-uid", "" + uid, "-type", "f", "-printf", "%k\\n")
        .run(Await.LIMIT)
        .lines()
        .stream()
        // Files may disappear meanwhile.
        .filter(line -> line.matches("[0-9]+"))
        .mapToLong(kibibytes -> Long.parseLong(kibibytes) >> 10)
        .sum();
  }

  /** The runs on disk of a user. */
  private List<Path> runs(int uid) {
    return Folders.under(disk.folder())
        .filter(path -> path.getFileName().toString().endsWith(".runs"))
        .filter(path -> owner(path) == uid)
        .toList();
  }

  private static int owner(Path path) {
    try {
      return (int) Files.getAttribute(path, "unix:uid");
    } catch (IOException e) {
      // It has been deleted.
      return -1;
    }
  }

  /** Neither user can list the other's folders or read its files. */
  private void assertClosedToOthers() {
    int tried = 0;
    for (Path base : List.of(memory.folder(), disk.folder())) {
      assertEquals(0, as(NOBODY, "ls", base), "everyone may list " + base);
      for (Path path : Folders.under(base).filter(each -> !each.equals(base)).toList()) {
        int other = owner(path) == 0 ? NOBODY : 1;
        assertNotEquals(
            0, as(other, Files.isDirectory(path) ? "ls" : "cat", path), path.toString());
        tried++;
      }
    }
    assertTrue(tried >= 6, "a folder, a heap and runs of each: " + tried);
  }

  private static int as(int uid, String program, Path path) {
    return ChildProcess.of(
            "setpriv",
            "--reuid=" + uid,
            "--regid=" + uid,
            "--clear-groups",
            program,
            path.toString())
        .run(Await.LIMIT)
        .status();
  }

  private void assertNothingLeft() {
    Await.until(
        "nothing is left",
        () ->
            LeakCheck.leftovers(memory.folder(), disk.folder(), List.of()).isEmpty()
                && Folders.under(disk.folder()).count() == 1);
  }
}
