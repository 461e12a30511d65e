// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method whose C function sets errno, which is stored to the method's first parameter, see
 * {@link SystemCall#state}. That parameter is not one of the C function.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface SetsErrno {
  /** The number of C parameters before "..."; negative if the function is not variadic. */
  int fixedParameters() default -1;
}
