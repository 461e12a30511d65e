// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.cli.CliException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A shuffle manager to compare, with its Spark settings and what they need. */
public enum ManagerChoice {
  /** Spark's sort shuffle with its defaults, which is compressed with LZ4. */
  SORT("sort", Set.of(), Setting.SORT),
  /** The same with blocks compressed with zstd. */
  SORT_ZSTD("sort-zstd", Set.of(), Setting.SORT, Setting.ZSTD),
  /** The same without compression, which is the fairer rival of an in-memory shuffle. */
  SORT_NOCOMPRESS("sort-nocompress", Set.of(), Setting.SORT, Setting.NO_COMPRESSION),
  /** Sort shuffle with its files in memory, which users can have without any plugin. */
  SORT_SHM("sort-shm", Set.of(Need.OWN_FOLDER), Setting.SORT, Setting.IN_MEMORY),
  /** The same without compression. */
  SORT_SHM_NOCOMPRESS(
      "sort-shm-nocompress",
      Set.of(Need.OWN_FOLDER),
      Setting.SORT,
      Setting.IN_MEMORY,
      Setting.NO_COMPRESSION),
  /** SymShuffle with its defaults. */
  SYMSHUFFLE("symshuffle", Set.of(Need.PLUGIN), Setting.OURS),
  /** The same without compression between hosts, which shows what compression costs or saves. */
  SYMSHUFFLE_NOCOMPRESS(
      "symshuffle-nocompress", Set.of(Need.PLUGIN), Setting.OURS, Setting.NO_TRANSFER_COMPRESSION),
  /** DataFusion Comet: native operators, and its own shuffle manager. */
  COMET(
      "comet",
      Set.of(Need.COMET),
      "spark.plugins=org.apache.spark.CometPlugin",
      "spark.shuffle.manager=" + "org.apache.spark.sql.comet.execution.shuffle.CometShuffleManager",
      "spark.comet.exec.shuffle.enabled=true",
      "spark.memory.offHeap.enabled=true"),
  /** The RAPIDS Accelerator with Spark's sort shuffle, its default. */
  RAPIDS("rapids", Set.of(Need.RAPIDS), Setting.RAPIDS, Setting.SORT),
  /** The RAPIDS Accelerator with its multi-threaded shuffle manager. */
  RAPIDS_MULTITHREADED(
      "rapids-multithreaded", Set.of(Need.RAPIDS), Setting.RAPIDS, Setting.MULTI_THREADED),
  /** The same with blocks compressed with zstd. */
  RAPIDS_MULTITHREADED_ZSTD(
      "rapids-multithreaded-zstd",
      Set.of(Need.RAPIDS),
      Setting.RAPIDS,
      Setting.MULTI_THREADED,
      Setting.ZSTD),
  /**
   * The same as NVIDIA's engineers set it for large workloads: the GPU writes and reads the blocks,
   * with more threads.
   */
  RAPIDS_NVIDIA_PROFILE(
      "rapids-nvidia-profile",
      Set.of(Need.RAPIDS),
      Setting.RAPIDS,
      Setting.MULTI_THREADED,
      Setting.GPU_WRITES,
      Setting.GPU_READS,
      Setting.WRITERS,
      Setting.READERS),
  /**
   * The same with map outputs in host memory instead of files, which needs RAPIDS' limit of that.
   * On two H200 executors of RAPIDS 26.08.1 ended again and again with it.
   */
  RAPIDS_NVIDIA_PROFILE_SKIPMERGE(
      "rapids-nvidia-profile-skipmerge",
      Set.of(Need.RAPIDS),
      Setting.RAPIDS,
      Setting.MULTI_THREADED,
      Setting.GPU_WRITES,
      Setting.GPU_READS,
      Setting.WRITERS,
      Setting.READERS,
      "spark.rapids.shuffle.multithreaded.skipMerge=true",
      "spark.rapids.memory.host.offHeapLimit.enabled=true"),
  /** RAPIDS with its UCX shuffle manager, as its documentation sets UCX up without RDMA. */
  RAPIDS_UCX(
      "rapids-ucx",
      Set.of(Need.RAPIDS),
      Setting.RAPIDS,
      Setting.MULTI_THREADED,
      "spark.rapids.shuffle.mode=UCX",
      Setting.NO_ROW_CHECKSUMS,
      Setting.NO_ROW_CHECKSUM_RETRIES,
      "spark.executorEnv.UCX_ERROR_SIGNALS=",
      "spark.executorEnv.UCX_MEMTYPE_CACHE=n",
      "spark.executorEnv.UCX_TLS=cuda_copy,cuda_ipc,tcp",
      "spark.executorEnv.UCX_RNDV_SCHEME=put_zcopy",
      "spark.executorEnv.UCX_MAX_RNDV_RAILS=1"),
  /** The RAPIDS Accelerator with SymShuffle. */
  RAPIDS_SYMSHUFFLE(
      "rapids-symshuffle", Set.of(Need.PLUGIN, Need.RAPIDS), Setting.RAPIDS_WITH_OURS),
  /** The same without Spark's order-independent row checksums, which shows what they cost. */
  RAPIDS_SYMSHUFFLE_NO_ROW_CHECKSUMS(
      "rapids-symshuffle-no-row-checksums",
      Set.of(Need.PLUGIN, Need.RAPIDS),
      Setting.RAPIDS_WITH_OURS,
      Setting.NO_ROW_CHECKSUMS,
      Setting.NO_ROW_CHECKSUM_RETRIES);

