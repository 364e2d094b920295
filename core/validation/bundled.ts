/** Validators in the bundle, so that a start compiles no schemas. Empty without a bundle: bundling replaces this module. */
import type { ValidateFunction } from 'ajv'

/** Compiled validators, by `schemaKey`. */
export const bundledValidators: Readonly<Record<string, ValidateFunction>> = {}
