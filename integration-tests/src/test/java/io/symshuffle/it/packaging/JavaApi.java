// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.packaging;

import static java.util.stream.Collectors.joining;

import com.sun.source.util.JavacTask;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitCallTarget;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitReferenceTarget;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.lang.constant.ClassDesc;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.TypeMirror;
import javax.tools.ToolProvider;

/**
 * The public API of an older Java version, preview APIs included, as the compiler of this JDK knows
 * it for {@code --release}.
 */
final class JavaApi {
  /** Their methods accept any signature. */
  private static final Set<String> POLYMORPHIC =
      Set.of("java.lang.invoke.MethodHandle", "java.lang.invoke.VarHandle");

  private final JavacTask compiler;
  private final Map<String, Set<String>> members = new HashMap<>();

  JavaApi(int release) {
    compiler =
        (JavacTask)
            ToolProvider.getSystemJavaCompiler()
                .getTask(
                    null,
                    null,
                    null,
                    List.of("--release", Integer.toString(release)),
                    List.of("java.lang.Object"),
                    null);
  }

  /** Returns the classes and members of the JDK that a class uses and this version lacks. */
  Stream<String> missing(JavaClass user) {
    Stream<String> types =
        user.getDirectDependenciesFromSelf().stream()
            .map(Dependency::getTargetClass)
            .filter(JavaApi::isOfJdk)
            .filter(type -> members(type).isEmpty())
            .map(JavaClass::getName);
    Stream<String> accesses =
        user.getAccessesFromSelf().stream()
            .filter(access -> isOfJdk(access.getTargetOwner()))
            .filter(access -> !members(access.getTargetOwner()).contains(text(access.getTarget())))
            .map(access -> access.getTargetOwner().getName() + ": " + text(access.getTarget()));
    return Stream.concat(types, accesses).distinct().map(use -> user.getName() + " uses " + use);
  }

  private static boolean isOfJdk(JavaClass type) {
    return !POLYMORPHIC.contains(type.getName())
        && Stream.of("java.", "javax.", "jdk.", "com.sun.").anyMatch(type.getName()::startsWith);
  }

  private static String text(AccessTarget target) {
    if (target instanceof CodeUnitCallTarget || target instanceof CodeUnitReferenceTarget) {
      var unit = (AccessTarget.CodeUnitAccessTarget) target;
      return unit.getRawParameterTypes().stream()
          .map(JavaApi::name)
          .collect(joining(", ", name(unit.getRawReturnType()) + " " + unit.getName() + "(", ")"));
    }
    return target.getName();
  }

  private static String name(JavaClass type) {
    String name = type.getName().replace('$', '.');
    int dimensions = name.lastIndexOf('[') + 1;
    if (dimensions == 0) {
      return name;
    }
    ClassDesc element = ClassDesc.ofDescriptor(name.substring(dimensions).replace('.', '/'));
    String prefix = element.isPrimitive() ? "" : element.packageName() + ".";
    return prefix + element.displayName() + "[]".repeat(dimensions);
  }

  /** The members of a class and its supertypes; empty if this version has no such class. */
  private Set<String> members(JavaClass type) {
    return members.computeIfAbsent(
        type.getName().replace('$', '.'),
        name -> {
          TypeElement element = compiler.getElements().getTypeElement(name);
          return element == null
              ? Set.of()
              : compiler.getElements().getAllMembers(element).stream()
                  .map(
                      member ->
                          switch (member) {
                            case ExecutableElement unit ->
                                unit.getParameters().stream()
                                    .map(parameter -> name(parameter.asType()))
                                    .collect(
                                        joining(
                                            ", ",
                                            name(unit.getReturnType())
                                                + " "
                                                + unit.getSimpleName()
                                                + "(",
                                            ")"));
                            case VariableElement field -> field.getSimpleName().toString();
                            default -> member.toString();
                          })
                  .collect(Collectors.toSet());
        });
  }

  private String name(TypeMirror type) {
    return compiler.getTypes().erasure(type).toString();
  }
}