  private enum Need {
    /** Our jar. */
    PLUGIN,
    /** The jar of the RAPIDS Accelerator, and executors with GPUs. */
    RAPIDS,
    /** To set the local folder of its executors. */
    OWN_FOLDER,
    /** The jar of Comet, and memory outside of the executors' heaps. */
    COMET
  }

  private static final class Setting {
    static final String SORT = "spark.shuffle.manager=sort";
    static final String ZSTD = "spark.io.compression.codec=zstd";
    static final String NO_COMPRESSION = "spark.shuffle.compress=false";
    static final String IN_MEMORY = "spark.local.dir=/dev/shm";
    static final String OURS = "spark.plugins=io.symshuffle.SymShufflePlugin";
    static final String NO_TRANSFER_COMPRESSION = "spark.symshuffle.transfer.compression=none";
    static final String RAPIDS = "spark.plugins=com.nvidia.spark.SQLPlugin";
    static final String RAPIDS_WITH_OURS = OURS + ",com.nvidia.spark.SQLPlugin";
    static final String MULTI_THREADED =
        "spark.shuffle.manager=com.nvidia.spark.rapids.spark420.RapidsShuffleManager";
    static final String GPU_WRITES = "spark.rapids.shuffle.kudo.serializer.write.mode=GPU";
    static final String GPU_READS = "spark.rapids.shuffle.kudo.serializer.read.mode=GPU";
    static final String WRITERS = "spark.rapids.shuffle.multiThreaded.writer.threads=32";
    static final String READERS = "spark.rapids.shuffle.multiThreaded.reader.threads=32";
    static final String NO_ROW_CHECKSUMS =
        "spark.sql.shuffle.orderIndependentChecksum.enabled=false";
    static final String NO_ROW_CHECKSUM_RETRIES =
        "spark.sql.shuffle.orderIndependentChecksum.enableFullRetryOnMismatch=false";

    private Setting() {}
  }

  private final String label;

  @SuppressWarnings("ImmutableEnumChecker") // made by Set.of
  private final Set<Need> needs;

  @SuppressWarnings("ImmutableEnumChecker") // a copy that nobody changes
  private final Map<String, String> settings;

  ManagerChoice(String label, Set<Need> needs, String... settings) {
    this.label = label;
    this.needs = needs;
    this.settings =
        Stream.of(settings)
            .map(setting -> setting.split("=", 2))
            .collect(Collectors.toUnmodifiableMap(pair -> pair[0], pair -> pair[1]));
  }

  /** Returns the name on the command line and in reports. */
  public String label() {
    return label;
  }

  /** Returns the Spark settings that select it. */
  public Map<String, String> settings() {
    return settings;
  }

  /** Returns whether it needs our jar. */
  public boolean needsPlugin() {
    return needs.contains(Need.PLUGIN);
  }

  /** Returns whether its queries run on GPUs, which its executors need. */
  public boolean needsRapids() {
    return needs.contains(Need.RAPIDS);
  }

  /**
   * Returns whether it sets the local folder of its executors, which a cluster's workers override.
   */
  public boolean setsLocalFolder() {
    return needs.contains(Need.OWN_FOLDER);
  }

  /** Returns whether it needs the jar of Comet, and memory outside of its executors' heaps. */
  public boolean needsComet() {
    return needs.contains(Need.COMET);
  }

  /** Returns whether its executors have heaps in GPU memory. */
  public boolean hasDeviceHeap() {
    return needsRapids() && needsPlugin();
  }

  /**
   * Returns what is compared with RAPIDS by default, baseline first: its strongest manager, which
   * was faster with LZ4, its default, than with zstd.
   */
  public static List<ManagerChoice> underRapids() {
    return List.of(RAPIDS_NVIDIA_PROFILE, RAPIDS_SYMSHUFFLE);
  }

  /** Returns what is compared on hosts without GPUs by default. */
  public static List<ManagerChoice> onHosts() {
    return List.of(SORT, SORT_ZSTD, SYMSHUFFLE);
  }

  /**
   * Returns the managers with these names, in the same order.
   *
   * @throws CliException if a name is unknown or is given twice
   */
  public static List<ManagerChoice> named(List<String> labels) {
    List<ManagerChoice> choices = labels.stream().map(ManagerChoice::named).toList();
    if (choices.stream().distinct().count() != choices.size()) {
      throw CliException.wrongUsage(
          "--managers names a manager twice: " + String.join(",", labels) + ".");
    }
    return choices;
  }

  private static ManagerChoice named(String label) {
    return Arrays.stream(values())
        .filter(choice -> choice.label.equals(label.strip().toLowerCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(
            () ->
                CliException.wrongUsage(
                    "Unknown manager '"
                        + label
                        + "'; choose from "
                        + String.join(
                            ", ", Arrays.stream(values()).map(ManagerChoice::label).toList())
                        + "."));
  }
}
