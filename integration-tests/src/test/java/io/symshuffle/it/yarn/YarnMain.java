// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.yarn;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.server.MiniYARNCluster;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The daemons of YARN: a resource manager and node managers, which start containers as processes.
 * Runs until its standard input ends.
 */
final class YarnMain {
  private static final Logger LOG = LoggerFactory.getLogger(YarnMain.class);
  private static final int CONNECT_MILLIS = 60_000;
  private static final int FOLDERS_PER_NODE = 2;

  private YarnMain() {}

  /**
   * Starts the cluster, writes {@code conf/yarn-site.xml} and prints {@code YARN is ready}.
   *
   * @param arguments the cluster's folder, the number of nodes, and the MiB of each node
   */
  public static void main(String[] arguments) {
    int status = 1;
    try {
      run(arguments);
      status = 0;
    } catch (Exception e) {
      LOG.error("YARN ends", e);
    }
    // After a failure, threads of the daemons would keep this process alive.
    System.exit(status);
  }

  private static void run(String[] arguments)
      throws IOException, InterruptedException, YarnException {
    Path folder = Path.of(arguments[0]);
    int nodes = Integer.parseInt(arguments[1]);
    try (MiniYARNCluster cluster =
        new MiniYARNCluster("yarn", nodes, FOLDERS_PER_NODE, FOLDERS_PER_NODE)) {
      cluster.init(configuration(folder, arguments[2]));
      cluster.start();
      if (!cluster.waitForNodeManagersToConnect(CONNECT_MILLIS)) {
        throw new IOException("node managers did not connect within 60 s");
      }
      Path conf = Files.createDirectories(folder.resolve("conf"));
      try (OutputStream site = Files.newOutputStream(conf.resolve("yarn-site.xml"))) {
        cluster.getConfig().writeXml(site);
      }
      System.out.println("YARN is ready");
      while (System.in.read() >= 0) {
        // No commands.
      }
    }
  }

  private static Configuration configuration(Path folder, String mebibytes) {
    Configuration conf = new YarnConfiguration();
    conf.set(YarnConfiguration.YARN_MINICLUSTER_NM_PMEM_MB, mebibytes);
    conf.set(YarnConfiguration.RM_SCHEDULER_MAXIMUM_ALLOCATION_MB, mebibytes);
    conf.setInt(YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB, 64);
    conf.set("yarn.scheduler.capacity.root.queues", "default");
    conf.set("yarn.scheduler.capacity.root.default.capacity", "100");
    // The default lets application masters use a tenth of the cluster.
    conf.set("yarn.scheduler.capacity.maximum-am-resource-percent", "1.0");
    // As on a cluster: node managers look at the memory, and containers with more resident memory
    // than they asked for are killed.
    conf.setBoolean(YarnConfiguration.YARN_MINICLUSTER_CONTROL_RESOURCE_MONITORING, true);
    conf.setBoolean(YarnConfiguration.NM_PMEM_CHECK_ENABLED, true);
    conf.setBoolean(YarnConfiguration.NM_VMEM_CHECK_ENABLED, false);
    conf.setInt(YarnConfiguration.NM_CONTAINER_MON_INTERVAL_MS, 250);
    // It refuses disks of which more than 90 % is used, whatever else uses them.
    conf.setBoolean(YarnConfiguration.NM_DISK_HEALTH_CHECK_ENABLE, false);
    conf.setBoolean(YarnConfiguration.LOG_AGGREGATION_ENABLED, true);
    conf.set(YarnConfiguration.NM_REMOTE_APP_LOG_DIR, folder.resolve("aggregated").toString());
    conf.set(YarnConfiguration.NM_AUX_SERVICES, ShuffleServiceOfYarn.NAME);
    conf.setClass(
        YarnConfiguration.NM_AUX_SERVICE_FMT.formatted(ShuffleServiceOfYarn.NAME),
        ShuffleServiceOfYarn.class,
        org.apache.hadoop.yarn.server.api.AuxiliaryService.class);
    return conf;
  }
}
