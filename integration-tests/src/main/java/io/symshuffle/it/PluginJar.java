// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

/** The ways in which users give our jar to Spark. */
public enum PluginJar {
  /** Not at all: the application uses Spark's sort shuffle. */
  ABSENT,
  /** {@code spark.executor.extraClassPath}: loaded by the executor's system class loader. */
  EXTRA_CLASS_PATH,
  /** {@code --jars}: loaded by Spark's loader of user classes. */
  JARS;

  /** Returns whether our plugin is enabled. */
  public boolean isPresent() {
    return this != ABSENT;
  }
}
