// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.packaging;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.symshuffle.ffi.DaemonThreads;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.ClassFileFormatVersion;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Which packages may use which, checked on the compiled classes of all modules. Maven itself keeps
 * the modules in order.
 */
class ArchitectureTest {
  /** Packages of the native module, lowest first: each may use only those before it. */
  private static final List<String> NATIVE_LAYERS =
      List.of(
          "ffi",
          "cuda",
          "nvml",
          "heap",
          "heap.folder",
          "heap.host",
          "heap.gpu",
          "nvshmem",
          "kernel",
          "process");

  /** Packages with all classes that the History Server needs for the page and the event log. */
  private static final List<String> HISTORY_PACKAGES =
      List.of("io.symshuffle.plugin.ui", "io.symshuffle.plugin.usage");

  private static final String SPARK = "org.apache.spark..";

  /** The classes of all modules, without tests. */
  private static JavaClasses all;

  private static JavaClasses nativeModule;

  /** The test classes of all modules. */
  private static JavaClasses tests;

  @BeforeAll
  static void readClasses() throws IOException {
    ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
    ArchConfiguration.get().setProperty("cycles.maxNumberOfDependenciesPerEdge", "3");
    all = CompiledClasses.read("classes");
    tests = CompiledClasses.read("test-classes");
    nativeModule =
        all.that(
            DescribedPredicate.describe(
                "native", type -> CompiledClasses.moduleOf(type).equals("native")));
    assertTrue(
        all.stream()
            .map(CompiledClasses::moduleOf)
            .collect(Collectors.toSet())
            .containsAll(List.of("native", "shuffle", "plugin", "benchmarks")),
        "classes of some modules are missing");
  }

  @Test
  void packagesHaveNoCycles() {
    slices().assignedFrom(new PackageOfClass()).should().beFreeOfCycles().check(all);
  }

  @Test
  void packagesOfTestsHaveNoCycles() {
    slices().assignedFrom(new PackageOfClass()).should().beFreeOfCycles().check(tests);
  }

