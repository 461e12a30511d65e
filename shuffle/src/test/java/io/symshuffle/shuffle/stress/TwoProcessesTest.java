// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.heap.SharedMemory;
import io.symshuffle.process.ChildProcess;
import io.symshuffle.shuffle.stress.SharedRounds.Case;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The tests that jcstress runs with two threads, with two processes over one shared mapping, as
 * executors have it; and that they find mistakes, in classes that are compiled from changed
 * sources.
 *
 * <p>An x86 CPU only delays a store beyond later loads. So it shows a missing fence between both,
 * and steps in a wrong order, but neither plain accesses instead of acquire and release nor a
 * missing {@code storeStoreFence} or {@code loadLoadFence}. On arm64 it may. Monitors are fences on
 * x86, too: without volatile stores alone, leases still work there.
 */
@Execution(ExecutionMode.CONCURRENT)
@Tag("full")
class TwoProcessesTest {
  private static final long MILLIS = 4_000;
  private static final long MILLIS_TO_FAIL = 60_000;
  private static final Duration LIMIT = Duration.ofMinutes(25);
  private static final Path SOURCES = Path.of("src/main/java/io/symshuffle/shuffle/directory");
  private static final Pattern RESULT = Pattern.compile("\\w+: \\d+ rounds, (\\d+) wrong: .*");

  @TempDir(factory = SharedMemory.class)
  private Path folder;

  @TempDir private Path classes;

  @BeforeEach
  void needsTwoCpus() {
    assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "two CPUs are needed");
  }

  @ParameterizedTest
  @EnumSource
  void noOutcomeIsWrong(Case rounds) throws IOException {
    Matcher result = run(rounds, MILLIS);
    assertEquals("0", result.group(1), result.group());
  }

  /**
   * Neither volatile stores nor monitors, which are fences, too. About one round in 15,000 shows
   * it.
   */
  @Test
  @Tag("long")
  void leasesAndErasuresThatAreStoredLateAreFound() throws IOException {
    change("ControlFields", "LONG.setVolatile(", "LONG.setRelease(");
    change("Directory", "public synchronized boolean erase", "public boolean erase");
    change("LeaseTable", "private synchronized void add", "private void add");
    assertWrong(Case.LEASED, "0, 1=");
  }

  @Test
  void entriesThatAreNotMarkedWhileTheyChangeAreFound() throws IOException {
    change("Directory", "next(state(entry), BUSY)", "next(state(entry), PUBLISHED)");
    assertWrong(Case.PUBLISHED, "0, 4=");
    // Damage, or the old place after the entry was erased.
    assertWrong(Case.REPLACED, "0, (\\d?4|4\\d|1)=");
  }

  /** The first wrong outcome ends a run; which one it is depends on the moment. */
  private void assertWrong(Case rounds, String outcome) throws IOException {
    Matcher result = run(rounds, MILLIS_TO_FAIL);
    assertTrue(Long.parseLong(result.group(1)) > 0, result.group());
    assertTrue(Pattern.compile(outcome).matcher(result.group()).find(), result.group());
  }

  private Matcher run(Case rounds, long millis) throws IOException {
    Path shared = Files.createTempFile(folder, "windows", null);
    try (RandomAccessFile file = new RandomAccessFile(shared.toFile(), "rw")) {
      file.setLength(SharedRounds.BYTES);
    }
    try (ChildProcess reader = process(shared, rounds, "reader", millis).start()) {
      ChildProcess.Result owner = process(shared, rounds, "owner", millis).run(LIMIT);
      assertTrue(owner.passed(), owner.output());
      assertEquals(0, reader.awaitEnd(LIMIT), reader.output());
      Matcher result = RESULT.matcher(owner.output());
      assertTrue(result.find(), owner.output());
      return result;
    } finally {
      Files.delete(shared);
    }
  }

  private ChildProcess.Builder process(Path shared, Case rounds, String role, long millis) {
    return ChildProcess.of(
            ChildProcess.javaCommand(
                List.of("-Xmx256m", "-XX:+UseSerialGC"),
                classes + File.pathSeparator + System.getProperty("java.class.path"),
                SharedRounds.class.getName(),
                List.of(shared.toString(), rounds.name(), role, Long.toString(millis))))
        .name(role)
        // Compilers that optimize more may also change the order of more accesses.
        .withoutEnvironment("JAVA_TOOL_OPTIONS");
  }

  /** Compiles a changed class; it replaces the real one in processes that start later. */
  private void change(String name, String old, String changed) throws IOException {
    String source = Files.readString(SOURCES.resolve(name + ".java"));
    assertTrue(source.contains(old), name + " has no '" + old + "'");
    Path file = classes.resolve(name + ".java");
    Files.writeString(file, source.replace(old, changed));
    List<String> arguments = new ArrayList<>(List.of("-proc:none", "-nowarn", "-d"));
    Stream.of(classes, "-cp", System.getProperty("java.class.path"), file)
        .map(Object::toString)
        .forEach(arguments::add);
    assertEquals(
        0,
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(String[]::new)));
  }
}
