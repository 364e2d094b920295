/**
 * What a bundle brings along, so that a start neither looks for modules nor compiles schemas. Empty where modules are
 * loaded one by one: bundling puts a module of its own in the place of this one (bin/bundle.js).
 */
import type { ValidateFunction } from 'ajv'

/** Loads the main module of a package, by its path below the checkout. */
export const bundledPackages: Readonly<Record<string, () => Promise<unknown>>> = {}

/** Compiled validators, by `schemaKey`. */
export const bundledValidators: Readonly<Record<string, ValidateFunction>> = {}
