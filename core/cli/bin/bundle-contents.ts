/** What is put into a bundle beside the command itself: the packages of the checkout, and validators as text. */
import standalone from 'ajv/dist/standalone/index.js'
import { fileSchemas } from '../../config/file/validate.ts'
import { checkout, discover } from '../../discovery/discover.ts'
import { compileForText, metaSchemaId, schemaKey } from '../../shared/validate.ts'

export interface BundleContents {
  /** Paths of main modules. A package that cannot be loaded is none of them: the start says what is wrong with it. */
  packages: string[]
  /** Modules whose default export is the validator of a schema, by the key of the schema. */
  validators: Record<string, string>
}

/** Looks at the checkout as a start does: what a start would compile depends on the providers that there are. */
export async function bundleContents(): Promise<BundleContents> {
  const { registry } = await discover({ packages: [], disabled: [], directory: checkout })
  const schemas = [metaSchemaId, ...fileSchemas(registry.keyless)]
  const texts = schemas.map((schema) => {
    const { ajv, validate } = compileForText(schema)
    return [schemaKey(schema), standalone.default(ajv, validate)] as const
  })
  return { packages: registry.packages.map(({ entry }) => entry), validators: Object.fromEntries(texts) }
}
