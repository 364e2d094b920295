/** Contents of the bundle in addition to the command: the packages of the checkout, and validators as text. */

import { fileSchemas } from '@gateway/config-file'
import { compileForText, metaSchemaId, schemaKey } from '@gateway/validation'
import standalone from 'ajv/dist/standalone/index.js'
import { checkout, discover } from '../../discovery/index.ts'
import { endpointsWith } from '../../endpoints/index.ts'

export interface BundleContents {
  /** Paths of main modules. Packages that cannot be loaded are left out; the start reports why. */
  packages: string[]
  /** Modules whose default export is the validator of a schema, by the key of the schema. */
  validators: Record<string, string>
}

/** Discovers packages as a start does, because the validators depend on the providers present. */
export async function bundleContents(): Promise<BundleContents> {
  const { registry } = await discover({ packages: [], disabled: [], directory: checkout })
  // The validators of the other endpoints are compiled at their first request.
  const chat = endpointsWith([]).flatMap(({ id, request }) =>
    id === 'chatComplete' && request ? [request] : [],
  )
  const schemas = [metaSchemaId, ...fileSchemas(registry.keyless), ...chat]
  const texts = schemas.map((schema) => {
    const { ajv, validate } = compileForText(schema)
    return [schemaKey(schema), standalone.default(ajv, validate)] as const
  })
  return { packages: registry.packages.map(({ entry }) => entry), validators: Object.fromEntries(texts) }
}
