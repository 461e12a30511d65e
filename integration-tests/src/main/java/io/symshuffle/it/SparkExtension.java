// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.symshuffle.it.process.ExecutorProcess;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Implements {@link SparkTest}, which registers it. */
public final class SparkExtension
    implements BeforeEachCallback, AfterEachCallback, ParameterResolver, InvocationInterceptor {
  private static final Namespace NAMESPACE = Namespace.create(SparkExtension.class);
  private static final Path WORK = Path.of("target", "it-work");
  private static final Path LOGS = Path.of("target", "it-logs");
  private static final Set<Class<?>> PARAMETERS =
      Set.of(SparkCluster.class, SparkSession.class, ResultComparer.class);

  @Override
  public void beforeEach(ExtensionContext context) {
    Path logs = logs(context);
    Folders.delete(logs);
    try {
      SparkCluster cluster = holder(context).acquire(ClusterSpec.of(annotation(context)));
      cluster.newSession();
      cluster.context().setJobDescription(context.getDisplayName());
    } catch (Throwable e) {
      saveFailure(e, logs);
      throw e;
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Optional<SparkCluster> cluster = holder(context).current;
    context
        .getExecutionException()
        .ifPresent(
            failure -> {
              Path logs = logs(context);
              saveFailure(failure, logs);
              cluster.ifPresent(each -> each.saveLogs(logs));
              context.publishReportEntry("logs", logs.toAbsolutePath().toString());
            });
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return context.getTestMethod().isPresent()
        && PARAMETERS.contains(parameter.getParameter().getType());
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    SparkCluster cluster = holder(context).current.orElseThrow();
    Class<?> type = parameter.getParameter().getType();
    if (type == SparkSession.class) {
      return cluster.session();
    }
    return type == ResultComparer.class ? ResultComparer.on(cluster) : cluster;
  }

  @Override
  public void interceptTestMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    runWithDeadline(invocation, context);
  }

  @Override
  public void interceptTestTemplateMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    runWithDeadline(invocation, context);
  }

  private static void runWithDeadline(Invocation<Void> invocation, ExtensionContext context) {
    Duration limit = Duration.ofSeconds(annotation(context).deadlineSeconds());
    Supplier<String> onTimeout =
        () -> {
          // Before the kill: thread dumps of the executors and of this JVM.
          holder(context)
              .current
              .ifPresent(
                  cluster -> {
                    saveThreads(cluster, logs(context));
                    cluster.abort();
                  });
          return "the application was ended";
        };
    // In a child of this thread, which inherits Spark's active session and local properties.
    assertTimeoutPreemptively(limit, invocation::proceed, onTimeout);
  }

  private static SparkTest annotation(ExtensionContext context) {
    return AnnotationSupport.findAnnotation(context.getRequiredTestMethod(), SparkTest.class)
        .or(() -> AnnotationSupport.findAnnotation(context.getRequiredTestClass(), SparkTest.class))
        .orElseThrow();
  }

  /** The application of the test's top-level class; it ends with that class. */
  private static ClusterHolder holder(ExtensionContext context) {
    ExtensionContext topLevel = context;
    while (topLevel.getParent().flatMap(ExtensionContext::getTestClass).isPresent()) {
      topLevel = topLevel.getParent().orElseThrow();
    }
    String name = nameOf(topLevel.getRequiredTestClass());
    return topLevel
        .getStore(NAMESPACE)
        .getOrComputeIfAbsent(
            ClusterHolder.class, key -> new ClusterHolder(name), ClusterHolder.class);
  }

  private static Path logs(ExtensionContext context) {
    String name = context.getRequiredTestMethod().getName();
    String suffix = context.getDisplayName().replaceAll("[^A-Za-z0-9=,._-]+", "_");
    boolean template = !suffix.startsWith(name);
    return LOGS.resolve(nameOf(context.getRequiredTestClass()))
        .resolve(template ? name + "-" + suffix : name);
  }

  /** The simple name, after those of the enclosing classes. */
  private static String nameOf(Class<?> type) {
    Class<?> around = type.getEnclosingClass();
    return around == null ? type.getSimpleName() : nameOf(around) + "-" + type.getSimpleName();
  }

  private static void saveFailure(Throwable failure, Path logs) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    save(text.toString(), logs.resolve("failure.txt"));
  }

  private static void saveThreads(SparkCluster cluster, Path logs) {
    StringBuilder driver = new StringBuilder();
    for (Map.Entry<Thread, StackTraceElement[]> each : Thread.getAllStackTraces().entrySet()) {
      driver.append(each.getKey()).append('\n');
      for (StackTraceElement element : each.getValue()) {
        driver.append("    at ").append(element).append('\n');
      }
    }
    save(driver.toString(), logs.resolve("driver-threads.txt"));
    for (ExecutorProcess executor : cluster.executors()) {
      dumpThreads(
          executor.pid(), logs.resolve("executor-%s-threads.txt".formatted(executor.executorId())));
    }
  }

  private static void dumpThreads(long pid, Path file) {
    Path jstack = Path.of(System.getProperty("java.home"), "bin", "jstack");
    try {
      ChildProcess.of(jstack.toString(), Long.toString(pid)).log(file).run(Duration.ofSeconds(30));
    } catch (UncheckedIOException | IllegalStateException e) {
      save("jstack %d failed: %s".formatted(pid, e), file);
    }
  }

  private static void save(String text, Path file) {
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException("writing " + file, e);
    }
  }

  /** Holds the application, of which a JVM has at most one. Used by one thread at a time. */
  private static final class ClusterHolder implements ExtensionContext.Store.CloseableResource {
    private final String className;
    private Optional<SparkCluster> current = Optional.empty();
    private int started;

    ClusterHolder(String className) {
      this.className = className;
    }

    SparkCluster acquire(ClusterSpec spec) {
      if (current.isPresent()
          && !(current.get().spec().equals(spec) && current.get().isReusable())) {
        close();
      }
      if (current.isEmpty()) {
        Path folder = WORK.resolve("%s-%d".formatted(className, started++));
        Folders.delete(folder);
        current = Optional.of(SparkCluster.start(spec, folder));
      }
      return current.get();
    }

    @Override
    public void close() {
      Optional<SparkCluster> ending = current;
      current = Optional.empty();
      ending.ifPresent(SparkCluster::close);
    }
  }
}
