// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The RAPIDS Accelerator's jar: one, with cuDF inside, of a version that was tried. */
final class RapidsCheck implements Check {
  private static final Pattern RAPIDS =
      Pattern.compile("rapids-4-spark_2\\.1[23]-([0-9.]+)(-SNAPSHOT)?(-cuda\\d+)?\\.jar");
  private static final Pattern CUDF = Pattern.compile("cudf-.*\\.jar");
  private static final String TRIED = "26.08";

  static final Ailment SEVERAL =
      new Ailment(
          "rapids-twice",
          "NoSuchMethodError in com.nvidia or ai.rapids classes, or libcudf cannot be loaded",
          "there are several RAPIDS jars, or a cuDF jar beside the one that has cuDF inside",
          "keep exactly one rapids-4-spark jar and no jar of cuDF");
  static final Ailment OTHER_VERSION =
      new Ailment(
          "rapids-other-version",
          "GPU tables take RAPIDS' way over host memory, and the log says so",
          "what we call in RAPIDS is its own business and was tried with 26.08 only",
          "use rapids-4-spark 26.08.x for tables that stay on the GPU; everything works without");
  static final Ailment NOT_ON =
      new Ailment(
          "rapids-not-switched-on",
          "Queries run on the CPU",
          "RAPIDS' jar is there, and spark.plugins does not name its plugin",
          "set spark.plugins=io.symshuffle.SymShufflePlugin,com.nvidia.spark.SQLPlugin");

  @Override
  public String title() {
    return "RAPIDS";
  }

  @Override
  public List<Ailment> ailments() {
    return List.of(SEVERAL, OTHER_VERSION, NOT_ON);
  }

  @Override
  public List<Finding> examine(Host host) {
    SparkJars jars = SparkJars.of(host);
    Set<String> rapids = jars.named(RAPIDS).keySet();
    Set<String> cudf = jars.named(CUDF).keySet();
    if (rapids.isEmpty() && cudf.isEmpty()) {
      return List.of(Finding.skip("no RAPIDS jar; it is not needed"));
    }
    if (rapids.size() != 1 || !cudf.isEmpty()) {
      List<String> all = new ArrayList<>(rapids);
      all.addAll(cudf);
      return List.of(Finding.fail(SEVERAL, "found " + String.join(", ", all)));
    }
    List<Finding> findings = new ArrayList<>();
    String jar = rapids.iterator().next();
    Matcher match = RAPIDS.matcher(jar);
    boolean tried = match.matches() && match.group(1).startsWith(TRIED);
    findings.add(tried ? Finding.ok(jar) : Finding.warn(OTHER_VERSION, jar));
    if (!host.settings().isEmpty()
        && !host.setting("spark.plugins", "").contains("com.nvidia.spark.SQLPlugin")) {
      findings.add(
          Finding.warn(NOT_ON, "spark.plugins is '" + host.setting("spark.plugins", "") + "'"));
    }
    return findings;
  }
}
