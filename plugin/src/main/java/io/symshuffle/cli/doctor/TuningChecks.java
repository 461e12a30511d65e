// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.cli.ExpertSettings;
import java.util.ArrayList;
import java.util.List;

/** The settings of an expert, without which queries are slower than they could be. */
final class TuningChecks {
  private static final KnownProblem NOT_TUNED = KnownProblem.named("not-tuned");

  static final List<Check> ALL =
      List.of(new Check("tuning", List.of(NOT_TUNED), TuningChecks::tuning));

  private TuningChecks() {}

  private static List<Finding> tuning(Host host) {
    // Without sizes, the settings are not those of a cluster.
    if (host.setting("spark.executor.memory", "").isEmpty()) {
      return List.of(Finding.skip("No spark.executor.memory given"));
    }
    List<String> missing = new ArrayList<>();
    String options =
        host.setting(ExpertSettings.JAVA_OPTIONS, "")
            + " "
            + host.setting("spark.executor.extraJavaOptions", "");
    if (!options.contains("-Xms")) {
      missing.add("-Xms in " + ExpertSettings.JAVA_OPTIONS);
    }
    if (host.plugins().contains(SparkChecks.RAPIDS_PLUGIN)) {
      for (String key :
          List.of(
              ExpertSettings.PINNED_POOL,
              ExpertSettings.INPUT_BYTES,
              ExpertSettings.LOCALITY_WAIT)) {
        String value = host.setting(key, "");
        if (value.isEmpty() || (key.equals(ExpertSettings.PINNED_POOL) && value.equals("0"))) {
          missing.add(key);
        }
      }
    }
    return missing.isEmpty()
        ? List.of(Finding.ok("The settings include those of tune that make queries faster"))
        : List.of(Finding.warn(NOT_TUNED, "Not set: " + String.join(", ", missing)));
  }
}
