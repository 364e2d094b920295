/**
 * `@gateway/validation`: validates values by JSON Schemas, and reports errors in plain words with their paths. Used by
 * core and by the packages below it; other packages validate with the capabilities of their context.
 */
export {
  checkDepth,
  checkKeys,
  compileForText,
  createFillingValidator,
  createValidator,
  type ErrorObject,
  faultOfSchema,
  maxBodyDepth,
  maxListedRecursiveNodes,
  metaSchemaId,
  schemaKey,
  toFaults,
  type Validator,
} from './validate.ts'
