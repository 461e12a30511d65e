// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.yarn;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.server.api.ApplicationInitializationContext;
import org.apache.hadoop.yarn.server.api.ApplicationTerminationContext;
import org.apache.hadoop.yarn.server.api.AuxiliaryService;
import org.apache.spark.network.TransportContext;
import org.apache.spark.network.server.TransportServer;
import org.apache.spark.network.shuffle.ExternalBlockHandler;
import org.apache.spark.network.util.MapConfigProvider;
import org.apache.spark.network.util.TransportConf;

/**
 * Spark's external shuffle service inside a node manager. Spark's own class for that only comes
 * with its distributions, and wraps the same handler.
 */
public final class ShuffleServiceOfYarn extends AuxiliaryService {
  /** The name under which Spark looks for the service. */
  static final String NAME = "spark_shuffle";

  private TransportContext context;
  private TransportServer server;
  private ExternalBlockHandler handler;

  /** Called by the node manager. */
  public ShuffleServiceOfYarn() {
    super(NAME);
  }

  @Override
  protected void serviceInit(Configuration conf) throws Exception {
    // The node managers of a test share a process and so their host's port: the first one serves
    // all.
    TransportConf transport = new TransportConf("shuffle", new MapConfigProvider(Map.of()));
    handler = new ExternalBlockHandler(transport, null);
    context = new TransportContext(transport, handler);
    super.serviceInit(conf);
  }

  @Override
  protected void serviceStart() throws Exception {
    server = context.createServer(List.of());
    System.out.println("shuffle service at port " + server.getPort());
    super.serviceStart();
  }

  @Override
  protected void serviceStop() throws IOException {
    server.close();
    context.close();
    handler.close();
  }

  @Override
  public void initializeApplication(ApplicationInitializationContext application) {
    System.out.println("shuffle service has application " + application.getApplicationId());
  }

  @Override
  public void stopApplication(ApplicationTerminationContext application) {
    handler.applicationRemoved(application.getApplicationId().toString(), false);
  }

  @Override
  public ByteBuffer getMetaData() {
    return ByteBuffer.allocate(0);
  }
}