  @Test
  void everyPackageIsInOneModule() {
    Map<String, Set<String>> modules =
        all.stream()
            .collect(
                Collectors.groupingBy(
                    JavaClass::getPackageName,
                    TreeMap::new,
                    Collectors.mapping(CompiledClasses::moduleOf, Collectors.toSet())));
    modules.values().removeIf(names -> names.size() == 1);
    assertEquals(Map.of(), modules);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8})
  void nativeLayersUseOnlyLowerOnes(int layer) {
    noClasses()
        .that()
        .resideInAPackage(nativePackage(NATIVE_LAYERS.get(layer)))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            NATIVE_LAYERS.stream()
                .skip(layer + 1)
                .map(ArchitectureTest::nativePackage)
                .toArray(String[]::new))
        .check(nativeModule);
  }

  @Test
  void everyNativePackageIsALayer() {
    noClasses()
        .should()
        .resideOutsideOfPackages(
            NATIVE_LAYERS.stream().map(ArchitectureTest::nativePackage).toArray(String[]::new))
        .check(nativeModule);
  }

  /** An exception that nobody catches ends Spark's executor. Commands and benchmarks may end. */
  @Test
  void onlyOneClassMakesThreadsOfExecutors() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            "io.symshuffle.cli..",
            "io.symshuffle.process..",
            "io.symshuffle.benchmarks..",
            "io.symshuffle.it..")
        .and()
        .doNotBelongToAnyOf(DaemonThreads.class)
        .should()
        .callCodeUnitWhere(
            DescribedPredicate.describe("a thread is made", ArchitectureTest::makesThread))
        .check(all);
  }

  private static boolean makesThread(JavaCall<?> call) {
    String method = call.getTarget().getName();
    return switch (call.getTargetOwner().getName()) {
      case "java.lang.Thread" ->
          Set.of("<init>", "ofPlatform", "ofVirtual", "startVirtualThread").contains(method);
      case "java.util.Timer" -> method.equals("<init>");
      case "java.util.concurrent.Executors" ->
          method.startsWith("new")
              && call.getTarget().getRawParameterTypes().stream()
                  .noneMatch(type -> type.isEquivalentTo(ThreadFactory.class));
      default -> false;
    };
  }

  /** As if it were a module. */
  @Test
  void whatRunsInSparkDoesNotUseTheCommandLine() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            "io.symshuffle.cli..", "io.symshuffle.benchmarks..", "io.symshuffle.it..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.symshuffle.cli..")
        .check(all);
  }

  @Test
  void nativeDoesNotUseSpark() {
    noClasses().should().dependOnClassesThat().resideInAPackage(SPARK).check(nativeModule);
  }

  /** So that the code that shuffles rows can be read without that for GPUs. */
  @Test
  void readersAndWritersOfRowsDoNotUseGpus() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "io.symshuffle.shuffle.read..",
            "io.symshuffle.shuffle.write..",
            "io.symshuffle.shuffle.task..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.symshuffle.cuda..",
            "io.symshuffle.kernel..",
            "io.symshuffle.shuffle.device..",
            "io.symshuffle.shuffle.table..")
        .check(all);
  }

  @Test
  void layoutsAndTiersDoNotUseSpark() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "io.symshuffle.shuffle.runtime..",
            "io.symshuffle.shuffle.layout..",
            "io.symshuffle.shuffle.directory..",
            "io.symshuffle.shuffle.output..",
            "io.symshuffle.shuffle.device..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(SPARK)
        .check(all);
  }

  @Test
  void onlyFfiLinksNativeFunctions() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.symshuffle.ffi")
        .should()
        .dependOnClassesThat()
        .areAssignableTo(Linker.class)
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(SymbolLookup.class)
        .check(all);
  }

  /** RAPIDS is not on the compiler's class path, so its methods are called through handles too. */
  @Test
  void onlyFfiAndRapidsHoldMethodHandles() {
    noClasses()
        .that()
        .resideOutsideOfPackages("io.symshuffle.ffi", "io.symshuffle.shuffle.rapids")
        .should()
        .dependOnClassesThat()
        .areAssignableTo(MethodHandle.class)
        .check(all);
  }

  /**
   * The compiler accepts all APIs of its own JDK, because with {@code --release 21} it would reject
   * java.lang.foreign, which is a preview API there.
   */
  @Test
  void usesOnlyApisOfJava21() {
    JavaApi java21 = new JavaApi(21);
    assertEquals(List.of(), all.stream().flatMap(java21::missing).sorted().toList());
  }

  /**
   * Spark's History Server loads them, even on Java 17. If one of them does not load there, the
   * server cannot show any application.
   */
  @Test
  void historyServerLoadsOnlyClassesOfJava17() throws IOException {
    JavaClasses loaded =
        all.that(JavaClass.Predicates.resideInAnyPackage(HISTORY_PACKAGES.toArray(String[]::new)));
    for (JavaClass type : loaded) {
      try (InputStream file = type.getSource().orElseThrow().getUri().toURL().openStream()) {
        assertEquals(
            17, ClassFileFormatVersion.fromMajor(file.readNBytes(8)[7]).runtimeVersion().feature());
      }
    }
    assertTrue(loaded.contain("io.symshuffle.plugin.ui.HistoryPlugin"));
    noClasses()
        .should()
        .dependOnClassesThat(
            JavaClass.Predicates.resideInAPackage("io.symshuffle..")
                .and(
                    JavaClass.Predicates.resideOutsideOfPackages(
                        HISTORY_PACKAGES.toArray(String[]::new))))
        .check(loaded);
  }

  private static String nativePackage(String layer) {
    return "io.symshuffle." + layer;
  }

  /** Each package is a slice, without the packages below it. */
  private static final class PackageOfClass implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      return SliceIdentifier.of(type.getPackageName());
    }

    @Override
    public String getDescription() {
      return "packages";
    }
  }
}
