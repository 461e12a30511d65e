// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.plugin.config.ConfigReader;
import io.symshuffle.plugin.config.SymShuffleConfigException;
import java.util.ArrayList;
import java.util.List;

/** Our own settings, and that the plugin is switched on. */
final class SettingsCheck implements Check {
  static final String PLUGIN = "io.symshuffle.SymShufflePlugin";

  static final Ailment WRONG =
      new Ailment(
          "wrong-setting",
          "The application does not start: SymShuffleConfigException",
          "a setting of ours is misspelt or has a value that is not allowed",
          "write it as docs/configuration.md has it; the finding names what is allowed");
  static final Ailment NOT_ON =
      new Ailment(
          "not-switched-on",
          "Everything works, and nothing is faster; the log has no line of SymShuffle",
          "spark.plugins does not name the plugin",
          "set spark.plugins=io.symshuffle.SymShufflePlugin (after other plugins, with a comma)");

  @Override
  public String title() {
    return "settings";
  }

  @Override
  public List<Ailment> ailments() {
    return List.of(WRONG, NOT_ON);
  }

  @Override
  public List<Finding> examine(Host host) {
    if (host.settings().isEmpty()) {
      return List.of(
          Finding.skip("no settings to look at: give --conf KEY=VALUE or --properties-file FILE"));
    }
    List<Finding> findings = new ArrayList<>();
    try {
      ConfigReader.read(host.settings());
      findings.add(
          Finding.ok(
              "%d settings looked at, those of ours are valid".formatted(host.settings().size())));
    } catch (SymShuffleConfigException e) {
      findings.add(Finding.fail(WRONG, e.getMessage().replaceAll("\\s+", " ")));
    }
    if (!List.of(host.setting("spark.plugins", "").split("\\s*,\\s*", -1)).contains(PLUGIN)) {
      findings.add(
          Finding.warn(
              NOT_ON, "spark.plugins is '%s'".formatted(host.setting("spark.plugins", ""))));
    }
    return findings;
  }
}
