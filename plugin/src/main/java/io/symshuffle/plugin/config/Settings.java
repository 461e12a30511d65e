// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import io.symshuffle.heap.folder.HeapHeader;
import io.symshuffle.plugin.config.Setting.Scope;
import io.symshuffle.plugin.config.SettingType.BooleanType;
import io.symshuffle.plugin.config.SettingType.ByteSizeType;
import io.symshuffle.plugin.config.SettingType.DurationType;
import io.symshuffle.plugin.config.SettingType.GpuShareType;
import io.symshuffle.plugin.config.SettingType.IntType;
import io.symshuffle.plugin.config.SettingType.InterfaceNameType;
import io.symshuffle.plugin.config.SettingType.OneOf;
import io.symshuffle.plugin.config.SettingType.OrAuto;
import io.symshuffle.plugin.config.SettingType.PathType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The table of all settings. */
public final class Settings {
  /** The prefix of all keys. */
  public static final String PREFIX = "spark.symshuffle.";

  /** In the order of their declarations, which is that of the documentation. */
  private static final List<Setting<?>> ALL = new ArrayList<>();

  /** Those of tests and of experiments, which are not documented. */
  private static final List<Setting<?>> INTERNAL = new ArrayList<>();

  /** Whether SymShuffle serves exchanges. */
  public static final Setting<Boolean> ENABLED =
      setting(
          "enabled",
          Scope.START_AND_SESSION,
          new BooleanType(),
          true,
          """
          Whether SymShuffle serves the exchanges of the application. If it is `false` when the \
          application starts, the plugin does nothing. If it is set to `false` in a running \
          session (`SET spark.symshuffle.enabled=false`), Spark's sort shuffle serves the \
          exchanges planned from then on, except those of GPU tables that the RAPIDS Accelerator \
          keeps on the GPUs.\
          """);

  /** Whether settings that our shuffle cannot work with stop the application. */
  public static final Setting<Boolean> REQUIRED =
      atStart(
          "required",
          new BooleanType(),
          false,
          """
          Whether the application fails at the start, with a message, if SymShuffle cannot work \
          with its settings or its version of Spark. If it is `false`, a warning says what happens \
          instead: \
          SymShuffle changes `spark.shuffle.service.enabled`, `spark.shuffle.push.enabled` and \
          `spark.shuffle.useOldFetchProtocol` to `false` for the application and replaces sort \
          shuffle. With any other `spark.shuffle.manager`, or a Spark version that needs another \
          jar, it is disabled.\
          """);

  /** The folder for heaps. */
  public static final Setting<Path> HEAP_DIR =
      atStart(
          "heap.dir",
          new PathType(),
          Path.of("/dev/shm"),
          """
          The folder on each host for the heaps of an application's PEs, which are in a private \
          folder there. It should be in memory (tmpfs) and the same for all executors of a host: \
          PEs that share it read each other's map outputs in place. If it cannot be used or is \
          too small, an executor uses a folder on disk and logs a warning.\
          """);

  /** The size of a heap. */
  public static final Setting<Optional<ByteSize>> HEAP_SIZE =
      atStart(
          "heap.size",
          new OrAuto<>(ByteSizeType.between("1m", "16t")),
          Optional.empty(),
          """
          The maximum size of the heap of one PE. Memory is reserved when map outputs are \
          written and released when they are freed. With `auto` the PEs of a host share half of \
          the memory that is available when they start, or 80 % of what \
          `spark.symshuffle.heap.dir` has free if that is less, and leave each JVM its part of a \
          container's limit. In a Kubernetes pod a PE does not share if the file system is at most \
          as large as the pod's memory limit. When a heap is full, map outputs go to disk.\
          """);

  /** How much freed memory a heap keeps that has been idle for 5 minutes. */
  public static final Setting<ByteSize> HEAP_RETAINED =
      internal("heap.retained", ByteSizeType.between("0", "16t"), ByteSize.parse("256m"));

  /** How executors read and write heaps; see {@link io.symshuffle.heap.host.HeapAccess}. */
  public static final Setting<String> HEAP_ACCESS =
      internal("heap.access", new OneOf(List.of("auto", "mapped", "copied")), "auto");

