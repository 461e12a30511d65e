// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.lifecycle;

import io.symshuffle.plugin.membership.HostIdentity;
import io.symshuffle.plugin.membership.Message;
import io.symshuffle.plugin.membership.PushEndpoint;
import io.symshuffle.shuffle.output.DiskEncryption;
import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.resource.ResourceInformation;
import org.apache.spark.rpc.RpcAddress;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/** Asks Spark, partly through internals that may change with its version. */
final class SparkExecutorEnvironment implements ExecutorEnvironment {
  private static final Logger LOG = LoggerFactory.getLogger(SparkExecutorEnvironment.class);
  private static final Pattern CORES = Pattern.compile("[1-9][0-9]{0,5}");
  private static final String GPU = "gpu";
  private static final String DRIVER_HOST = "spark.driver.host";

  /** The id of the executor in local mode (SparkContext.DRIVER_IDENTIFIER). */
  private static final String DRIVER = "driver";

  private final PluginContext context;

  SparkExecutorEnvironment(PluginContext context) {
    this.context = context;
  }

  @Override
  public boolean isLocal() {
    return context.executorID().equals(DRIVER);
  }

  @Override
  public HostIdentity host() {
    // The plugin context's own host name throws outside local mode.
    BlockManagerId id = SparkEnv.get().blockManager().blockManagerId();
    return HostIdentity.local(
        id == null ? context.conf().get(DRIVER_HOST, "localhost") : id.host());
  }

  @Override
  public int cores() {
    return isLocal() ? 0 : coresOf(System.getProperty("sun.java.command", "").split(" ", -1));
  }

  // Every cluster manager starts an executor with this option, and Spark does not expose it.
  static int coresOf(String[] command) {
    for (int i = 0; i + 1 < command.length; i++) {
      if (command[i].equals("--cores") && CORES.matcher(command[i + 1]).matches()) {
        return Integer.parseInt(command[i + 1]);
      }
    }
    return 0;
  }

  @Override
  public List<String> gpuAddresses() {
    ResourceInformation gpus = context.resources().get(GPU);
    return gpus == null ? List.of() : List.of(gpus.addresses());
  }

  @Override
  public List<Path> localDirs() {
    // Spark has created them, except where it could not; ours are next to its own.
    File[] dirs = SparkEnv.get().blockManager().diskBlockManager().localDirs();
    return Stream.of(dirs).map(dir -> dir.toPath().toAbsolutePath().getParent()).toList();
  }

  @Override
  public Optional<DiskEncryption> diskEncryption() {
    Option<byte[]> key = SparkEnv.get().securityManager().getIOEncryptionKey();
    return key.isEmpty() ? Optional.empty() : Optional.of(new DiskEncryption(key.get()));
  }

  @Override
  public Optional<Object> openPushEndpoint(Consumer<Message> onMessage, Runnable onDriverGone) {
    try {
      RpcEnv rpcEnv = SparkEnv.get().rpcEnv();
      SparkConf conf = context.conf();
      RpcAddress driver =
          new RpcAddress(conf.get(DRIVER_HOST, ""), conf.getInt("spark.driver.port", -1));
      return Optional.of(
          rpcEnv.setupEndpoint(
              "symshuffle-" + context.executorID(),
              new PushEndpoint(rpcEnv, driver, onMessage, onDriverGone)));
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("The driver cannot push to this executor; polling the driver instead", e);
      return Optional.empty();
    }
  }
}
