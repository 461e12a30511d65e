// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cli.pe;

import io.symshuffle.cli.CliException;
import io.symshuffle.heap.FolderToken;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Several processes of this Java and this class path, one a PE. Whatever happens, none outlives the
 * job: a PE that fails or hangs ends all of them.
 */
public final class PeJob {
  private static final int LINES_KEPT = 25;

  private final Class<?> main;
  private final Backend backend;
  private final int peCount;
  private final List<String> more;

  /**
   * Describes a job.
   *
   * @param main the class whose main method is a PE
   * @param backend which heap
   * @param peCount number of PEs
   * @param more further arguments of all PEs
   */
  public PeJob(Class<?> main, Backend backend, int peCount, List<String> more) {
    this.main = main;
    this.backend = backend;
    this.peCount = peCount;
    this.more = List.copyOf(more);
  }

  /**
   * Runs it.
   *
   * @param limit how long at most
   * @param reports gets what PEs report, as it comes
   * @throws CliException when a PE failed or the time is up, with the end of what PEs said
   */
  public void run(Duration limit, Consumer<PeLine> reports) {
    Path folder = null;
    List<Pe> pes = new ArrayList<>();
    BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    try {
      folder = Files.createTempDirectory(sharedMemory(), "symshuffle-job");
      String token = FolderToken.random().hex();
      for (int pe = 0; pe < peCount; pe++) {
        PeArguments arguments = new PeArguments(backend, pe, peCount, folder, token, more);
        pes.add(new Pe(pe, start(arguments), events));
      }
      follow(pes, events, limit, reports);
    } catch (IOException e) {
      throw new CliException("The PEs cannot be started: " + e.getMessage() + ".", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CliException("Interrupted.", e);
    } finally {
      pes.forEach(pe -> pe.process.destroyForcibly());
      delete(folder);
    }
  }

  private static Path sharedMemory() {
    Path shared = Path.of("/dev/shm");
    return Files.isWritable(shared) ? shared : Path.of(System.getProperty("java.io.tmpdir"));
  }

  private Process start(PeArguments arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    command.addAll(arguments.toList());
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  private void follow(
      List<Pe> pes, BlockingQueue<Event> events, Duration limit, Consumer<PeLine> reports)
      throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    for (int ended = 0; ended < peCount; ) {
      Event event = events.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (event == null) {
        throw new CliException(
            "The PEs were not done after %d s and were ended.%n%s"
                .formatted(limit.toSeconds(), output(pes)));
      }
      if (event.line != null && event.line.kind().equals(PeMain.FAILED)) {
        throw new CliException(
            "PE %d: %s.%n%s".formatted(event.pe, event.line.values().getFirst(), output(pes)));
      } else if (event.line != null) {
        reports.accept(event.line);
      } else if (event.exit == 0) {
        ended++;
      } else {
        throw new CliException(
            "PE %d ended with status %d.%n%s".formatted(event.pe, event.exit, output(pes)));
      }
    }
  }

  private static String output(List<Pe> pes) {
    StringBuilder text = new StringBuilder("The end of what they said:");
    for (Pe pe : pes) {
      pe.last.forEach(line -> text.append("%n  PE %d: %s".formatted(pe.number, line)));
    }
    return text.toString();
  }

  private static void delete(Path folder) {
    if (folder == null) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      System.err.println("symshuffle: " + folder + " could not be deleted: " + e.getMessage());
    }
  }

  /** A report, or, without one, the end of a process. */
  private record Event(int pe, PeLine line, int exit) {}

  private static final class Pe {
    final int number;
    final Process process;
    final Deque<String> last = new ConcurrentLinkedDeque<>();

    Pe(int number, Process process, BlockingQueue<Event> events) {
      this.number = number;
      this.process = process;
      Thread.ofPlatform().daemon().name("output of PE " + number).start(() -> read(events));
    }

    private void read(BlockingQueue<Event> events) {
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          if (PeLine.is(line)) {
            events.add(new Event(number, PeLine.parse(number, line), 0));
            continue;
          }
          last.add(line);
          if (last.size() > LINES_KEPT) {
            last.removeFirst();
          }
        }
        events.add(new Event(number, null, process.waitFor()));
      } catch (IOException e) {
        last.add("its output cannot be read: " + e);
        events.add(new Event(number, null, -1));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