  /** How many files a heap has; with {@code auto} it depends on the executor's cores. */
  public static final Setting<Optional<Integer>> HEAP_FILES =
      internal("heap.files", new OrAuto<>(new IntType(1, HeapHeader.MAX_FILES)), Optional.empty());

  /** The size of the staging buffer of a task. */
  public static final Setting<ByteSize> STAGING_SIZE =
      atStart(
          "staging.size",
          ByteSizeType.between("64k", "1g"),
          ByteSize.parse("1m"),
          """
          How many bytes of records a map task collects before it sorts them by partition into \
          one run. A buffer that fits into the processor's second-level cache sorts fastest; a \
          larger one makes fewer and longer runs, which helps with thousands of partitions.\
          """);

  /** The folder for runs that do not fit into the heap. */
  public static final Setting<Optional<Path>> DISK_DIR =
      atStart(
          "disk.dir",
          new OrAuto<>(new PathType()),
          Optional.empty(),
          """
          The folder on each host for runs that do not fit into the heap. With `auto` they are \
          spread over the executor's local folders (`spark.local.dir` or the cluster manager's), \
          and a folder whose disk is full or fails is skipped.\
          """);

  /** Whether blocks have checksums. */
  public static final Setting<Boolean> CHECKSUM_ENABLED =
      atStart(
          "checksum.enabled",
          new BooleanType(),
          true,
          """
          Whether each block has a CRC32C checksum that is verified when the block is read. A \
          block that does not match is a fetch failure, and Spark recomputes it.\
          """);

  /** Whether blocks of other PEs of the host are read in place, from their heaps. */
  public static final Setting<Boolean> READ_PEER_MAPPING =
      internal("read.peerMapping", new BooleanType(), true);

  /** How much of the heaps of other PEs is resident. */
  public static final Setting<Optional<ByteSize>> READ_PEER_MEMORY =
      atStart(
          "read.peerMemory",
          new OrAuto<>(ByteSizeType.between("64m", "16t")),
          Optional.empty(),
          """
          Approximately how much memory of other executors' heaps may count in the resident set \
          (RSS) of an executor while its tasks read. With `auto` it is 384m on YARN, which kills \
          containers because of their RSS, and unlimited elsewhere. Set it if something else \
          limits RSS, such as a batch system. Above the limit, the executor unmaps these pages, \
          which stay in the heap, and maps them again when it reads them.\
          """);

  /** How blocks for other hosts and runs on disk are compressed. */
  public static final Setting<String> TRANSFER_COMPRESSION =
      atStart(
          "transfer.compression",
          new OneOf(List.of("auto", "none", "lz4", "zstd")),
          "auto",
          """
          How blocks sent to other hosts and runs on disk are compressed. `auto` is LZ4, except for \
          tables of the RAPIDS Accelerator in GPU memory: the owner's GPU packs them, mostly by \
          storing numbers with the bits that they need, and the reader's GPU unpacks them. When \
          half of its device heap is used, it packs what it writes from then on, so that more \
          fits. `none` sends and stores these as they are, and with `lz4` or `zstd` the owner's \
          CPU compresses them before they are sent. `zstd` sends \
          about 13 % fewer bytes for twice the CPU time, which pays below about 13 MB/s per core; \
          with 10 Gbit/s or more per core, `none` can be 12 % faster. Blocks under 2 KiB, those \
          that do not shrink, and those that exceed one sixteenth of the Java heap while they \
          wait are sent uncompressed.\
          """);

  /** How much pinned memory copies of tables may take. */
  public static final Setting<ByteSize> TRANSFER_PINNED =
      atStart(
          "transfer.pinned",
          ByteSizeType.between("0", "1t"),
          ByteSize.parse("1g"),
          """
          How much pinned host memory an executor may allocate for tables of the RAPIDS \
          Accelerator: half of it for those that it sends to other hosts, half for those that it \
          receives from them, or copies between its GPU and the host heap or the disk because \
          the device heap is full. It is allocated when such tables are first copied, and \
          belongs to `spark.executor.memoryOverhead`. Tables that find no room are copied \
          through memory that is not pinned, which is slower.\
          """);

