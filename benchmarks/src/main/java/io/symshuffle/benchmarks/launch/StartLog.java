// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the log of a starting application says about its executors. Spark itself starts executors
 * that die again and again, and waits for resources without a limit. Thread-safe.
 */
final class StartLog {
  /** How many executors may die at their start; the reason is then hardly a coincidence. */
  private static final int MAX_DEATHS = 3;

  /** Spark logs every 15 s that it has no resources. */
  private static final int MAX_TIMES_WITHOUT_RESOURCES = 2;

  private static final int MAX_DEPTH = 5;

  private static final Pattern ENDED =
      Pattern.compile(
          "Executor updated: ([^/\\s]+)/(\\d+) is now (?:EXITED|FAILED|LOST)(?: \\((.*)\\))?");
  private static final Pattern GRANTED = Pattern.compile("Executor added: \\S+ on ");
  private static final Pattern WITHOUT_RESOURCES =
      Pattern.compile("Initial job has not accepted any resources");

  private final ApplicationSpec spec;
  private final Path log;
  private long position;
  private int deaths;
  private int granted;
  private int withoutResources;
  private String last = "";
  private Path lastFolder;

  StartLog(ApplicationSpec spec, Path log) {
    this.spec = spec;
    this.log = log;
  }

  /** Describes what the application waits for, as the end of a sentence. */
  synchronized String state() {
    String state =
        granted == 0 ? "it has no executor yet" : "%d executors were started".formatted(granted);
    return deaths == 0 ? state : "%s, %d died".formatted(state, deaths);
  }

  /** Reads what is new in the log; returns why the application cannot start, if it is clear. */
  synchronized Optional<String> verdict() {
    read();
    if (deaths >= MAX_DEATHS) {
      return Optional.of(
          "The executors of the application '%s' die when they start, %d so far%s. The log of the driver: %s"
              .formatted(spec.name(), deaths, lastWords(), log));
    }
    boolean standalone = spec.master().url().startsWith("spark://");
    if (standalone && granted == 0 && withoutResources >= MAX_TIMES_WITHOUT_RESOURCES) {
      return Optional.of(
          "The master %s has no worker for an executor of the application '%s': too few cores or too little memory are free. The applications of a comparison run at once; start more workers, or limit each application with --conf spark.cores.max=N, --conf spark.executor.cores=N and --conf spark.executor.memory=SIZE. The log of the driver: %s"
              .formatted(spec.master().url(), spec.name(), log));
    }
    return Optional.empty();
  }

  private void read() {
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
      byte[] fresh = new byte[(int) Math.min(Integer.MAX_VALUE / 2, file.length() - position)];
      file.seek(position);
      file.readFully(fresh);
      int end = fresh.length;
      while (end > 0 && fresh[end - 1] != '\n') {
        end--;
      }
      position += end;
      new String(fresh, 0, end, UTF_8).lines().forEach(this::add);
    } catch (IOException e) {
      // The log is read again in a second.
    }
  }

  private void add(String line) {
    Matcher ended = ENDED.matcher(line);
    if (ended.find()) {
      deaths++;
      last = Optional.ofNullable(ended.group(3)).orElse("");
      lastFolder = Path.of(ended.group(1), ended.group(2));
    } else if (GRANTED.matcher(line).find()) {
      granted++;
    } else if (WITHOUT_RESOURCES.matcher(line).find()) {
      withoutResources++;
    }
  }

  /** The reason that Spark gives, and the errors in the log of the executor if it is here. */
  private String lastWords() {
    String reason = last.isEmpty() ? "" : " (%s)".formatted(last);
    return reason
        + executorLog()
            .map(StartLog::telling)
            .map(file -> ". The last one wrote to " + file + ":" + LogHint.orEnd(file) + "\n")
            .orElse("; its log is on its worker");
  }

  /** A JVM that cannot start writes the reason to the standard output. */
  private static Path telling(Path stderr) {
    Path stdout = stderr.resolveSibling("stdout");
    return LogHint.of(stderr).isEmpty() && !LogHint.of(stdout).isEmpty() ? stdout : stderr;
  }

  /** Workers on this machine keep the folders of executors below that of the application. */
  private Optional<Path> executorLog() {
    Path wanted = lastFolder.resolve("stderr");
    Path root = spec.folder().toAbsolutePath().getParent();
    List<Path> found = new ArrayList<>();
    try {
      Files.walkFileTree(
          root,
          Set.of(),
          MAX_DEPTH,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes about) {
              if (!file.endsWith(wanted)) {
                return FileVisitResult.CONTINUE;
              }
              found.add(file);
              return FileVisitResult.TERMINATE;
            }

            // Others use these folders, too, so what was listed may be gone.
            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, IOException e) {
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      return Optional.empty();
    }
    return found.stream().findFirst();
  }
}
