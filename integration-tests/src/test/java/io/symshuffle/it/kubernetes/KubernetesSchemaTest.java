// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;

/**
 * The files for Kubernetes have only fields that the API has, with values of their types. An API
 * server drops or refuses others.
 */
class KubernetesSchemaTest {
  private static final Path CONF = Path.of("..", "conf").toAbsolutePath().normalize();

  /** What the model classes do with unknown fields is to keep them. */
  private static final ObjectMapper STRICT =
      JsonMapper.builder()
          .annotationIntrospector(
              new JacksonAnnotationIntrospector() {
                private static final long serialVersionUID = 1;

                @Override
                public Boolean hasAnySetter(Annotated annotated) {
                  return false;
                }
              })
          .build();

  private static final Map<String, Class<?>> KINDS =
      Map.of(
          "v1 Pod", Pod.class,
          "v1 Service", Service.class,
          "apps/v1 Deployment", Deployment.class,
          "apps/v1 StatefulSet", StatefulSet.class,
          "sparkoperator.k8s.io/v1beta2 SparkApplication", SparkApplication.class);

  /** Fields of the operator's resource, version 2.5. What Kubernetes defines has its classes. */
  record SparkApplication(
      String apiVersion, String kind, ObjectMeta metadata, ApplicationSpec spec) {}

  record ApplicationSpec(
      String type,
      String mode,
      String sparkVersion,
      String image,
      String mainClass,
      String mainApplicationFile,
      Map<String, String> sparkConf,
      List<Volume> volumes,
      Driver driver,
      Executor executor) {}

  record Driver(int cores, String memory, String serviceAccount) {}

  record Executor(
      int instances,
      int cores,
      String memory,
      String memoryOverhead,
      List<VolumeMount> volumeMounts,
      Affinity affinity) {}

  /** Values of the operator's Helm chart, version 2.5. */
  record Values(Webhook webhook, Spark spark) {}

  record Webhook(boolean enable) {}

  record Spark(List<String> jobNamespaces, ServiceAccount serviceAccount) {}

  record ServiceAccount(boolean create, String name) {}

  static List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>(List.of(CONF.resolve("kubernetes-executor-pod.yaml")));
    try (Stream<Path> folder = Files.list(CONF.resolve("kubernetes"))) {
      folder.filter(file -> file.toString().endsWith(".yaml")).sorted().forEach(files::add);
    }
    return files;
  }

  @ParameterizedTest
  @MethodSource("files")
  void fileHasOnlyFieldsOfTheApi(Path file) throws IOException {
    List<JsonNode> documents = documents(file);
    assertTrue(!documents.isEmpty(), file.toString());
    for (JsonNode document : documents) {
      STRICT.treeToValue(document, type(document));
    }
  }

  /** So that nothing which is commented out is left unchecked. */
  @Test
  void commentedGpusOfThePodTemplateAreFieldsOfTheApi() throws IOException {
    String text =
        Files.readString(CONF.resolve("kubernetes-executor-pod.yaml"))
            .replace("      # resources:", "      resources:")
            .replace("      #   limits:", "        limits:")
            .replace("      #     nvidia.com/gpu", "          nvidia.com/gpu");
    Pod pod = STRICT.treeToValue(STRICT.valueToTree(new Yaml().load(text)), Pod.class);
    assertEquals(
        "1",
        pod.getSpec()
            .getContainers()
            .getFirst()
            .getResources()
            .getLimits()
            .get("nvidia.com/gpu")
            .toString());
  }

  private static Class<?> type(JsonNode document) {
    if (!document.has("kind")) {
      return Values.class;
    }
    String kind = document.get("apiVersion").asText() + " " + document.get("kind").asText();
    assertTrue(KINDS.containsKey(kind), kind);
    return KINDS.get(kind);
  }

  private static List<JsonNode> documents(Path file) throws IOException {
    List<JsonNode> documents = new ArrayList<>();
    try (Reader reader = Files.newBufferedReader(file)) {
      for (Object document : new Yaml().loadAll(reader)) {
        documents.add(STRICT.valueToTree(document));
      }
    }
    return documents;
  }
}
