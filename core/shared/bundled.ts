/**
 * Packages and validators in the bundle: with them, a start neither searches modules nor compiles schemas. Empty
 * without a bundle: bundling replaces this module (bin/bundle.js).
 */
import type { ValidateFunction } from 'ajv'

/** Loads the main module of a package, by its path below the checkout. */
export const bundledPackages: Readonly<Record<string, () => Promise<unknown>>> = {}

/** Compiled validators, by `schemaKey`. */
export const bundledValidators: Readonly<Record<string, ValidateFunction>> = {}
