// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Spark's version and Scala's, and that our own jar is there once. */
final class SparkCheck implements Check {
  private static final Pattern CORE = Pattern.compile("spark-core_([0-9.]+)-([0-9.]+)(-.*)?\\.jar");
  private static final Pattern OURS = Pattern.compile("symshuffle-spark-.*\\.jar");
  private static final Pattern CLASSIFIED = Pattern.compile(".*-(sources|javadoc|tests)\\.jar");

  static final Ailment OTHER_SPARK =
      new Ailment(
          "other-spark",
          "NoSuchMethodError or AbstractMethodError at the start or in the first shuffle",
          "this jar is made for Spark 4.2 with Scala 2.13, and calls into what Spark does not"
              + " promise",
          "use Spark 4.2.0 with Scala 2.13, or the SymShuffle jar made for your Spark");
  static final Ailment TWO_JARS =
      new Ailment(
          "two-jars-of-ours",
          "NoSuchMethodError in io.symshuffle classes, or a setting that is said to be unknown",
          "two versions of SymShuffle's jar are on the class path",
          "remove all but one of them from $SPARK_HOME/jars, --jars and extraClassPath");

  @Override
  public String title() {
    return "Spark";
  }

  @Override
  public List<Ailment> ailments() {
    return List.of(OTHER_SPARK, TWO_JARS);
  }

  @Override
  public List<Finding> examine(Host host) {
    SparkJars jars = SparkJars.of(host);
    List<Finding> findings = new ArrayList<>();
    findings.add(spark(jars));
    Map<String, Path> ours = jars.named(OURS);
    ours.keySet().removeIf(name -> CLASSIFIED.matcher(name).matches());
    if (ours.size() > 1) {
      findings.add(Finding.fail(TWO_JARS, "found " + String.join(" and ", ours.keySet())));
    }
    return findings;
  }

  private static Finding spark(SparkJars jars) {
    Optional<Matcher> core = jars.first(CORE);
    if (core.isEmpty()) {
      return Finding.skip(
          "no Spark to look at: set SPARK_HOME, or run with Spark's jars on the class path");
    }
    String scala = core.get().group(1);
    String version = core.get().group(2);
    String found = "Spark %s with Scala %s".formatted(version, scala);
    return version.startsWith("4.2.") && scala.equals("2.13")
        ? Finding.ok(found)
        : Finding.fail(OTHER_SPARK, found);
  }
}
