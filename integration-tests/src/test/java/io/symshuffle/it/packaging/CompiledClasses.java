// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.packaging;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The compiled classes of all modules. */
final class CompiledClasses {
  private CompiledClasses() {}

  /**
   * Reads the classes in one folder of each module's build.
   *
   * @param kind {@code classes} or {@code test-classes}
   */
  static JavaClasses read(String kind) throws IOException {
    try (Stream<Path> modules = Files.list(Path.of("..").toRealPath())) {
      return new ClassFileImporter()
          .withImportOption(location -> !location.contains("jmh_generated"))
          .importPaths(
              modules.map(module -> classes(module, kind)).filter(Files::isDirectory).toList());
    }
  }

  private static Path classes(Path module, String kind) {
    // The native module does not depend on Spark and has one build for all versions of it.
    String build =
        module.endsWith("native") ? "target" : System.getProperty("symshuffle.build", "target");
    return module.resolve(build).resolve(kind);
  }

  /** The folder of the module, from {@code .../<module>/target/.../classes/...}. */
  static String moduleOf(JavaClass type) {
    String location = type.getSource().orElseThrow().getUri().getPath();
    Path module = Path.of(location.substring(0, location.indexOf("/target/")));
    return module.getFileName().toString();
  }
}
