// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.soak;

import io.symshuffle.benchmarks.launch.ApplicationSpec;
import io.symshuffle.benchmarks.launch.ManagerChoice;
import io.symshuffle.cli.CliException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a soak compares: where its query runs, and any number of controls, which change the
 * circumstances of a suspected fault.
 *
 * @param base where the query runs
 * @param controls in the order on the command line
 */
record SoakArm(Base base, List<Control> controls) {
  /** Where the query runs. */
  enum Base {
    /** Spark's operators on CPUs, to test the command itself. */
    CPU(ManagerChoice.SORT),
    /** The RAPIDS Accelerator with Spark's sort shuffle. */
    RAPIDS(ManagerChoice.RAPIDS),
    /** The RAPIDS Accelerator with tables that SymShuffle keeps on the GPUs. */
    SYMSHUFFLE(ManagerChoice.RAPIDS_SYMSHUFFLE);

    private final ManagerChoice choice;

    Base(ManagerChoice choice) {
      this.choice = choice;
    }

    ManagerChoice choice() {
      return choice;
    }
  }

  /** A change of the circumstances. */
  enum Control {
    /** Freed host memory is overwritten, so that whatever reads it too late reads garbage. */
    MALLOC_PERTURB("spark.executorEnv.MALLOC_PERTURB_", "165"),
    /** Each launch of a kernel waits for its end, which hides missing waits. */
    LAUNCH_BLOCKING("spark.executorEnv.CUDA_LAUNCH_BLOCKING", "1"),
    /** cuDF does not use the pinned memory pool of RAPIDS. */
    NO_CUIO_DEFAULT("spark.rapids.memory.pinnedPool.setCuioDefault", "false");

    private final String key;
    private final String value;

    Control(String key, String value) {
      this.key = key;
      this.value = value;
    }
  }

  /** Copies the list. */
  SoakArm {
    controls = List.copyOf(controls);
  }

  /**
   * Parses an arm.
   *
   * @param label a base, and controls separated by {@code +}; without a base, that is {@code
   *     rapids}
   * @throws CliException if a part is unknown or given twice
   */
  static SoakArm named(String label) {
    List<String> parts = List.of(label.strip().toLowerCase(Locale.ROOT).split("\\+", -1));
    List<Base> bases = values(Base.values(), parts);
    List<Control> controls = values(Control.values(), parts);
    if (bases.size() > 1 || bases.size() + controls.size() != parts.size()) {
      throw CliException.wrongUsage(
          "Unknown arm '"
              + label
              + "'; choose from "
              + labels(List.of(Base.values()))
              + ", with controls as in rapids+malloc-perturb: "
              + labels(List.of(Control.values()))
              + ".");
    }
    return new SoakArm(bases.isEmpty() ? Base.RAPIDS : bases.getFirst(), controls);
  }

  /** Returns the name on the command line and in reports. */
  String label() {
    return controls.isEmpty() ? label(base) : label(base) + "+" + labels(controls, "+");
  }

  /** Returns the settings that the arm needs in addition to those of its base's manager. */
  Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    if (base == Base.SYMSHUFFLE) {
      settings.put("spark.symshuffle.device.required", "true");
    }
    controls.forEach(control -> settings.put(control.key, control.value));
    return settings;
  }

  /**
   * Returns the application of this arm.
   *
   * @param spec that of its base
   * @param folder parent of the application's folder
   */
  ApplicationSpec application(ApplicationSpec spec, Path folder) {
    Map<String, String> all = new LinkedHashMap<>(spec.settings());
    all.putAll(settings());
    return new ApplicationSpec(
        label(),
        spec.master(),
        spec.driverMemory(),
        all,
        spec.plugin(),
        spec.jars(),
        folder.resolve(label()));
  }

  private static <E extends Enum<E>> List<E> values(E[] all, List<String> labels) {
    return Arrays.stream(all).filter(value -> labels.contains(label(value))).toList();
  }

  private static String labels(List<? extends Enum<?>> values) {
    return labels(values, ", ");
  }

  private static String labels(List<? extends Enum<?>> values, String separator) {
    return values.stream().map(SoakArm::label).collect(Collectors.joining(separator));
  }

  private static String label(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
