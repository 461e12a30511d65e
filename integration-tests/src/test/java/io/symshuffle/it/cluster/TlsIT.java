// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.ClusterSpec;
import io.symshuffle.it.ResultComparer;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.jdk.javaapi.CollectionConverters;

/** TLS for all connections of Spark, with keys created for the test. */
@Tag("full")
class TlsIT {
  private static final String PASSWORD = "only for tests";

  @TempDir private Path folder;

  @Test
  void transfersOverTlsGiveTheSameRows() throws Exception {
    Path keys = folder.resolve("keys");
    makeKeys(keys);
    ClusterSpec spec =
        ClusterSpec.localCluster(2, 1)
            .with("spark.ssl.rpc.enabled", "true")
            .with("spark.ssl.rpc.keyStore", keys.toString())
            .with("spark.ssl.rpc.keyStorePassword", PASSWORD)
            .with("spark.ssl.rpc.keyPassword", PASSWORD)
            .with("spark.ssl.rpc.trustStore", keys.toString())
            .with("spark.ssl.rpc.trustStorePassword", PASSWORD)
            .with("spark.symshuffle.heap.size", "4m")
            .with("spark.symshuffle.read.peerMapping", "false");
    try (SparkCluster cluster = SparkCluster.start(spec, Path.of("target", "it-work", "TlsIT"))) {
      SecurityIT.assertTransfersGiveTheSameRows(cluster, ResultComparer.on(cluster));
      List<BlockManagerId> executors =
          CollectionConverters.asJava(
                  cluster.context().env().blockManager().master().getMemoryStatus().keySet())
              .stream()
              .filter(id -> !id.isDriver())
              .toList();
      assertEquals(2, executors.size());
      for (BlockManagerId executor : executors) {
        assertSpeaksTls(executor, keys);
      }
    }
  }

  private static void makeKeys(Path keys) throws Exception {
    ChildProcess.Result keytool =
        ChildProcess.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                "test",
                "-dname",
                "CN=127.0.0.1",
                "-ext",
                "SAN=ip:127.0.0.1",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-keystore",
                keys.toString(),
                "-storepass",
                PASSWORD)
            .run(Await.LIMIT);
    assertEquals(0, keytool.status(), keytool.output());
  }

  /** The port on which an executor serves blocks accepts a TLS handshake. */
  private static void assertSpeaksTls(BlockManagerId executor, Path keys) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(keys)) {
      store.load(in, PASSWORD.toCharArray());
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    try (Socket plain = new Socket()) {
      plain.connect(new InetSocketAddress(executor.host(), executor.port()), 10_000);
      plain.setSoTimeout(10_000);
      try (SSLSocket tls =
          (SSLSocket)
              context
                  .getSocketFactory()
                  .createSocket(plain, executor.host(), executor.port(), true)) {
        tls.startHandshake();
        assertTrue(tls.getSession().isValid());
      }
    }
  }
}
