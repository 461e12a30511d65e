// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.util.ArrayList;
import java.util.List;

/** Settings of Spark under which our shuffle cannot serve, or serves less. */
final class ClashCheck implements Check {
  private static final String MANAGER = "io.symshuffle.shuffle.SymShuffleManager";

  static final Ailment OTHER_MANAGER =
      new Ailment(
          "other-shuffle-manager",
          "The application does not start: spark.shuffle.manager is ..., but SymShuffle sets the"
              + " shuffle manager itself",
          "two shuffle managers are asked for, and there can be one",
          "remove spark.shuffle.manager; to do without SymShuffle for a while, set"
              + " spark.symshuffle.enabled=false and keep the other one");
  static final Ailment SHUFFLE_SERVICE =
      new Ailment(
          "shuffle-service",
          "The application does not start: spark.shuffle.service.enabled is 'true', but ...",
          "the external shuffle service reads files, and our map outputs lie in memory",
          "set spark.shuffle.service.enabled=false; with dynamic allocation also"
              + " spark.dynamicAllocation.shuffleTracking.enabled=true");
  static final Ailment DELEGATED =
      new Ailment(
          "all-delegated",
          "Everything works, and nothing is faster; the log says that shuffles are left to Spark's"
              + " sort shuffle",
          "a setting asks for something that the symmetric heap does not do, so Spark's sort"
              + " shuffle does all shuffles",
          "remove the setting that the finding names, if you can do without it");
  static final Ailment DYNAMIC =
      new Ailment(
          "dynamic-allocation",
          "Executors that leave take their map outputs with them, and Spark computes them again",
          "dynamic allocation without shuffle tracking lets executors go whose map outputs are"
              + " still read",
          "set spark.dynamicAllocation.shuffleTracking.enabled=true, and"
              + " spark.dynamicAllocation.maxExecutors so that the heaps are sized for all of"
              + " them");

  @Override
  public String title() {
    return "Spark's settings";
  }

  @Override
  public List<Ailment> ailments() {
    return List.of(OTHER_MANAGER, SHUFFLE_SERVICE, DELEGATED, DYNAMIC);
  }

  @Override
  public List<Finding> examine(Host host) {
    if (host.settings().isEmpty()) {
      return List.of(Finding.skip("no settings to look at"));
    }
    List<Finding> findings = new ArrayList<>();
    String manager = host.setting("spark.shuffle.manager", MANAGER);
    if (!manager.equals(MANAGER)) {
      findings.add(Finding.fail(OTHER_MANAGER, "spark.shuffle.manager is " + manager));
    }
    if (isTrue(host, "spark.shuffle.service.enabled")) {
      findings.add(Finding.fail(SHUFFLE_SERVICE, "spark.shuffle.service.enabled is true"));
    }
    for (String key :
        List.of(
            "spark.io.encryption.enabled",
            "spark.shuffle.push.enabled",
            "spark.shuffle.useOldFetchProtocol")) {
      if (isTrue(host, key)) {
        findings.add(Finding.warn(DELEGATED, key + " is true"));
      }
    }
    if (isTrue(host, "spark.dynamicAllocation.enabled")
        && host.setting("spark.dynamicAllocation.shuffleTracking.enabled", "true")
            .equals("false")) {
      findings.add(Finding.warn(DYNAMIC, "dynamic allocation without shuffle tracking"));
    }
    return findings.isEmpty() ? List.of(Finding.ok("none clashes with ours")) : findings;
  }

  private static boolean isTrue(Host host, String key) {
    return host.setting(key, "false").equalsIgnoreCase("true");
  }
}