  /** How long an executor waits for the driver when it joins; then it uses a private heap. */
  public static final Setting<Duration> JOIN_TIMEOUT =
      internal(
          "join.timeout",
          new DurationType(Duration.ofMillis(100), Duration.ofMinutes(10)),
          Duration.ofSeconds(30));

  /** Whether executors look for GPUs. */
  public static final Setting<Optional<Boolean>> DEVICE_ENABLED =
      atStart(
          "device.enabled",
          new OrAuto<>(new BooleanType()),
          Optional.empty(),
          """
          Whether executors have a heap in the memory of their GPUs. With `auto` they have one \
          if something uses it: tables of the RAPIDS Accelerator \
          (`spark.symshuffle.rapids.mode`). With `true` they always have one, and warn if there \
          is no GPU. With `false` they never look for GPUs.\
          """);

  /** Whose memory device heaps are. */
  public static final Setting<String> DEVICE_BACKEND =
      atStart(
          "device.backend",
          new OneOf(List.of("auto", "nvshmem", "cuda")),
          "auto",
          """
          What allocates the GPU memory of device heaps. With `nvshmem` the executors of a host \
          start their heaps together and take all of their memory until the application ends; \
          the number of executors must be fixed. With `cuda` each executor opens its heap alone, \
          at any time, and allocates memory when map outputs need it; containers need to share \
          only the folder of `spark.symshuffle.heap.dir`. `auto` chooses NVSHMEM if it is \
          installed, the number of executors is fixed, and RAPIDS can spare all of \
          `spark.symshuffle.device.heap.size`, and otherwise CUDA. With `cuda` an executor \
          reserves memory of the heap's size, as far as RAPIDS can spare it, until RAPIDS has \
          taken its pool.\
          """);

  /** Whether executors read each other's device heaps in place. */
  public static final Setting<Boolean> DEVICE_PEER_ACCESS =
      atStart(
          "device.peerAccess",
          new BooleanType(),
          true,
          """
          Whether executors read each other's device heaps in place. With `false`, for \
          GPUs that cannot do so, tables of other GPUs come through Spark's block transfer, \
          packed by their GPU, and Spark recomputes the map outputs of lost executors. It needs \
          heaps of CUDA memory.\
          """);

  /** Whether the application must not run without device heaps. */
  public static final Setting<Boolean> DEVICE_REQUIRED =
      atStart(
          "device.required",
          new BooleanType(),
          false,
          """
          Whether an application stops if not all of its executors can start their device heaps. \
          With `false` it uses the host heap and logs the reason. This applies only to the first \
          start: an executor that replaces a lost one may use the host heap.\
          """);

  /** The largest allowed value of {@link #DEVICE_PES}. */
  public static final int MAX_DEVICE_PES = 1000;

  /** How many executors start their device heaps together. */
  public static final Setting<Optional<Integer>> DEVICE_PES =
      atStart(
          "device.pes",
          new OrAuto<>(new IntType(1, MAX_DEVICE_PES)),
          Optional.empty(),
          """
          How many executors the driver waits for before device heaps of NVSHMEM start, when an \
          application starts or all of its executors have been lost. With `auto` it is \
          `spark.executor.instances`, otherwise the executors of `local-cluster[N,...]`, \
          otherwise `spark.cores.max` divided by `spark.executor.cores`, and 1 in local mode. If \
          none of these is set, or with dynamic allocation, NVSHMEM cannot be used without this \
          setting. The cluster must be able to run that many executors at the same time.\
          """);

  /** The size of a device heap. */
  public static final Setting<GpuShare> DEVICE_HEAP_SIZE =
      atStart(
          "device.heap.size",
          new GpuShareType(),
          GpuShare.fraction(0.3),
          """
          The size of the device heap: a fraction of the GPU's memory or a byte size. With \
          NVSHMEM it is taken when the heap starts, before the RAPIDS Accelerator allocates its \
          pool, and all device heaps of a host have the size of the smallest. With \
          `spark.symshuffle.device.backend=cuda` it is a limit, which may be more than is free.\
          """);

