// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import io.symshuffle.plugin.config.JarVersion;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code symshuffle version}: the versions of SymShuffle, Java and the operating system. */
@Command(
    name = "version",
    description = "Shows the versions of SymShuffle, Java and the operating system.")
public final class VersionCommand implements CliCommand {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    for (String line : lines()) {
      spec.commandLine().getOut().println(line);
    }
    return 0;
  }

  private static String[] lines() {
    return new String[] {
      "SymShuffle " + JarVersion.own().orElse("(not packaged)"),
      "Java " + Runtime.version() + ", " + System.getProperty("java.vendor"),
      System.getProperty("os.name")
          + " "
          + System.getProperty("os.version")
          + ", "
          + System.getProperty("os.arch")
    };
  }

  /** The same for {@code symshuffle --version}. */
  static final class Provider implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return lines();
    }
  }
}
