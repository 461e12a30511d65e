// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import io.symshuffle.plugin.config.Setting.Scope;
import io.symshuffle.plugin.config.SettingType.Bytes;
import io.symshuffle.plugin.config.SettingType.Folder;
import io.symshuffle.plugin.config.SettingType.OrAuto;
import io.symshuffle.plugin.config.SettingType.Time;
import io.symshuffle.plugin.config.SettingType.Truth;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The table of all settings. */
public final class Settings {
  /** What the keys begin with. */
  public static final String PREFIX = "spark.symshuffle.";

  /** Whether our shuffle serves. */
  public static final Setting<Boolean> ENABLED =
      new Setting<>(
          PREFIX + "enabled",
          new Truth(),
          true,
          Scope.START_AND_SESSION,
          """
          Whether SymShuffle serves the exchanges of the application. With `false` at the start \
          the plugin does nothing at all and Spark's sort shuffle serves. Set to `false` in a \
          running session (`SET spark.symshuffle.enabled=false`), it leaves the exchanges planned \
          from then on to the sort shuffle, so that the two can be compared within one \
          application.\
          """);

  /** Where heaps lie. */
  public static final Setting<Path> HEAP_DIR =
      new Setting<>(
          PREFIX + "heap.dir",
          new Folder(),
          Path.of("/dev/shm"),
          Scope.START,
          """
          The folder on each host under which an application keeps the heaps of its PEs, in a \
          private folder of its own. It should be memory (tmpfs) and the same for all \
          executors of a host: PEs that share it read each other's map outputs in place. Where it \
          cannot be used or is too small, an executor takes a folder on disk and logs a warning \
          that names the remedy.\
          """);

  /** How large a heap is. */
  public static final Setting<Optional<ByteSize>> HEAP_SIZE =
      new Setting<>(
          PREFIX + "heap.size",
          new OrAuto<>(Bytes.between("1m", "16t")),
          Optional.empty(),
          Scope.START,
          """
          How much memory the heap of one PE may take at most. The file is sparse: memory is taken \
          when map outputs are written and given back when they are freed. With `auto` the PEs of \
          a host share what its memory and `spark.symshuffle.heap.dir` leave free at their start. \
          When a heap is full, map outputs go to disk.\
          """);

  /** How much freed memory is kept. */
  public static final Setting<ByteSize> HEAP_RETAINED =
      new Setting<>(
          PREFIX + "heap.retained",
          Bytes.between("0", "16t"),
          ByteSize.parse("256m"),
          Scope.START,
          """
          How much freed heap memory a PE keeps once its heap has rested for 30 s. Until then it \
          keeps all, up to the heap's size: memory that is kept need not be found and zeroed again, \
          which makes writing faster.\
          """);

  /** How large the staging buffer of a task is. */
  public static final Setting<ByteSize> STAGING_SIZE =
      new Setting<>(
          PREFIX + "staging.size",
          Bytes.between("64k", "1g"),
          ByteSize.parse("1m"),
          Scope.START,
          """
          How many bytes of records a map task gathers before it sorts them by partition into one \
          run. A buffer that fits into the processor's second-level cache sorts fastest; a larger \
          one makes fewer and longer runs, which pays when there are thousands of partitions.\
          """);

  /** Where runs go that the heap has no room for. */
  public static final Setting<Optional<Path>> DISK_DIR =
      new Setting<>(
          PREFIX + "disk.dir",
          new OrAuto<>(new Folder()),
          Optional.empty(),
          Scope.START,
          """
          The folder on each host for the runs that no longer fit into the heap. With `auto` it is \
          the first of the executor's local folders, as Spark has them from `spark.local.dir` or \
          the cluster manager.\
          """);

  /** Whether blocks carry checksums. */
  public static final Setting<Boolean> CHECKSUM_ENABLED =
      new Setting<>(
          PREFIX + "checksum.enabled",
          new Truth(),
          true,
          Scope.START,
          """
          Whether each block carries a CRC32C that is compared when it is read. A block that does \
          not match is a fetch failure, upon which Spark writes it again.\
          """);

  /** Whether the heaps of other PEs are mapped. */
  public static final Setting<Boolean> READ_PEER_MAPPING =
      new Setting<>(
          PREFIX + "read.peerMapping",
          new Truth(),
          true,
          Scope.START,
          """
          Whether an executor maps the heaps of the other PEs of its host and reads their blocks \
          in place. With `false` every block of another executor comes through Spark's block \
          transfer, as it does from other hosts; this is for tests and for narrowing down a \
          fault.\
          """);

  /** How long an executor tries to join. */
  public static final Setting<Duration> JOIN_TIMEOUT =
      new Setting<>(
          PREFIX + "join.timeout",
          new Time(Duration.ofMillis(100), Duration.ofMinutes(10)),
          Duration.ofSeconds(30),
          Scope.START,
          """
          How long a starting executor waits for the driver's answer to its joining. When the time \
          is up, it works with a heap of its own that no other executor reads in place: their \
          blocks travel through Spark's block transfer.\
          """);

  private static final List<Setting<?>> ALL =
      List.of(
          ENABLED,
          HEAP_DIR,
          HEAP_SIZE,
          HEAP_RETAINED,
          STAGING_SIZE,
          DISK_DIR,
          CHECKSUM_ENABLED,
          READ_PEER_MAPPING,
          JOIN_TIMEOUT);

  private Settings() {}

  /**
   * Every setting.
   *
   * @return the table, in the order of the documentation
   */
  public static List<Setting<?>> all() {
    return ALL;
  }

  static List<String> keys() {
    return ALL.stream().map(Setting::key).toList();
  }
}