  /** How much GPU memory the CUDA heap creates at a time, rounded up to a multiple of 2 MiB. */
  public static final Setting<ByteSize> DEVICE_CHUNK_SIZE =
      internal("device.chunk.size", ByteSizeType.between("2m", "16g"), ByteSize.parse("256m"));

  /**
   * How long the driver waits for all expected executors after the first one with a GPU, and then
   * how long starting their device heaps may take.
   */
  public static final Setting<Duration> DEVICE_TIMEOUT =
      internal(
          "device.timeout",
          new DurationType(Duration.ofSeconds(1), Duration.ofMinutes(10)),
          Duration.ofSeconds(60));

  /** The folder of NVSHMEM. */
  public static final Setting<Optional<Path>> DEVICE_NVSHMEM_HOME =
      atStart(
          "device.nvshmem.home",
          new OrAuto<>(new PathType()),
          Optional.empty(),
          """
          The folder on each host that contains NVSHMEM's host library, `libnvshmem_host.so.3`, \
          or the parent of its `lib` folder. With `auto` these places are searched: \
          `$NVSHMEM_HOME`, the wheels `nvidia-nvshmem-cu13` and `-cu12`, the packages \
          `libnvshmem3-cuda-13` and `-12`, and the dynamic loader's folders.\
          """);

  /** The interface over which PEs find each other. */
  public static final Setting<Optional<String>> DEVICE_INTERFACE =
      atStart(
          "device.interface",
          new OrAuto<>(new InterfaceNameType()),
          Optional.empty(),
          """
          The network interface over which the executors of a host find each other when NVSHMEM \
          starts; no data uses it. With `auto` NVSHMEM chooses. An executor's environment \
          variable `NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME` takes precedence.\
          """);

  /** Where the RAPIDS Accelerator's tables go. */
  public static final Setting<String> RAPIDS_MODE =
      atStart(
          "rapids.mode",
          new OneOf(List.of("auto", "host", "device")),
          "auto",
          """
          Whether the tables of the RAPIDS Accelerator stay on the GPUs for a shuffle. With \
          `auto` they do if SymShuffle supports the accelerator's version and the application's \
          settings allow it; otherwise a warning gives the reason, and RAPIDS copies them to the \
          host. With `host` RAPIDS always copies them. `device` is like `auto`, but also tries \
          unsupported versions.\
          """);

  /** Whether small stages of a query run before large ones. */
  public static final Setting<Boolean> SMALL_STAGES_FIRST =
      atStart(
          "scheduler.smallStagesFirst",
          new BooleanType(),
          true,
          """
          Whether, among the stages of one SQL query that could run now, those with fewer tasks \
          start theirs first. So the exchange of a small table ends before that of a large one, \
          and adaptive execution can broadcast it instead of shuffling the large one again. No \
          stage passes one of another query or job. With `false`, or with \
          `spark.scheduler.mode=FAIR`, Spark alone chooses the order.\
          """);

  private Settings() {}

  private static <T> Setting<T> atStart(
      String name, SettingType<T> type, T defaultValue, String documentation) {
    return setting(name, Scope.START, type, defaultValue, documentation);
  }

  private static <T> Setting<T> internal(String name, SettingType<T> type, T defaultValue) {
    Setting<T> setting = new Setting<>(PREFIX + name, type, defaultValue, Scope.START, "");
    INTERNAL.add(setting);
    return setting;
  }

  private static <T> Setting<T> setting(
      String name, Scope scope, SettingType<T> type, T defaultValue, String documentation) {
    Setting<T> setting = new Setting<>(PREFIX + name, type, defaultValue, scope, documentation);
    ALL.add(setting);
    return setting;
  }

  /** Returns every documented setting, in the order of the documentation. */
  public static List<Setting<?>> all() {
    return List.copyOf(ALL);
  }

  /** Returns whether a key is that of an internal setting. */
  static boolean isInternal(String key) {
    return INTERNAL.stream().anyMatch(setting -> setting.key().equals(key));
  }

  /** Returns the number of settings, internal ones included. */
  static int count() {
    return ALL.size() + INTERNAL.size();
  }

  static List<String> keys() {
    return ALL.stream().map(Setting::key).toList();
  }
}
