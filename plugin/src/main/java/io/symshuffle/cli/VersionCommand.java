// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import java.util.Optional;
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
      "SymShuffle " + version(),
      "Java " + Runtime.version() + ", " + System.getProperty("java.vendor"),
      System.getProperty("os.name")
          + " "
          + System.getProperty("os.version")
          + ", "
          + System.getProperty("os.arch")
    };
  }

  private static String version() {
    String packaged = VersionCommand.class.getPackage().getImplementationVersion();
    return Optional.ofNullable(packaged)
        .or(() -> Optional.ofNullable(System.getProperty("symshuffle.version")))
        .orElse("(not packaged)");
  }

  /** The same for {@code symshuffle --version}. */
  static final class Provider implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return lines();
    }
  }
}
