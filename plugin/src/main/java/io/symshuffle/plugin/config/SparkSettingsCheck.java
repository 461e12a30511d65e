// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;

/**
 * Refuses Spark settings that our shuffle cannot work with, before the driver sets the shuffle
 * manager.
 */
public final class SparkSettingsCheck {
  /** Spark's setting of the shuffle manager. */
  public static final String MANAGER_KEY = "spark.shuffle.manager";

  private static final String SERVICE_KEY = "spark.shuffle.service.enabled";

  private final String plugin;
  private final String manager;

  /**
   * Creates a check.
   *
   * @param plugin the class name of our plugin, for messages
   * @param manager the class name of our shuffle manager
   */
  public SparkSettingsCheck(String plugin, String manager) {
    this.plugin = requireNonNull(plugin, "plugin is null");
    this.manager = requireNonNull(manager, "manager is null");
  }

  /**
   * Checks the settings of an application.
   *
   * @param conf its settings
   * @throws SymShuffleConfigException if SymShuffle cannot work with them
   */
  public void check(SparkConf conf) {
    List<String> problems = new ArrayList<>();
    String chosen = conf.get(MANAGER_KEY, manager);
    if (!chosen.equals(manager)) {
      problems.add(
          "%s is '%s', but SymShuffle sets the shuffle manager itself: remove %s, or remove %s from spark.plugins."
              .formatted(MANAGER_KEY, chosen, MANAGER_KEY, plugin));
    }
    if (conf.getBoolean(SERVICE_KEY, false)) {
      problems.add(
          "%s is 'true', but the external shuffle service cannot serve map outputs in a symmetric heap: set it to false, or remove %s from spark.plugins."
              .formatted(SERVICE_KEY, plugin));
    }
    if (!problems.isEmpty()) {
      throw new SymShuffleConfigException(problems);
    }
  }
}
