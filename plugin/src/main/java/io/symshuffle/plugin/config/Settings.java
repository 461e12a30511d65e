// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import io.symshuffle.plugin.config.Setting.Scope;
import io.symshuffle.plugin.config.SettingType.Bytes;
import io.symshuffle.plugin.config.SettingType.Folder;
import io.symshuffle.plugin.config.SettingType.InterfaceName;
import io.symshuffle.plugin.config.SettingType.OneOf;
import io.symshuffle.plugin.config.SettingType.OrAuto;
import io.symshuffle.plugin.config.SettingType.Share;
import io.symshuffle.plugin.config.SettingType.Time;
import io.symshuffle.plugin.config.SettingType.Truth;
import io.symshuffle.plugin.config.SettingType.Whole;
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

  /** Whether executors look for GPUs. */
  public static final Setting<Optional<Boolean>> DEVICE_ENABLED =
      new Setting<>(
          PREFIX + "device.enabled",
          new OrAuto<>(new Truth()),
          Optional.empty(),
          Scope.START,
          """
          Whether executors put a heap into the memory of their GPUs. With `auto` they do when \
          tables of the RAPIDS Accelerator stay on the GPUs (`spark.symshuffle.rapids.mode`), or rows \
          go there (`spark.symshuffle.rows.tier`), since nothing else lies there. With `true` they always do, and warn where there is no GPU. \
          With `false` they never look.\
          """);

  /** Whether the application may run without device heaps. */
  public static final Setting<Boolean> DEVICE_REQUIRED =
      new Setting<>(
          PREFIX + "device.required",
          new Truth(),
          false,
          Scope.START,
          """
          Whether an application whose executors cannot all start their device heaps is stopped. \
          With `false` it runs on the host heap and the log has the reason; with `true` tasks fail \
          with the reason and the driver stops the application. It concerns the first \
          start alone: an executor that replaces a lost one later works on the host heap if need be.\
          """);

  /** How many executors start their device heaps together. */
  public static final Setting<Optional<Integer>> DEVICE_PES =
      new Setting<>(
          PREFIX + "device.pes",
          new OrAuto<>(new Whole(1, 1000)),
          Optional.empty(),
          Scope.START,
          """
          How many executors the driver waits for before device heaps are started, which happens \
          at the start of an application, and anew when all of its executors are gone and others \
          come. With `auto` it is `spark.executor.instances`, else \
          the executors of `local-cluster[N,...]`, else `spark.cores.max` divided by \
          `spark.executor.cores`, and 1 in local mode. Where none of these is set, or with dynamic \
          allocation, the number is not known and there are no device heaps without this setting. \
          The cluster must be able to run that many executors at once.\
          """);

  /** How large a device heap is. */
  public static final Setting<GpuShare> DEVICE_HEAP_SIZE =
      new Setting<>(
          PREFIX + "device.heap.size",
          new Share(),
          GpuShare.fraction(0.3),
          Scope.START,
          """
          How much memory of each GPU the device heap takes, once, at the start: a fraction of the \
          GPU's memory or a byte size. All device heaps of a host have the size of the smallest. \
          The RAPIDS Accelerator takes its pool afterwards from what is left, if our plugin stands \
          before its own in `spark.plugins`.\
          """);

  /** How long the start of device heaps may take. */
  public static final Setting<Duration> DEVICE_TIMEOUT =
      new Setting<>(
          PREFIX + "device.timeout",
          new Time(Duration.ofSeconds(1), Duration.ofMinutes(10)),
          Duration.ofSeconds(60),
          Scope.START,
          """
          How long the driver waits, from the first executor with a GPU on, until all expected \
          ones are there, and then again how long starting their device heaps together may take. \
          When the first time is up those that are there start; when the second one is up all work \
          on the host heap. Where all executors are gone and others come, these wait for each other \
          10 s at most, and all work on the host heap if fewer come than had device heaps before.\
          """);

  /** Where NVSHMEM is installed. */
  public static final Setting<Optional<Path>> DEVICE_NVSHMEM_HOME =
      new Setting<>(
          PREFIX + "device.nvshmem.home",
          new OrAuto<>(new Folder()),
          Optional.empty(),
          Scope.START,
          """
          The folder on each host with NVSHMEM's host library, `libnvshmem_host.so.3`, or the one \
          above its folder `lib`. With `auto` it is looked for in `$NVSHMEM_HOME`, in the wheels \
          `nvidia-nvshmem-cu13` and `-cu12` of a Python on the path, where the packages \
          `libnvshmem3-cuda-13` and `-12` put it, and where the dynamic loader looks.\
          """);

  /** Over which interface PEs find each other. */
  public static final Setting<Optional<String>> DEVICE_INTERFACE =
      new Setting<>(
          PREFIX + "device.interface",
          new OrAuto<>(new InterfaceName()),
          Optional.empty(),
          Scope.START,
          """
          The network interface over which the executors of a host find each other when NVSHMEM \
          starts; data never goes there. With `auto` NVSHMEM chooses. The environment variable \
          `NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME` of an executor wins.\
          """);

  /** Where the RAPIDS Accelerator's tables go. */
  public static final Setting<String> RAPIDS_MODE =
      new Setting<>(
          PREFIX + "rapids.mode",
          new OneOf(List.of("host", "auto", "device")),
          "host",
          Scope.START,
          """
          Whether the tables of the RAPIDS Accelerator stay on the GPUs for a shuffle. With `host` \
          RAPIDS copies them to the host for each shuffle, and SymShuffle moves them from there. \
          With `auto` they stay on the GPUs when the accelerator is one that SymShuffle knows and \
          the application's settings allow it; a warning says why where they do not. With `device` \
          an unknown version is tried, too. Keeping them on the GPUs is several times faster and \
          young: it is to be asked for.\
          """);

  /** Where the rows of CPU operators go. */
  public static final Setting<String> ROWS_TIER =
      new Setting<>(
          PREFIX + "rows.tier",
          new OneOf(List.of("auto", "host", "device")),
          "auto",
          Scope.START,
          """
          Where the records of Spark's own operators, which run on CPUs, go on executors with a \
          device heap. With `device` the GPUs sort them, keep them and exchange them; what does not \
          fit goes to the host heap, as do all records of executors without a device heap. With \
          `host` they go to the host heap, which the executors of a host read in place. With `auto` \
          they go there, too: on 2 H200 with 16 cores each a `repartition` of 100 million rows cost \
          0.62 s through the host heap and 0.69 s through the GPUs. A reduce task \
          reads from GPUs in fetches of 8 MiB, of which `spark.reducer.maxSizeInFlight` bounds how \
          many it has at a time, 2 to 4.\
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
          JOIN_TIMEOUT,
          DEVICE_ENABLED,
          DEVICE_REQUIRED,
          DEVICE_PES,
          DEVICE_HEAP_SIZE,
          DEVICE_TIMEOUT,
          DEVICE_NVSHMEM_HOME,
          DEVICE_INTERFACE,
          RAPIDS_MODE,
          ROWS_TIER);

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
