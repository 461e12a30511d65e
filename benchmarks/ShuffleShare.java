// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * Prints which share of the CPU time of Spark's tasks the shuffle takes, from JFR recordings of
 * executors: {@code java benchmarks/ShuffleShare.java FILE.jfr...}
 *
 * <p>The first frame from the top that {@link #CODE} names decides what a sample belongs to.
 */
final class ShuffleShare {
  private enum Part {
    OPERATORS,
    /** What no shuffle manager can save: Spark's loop over the rows, its checksum of rows. */
    EXCHANGE,
    SHUFFLE,
    WRITING,
    READING
  }

  private record Code(String name, Part part) {}

  private static final List<Code> CODE =
      List.of(
          new Code("org.apache.spark.sql.catalyst.expressions.GeneratedClass", Part.OPERATORS),
          new Code("org.apache.spark.sql.execution.UnsafeRowSerializer", Part.SHUFFLE),
          new Code("org.apache.spark.sql.execution.UnsafeRowChecksum", Part.EXCHANGE),
          new Code("org.apache.spark.sql.execution.exchange.", Part.EXCHANGE),
          new Code("org.apache.spark.sql.execution.", Part.OPERATORS),
          new Code("org.apache.spark.shuffle.ShuffleWriteProcessor", Part.EXCHANGE),
          new Code("org.apache.spark.shuffle.checksum.", Part.EXCHANGE),
          new Code("org.apache.spark.shuffle.", Part.SHUFFLE),
          new Code("org.apache.spark.storage.", Part.SHUFFLE),
          new Code("io.symshuffle.", Part.SHUFFLE));

  private ShuffleShare() {}

  public static void main(String[] files) {
    if (files.length == 0) {
      System.err.println("usage: java ShuffleShare.java FILE.jfr...");
      System.exit(2);
    }
    for (String file : files) {
      try {
        print(file);
      } catch (IOException e) {
        System.err.printf("%s is not a recording that can be read: %s%n", file, e);
        System.exit(1);
      }
    }
  }

  private static void print(String file) throws IOException {
    Map<Part, Long> samples = new EnumMap<>(Part.class);
    try (RecordingFile recording = new RecordingFile(Path.of(file))) {
      while (recording.hasMoreEvents()) {
        RecordedEvent event = recording.readEvent();
        if (event.getEventType().getName().equals("jdk.ExecutionSample") && isOfTask(event)) {
          samples.merge(part(event.getStackTrace().getFrames()), 1L, Long::sum);
        }
      }
    }
    long all = samples.values().stream().mapToLong(Long::longValue).sum();
    System.out.printf("%s: %d samples of tasks%n", file, all);
    samples.forEach(
        (part, count) -> System.out.printf("  %-9s %5.1f %%%n", part, 100.0 * count / all));
  }

  private static boolean isOfTask(RecordedEvent event) {
    RecordedThread thread = event.getThread("sampledThread");
    return thread != null && String.valueOf(thread.getJavaName()).startsWith("Executor task");
  }

  private static Part part(List<RecordedFrame> frames) {
    boolean shuffle = false;
    for (RecordedFrame frame : frames) {
      String type = frame.getMethod().getType().getName();
      Optional<Part> found =
          CODE.stream().filter(code -> type.startsWith(code.name)).map(Code::part).findFirst();
      if (found.isPresent() && found.get() != Part.SHUFFLE) {
        Part caller = found.get();
        return !shuffle ? caller : caller == Part.EXCHANGE ? Part.WRITING : Part.READING;
      }
      shuffle |= found.isPresent();
    }
    return shuffle ? Part.SHUFFLE : Part.OPERATORS;
  }
}
