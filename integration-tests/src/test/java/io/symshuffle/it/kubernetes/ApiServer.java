// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.kubernetes;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.CustomResourceDefinitionContext;
import io.fabric8.kubernetes.client.server.mock.KubernetesCrudDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import io.fabric8.mockwebserver.dsl.HttpMethod;
import io.fabric8.mockwebserver.http.MockResponse;
import io.fabric8.mockwebserver.http.RecordedRequest;
import io.symshuffle.it.process.SparkSubmission;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Fabric8's mock of the API server of Kubernetes: it stores what clients create, and tells
 * watchers. Nothing is scheduled or checked against quotas. Thread-safe.
 */
final class ApiServer implements AutoCloseable {
  /** The resource of the Spark operator. */
  private static final CustomResourceDefinitionContext APPLICATIONS =
      new CustomResourceDefinitionContext.Builder()
          .withGroup("sparkoperator.k8s.io")
          .withVersion("v1beta2")
          .withKind("SparkApplication")
          .withPlural("sparkapplications")
          .withScope("Namespaced")
          .build();

  /** The default of 10 s is too short on a busy machine. */
  private static final String CONNECT_MILLIS = "120000";

  private final Store store = new Store();
  private final KubernetesMockServer server;
  private final String scheme;
  private final NamespacedKubernetesClient client;
  private final KubernetesSerialization serialization = new KubernetesSerialization();

  private ApiServer(InetAddress address, boolean tls) {
    scheme = tls ? "https" : "http";
    server =
        new KubernetesMockServer(new Context(), new MockWebServer(), new HashMap<>(), store, tls);
    server.expectCustomResource(APPLICATIONS);
    server.start(address, 0);
    client =
        server.createClient(
            builder ->
                builder.withHttpClientBuilderConsumer(
                    http ->
                        http.connectTimeout(
                            Long.parseLong(CONNECT_MILLIS), TimeUnit.MILLISECONDS)));
  }

  /** Returns a server that has nothing, at a free port of this host. */
  static ApiServer start() {
    return new ApiServer(InetAddress.getLoopbackAddress(), true);
  }

  /**
   * Returns a server that other hosts reach, too; without TLS, since drivers do not wait longer for
   * a handshake on a busy machine.
   *
   * @param address an IP address of this host
   */
  static ApiServer start(String address) throws UnknownHostException {
    // With the address as its name, so that nobody looks for one.
    return new ApiServer(
        InetAddress.getByAddress(address, InetAddress.getByName(address).getAddress()), false);
  }

  /** Returns its address. */
  String url() {
    return "%s://%s:%d".formatted(scheme, server.getHostName(), server.getPort());
  }

  /**
   * Adds the settings with which Spark finds and trusts the server.
   *
   * @param submission of an application
   * @return the submission
   */
  SparkSubmission configure(SparkSubmission submission) {
    for (String client : List.of("submission", "driver")) {
      for (String timeout : List.of("connectionTimeout", "requestTimeout")) {
        submission.conf("spark.kubernetes.%s.%s".formatted(client, timeout), CONNECT_MILLIS);
      }
    }
    return submission
        .master("k8s://" + url())
        // For drivers in pods.
        .conf("spark.kubernetes.driver.master", url())
        .conf("spark.kubernetes.trust.certificates", "true");
  }

  /** Returns a client. */
  NamespacedKubernetesClient client() {
    return client;
  }

  /**
   * Returns all pods of a role.
   *
   * @param role {@code driver} or {@code executor}
   */
  List<Pod> pods(String role) {
    String pods =
        store.handleGet("/api/v1/pods?labelSelector=spark-role%3D" + role).getBody().readUtf8();
    return serialization.unmarshal(pods, PodList.class).getItems();
  }

  @Override
  public void close() {
    client.close();
    server.destroy();
  }

  /** Also understands server-side apply, with which Spark creates what belongs to a driver. */
  private static final class Store extends KubernetesCrudDispatcher {
    @Override
    public MockResponse handlePatch(RecordedRequest request) {
      String type = String.valueOf(request.getHeader("Content-Type"));
      if (!type.startsWith("application/apply-patch")) {
        return super.handlePatch(request);
      }
      String path = request.getPath().replaceFirst("\\?.*", "");
      if (handleGet(path).code() == HttpURLConnection.HTTP_NOT_FOUND) {
        String folder = path.substring(0, path.lastIndexOf('/'));
        return handleCreate(moved(request, HttpMethod.POST, folder));
      }
      return handleUpdate(moved(request, HttpMethod.PUT, path));
    }

    private static RecordedRequest moved(RecordedRequest request, HttpMethod method, String path) {
      return new RecordedRequest(
          request.getHttpVersion(), method, path, request.getHeaders(), request.getBody());
    }
  }
}
