/**
 * Decrypted `configurations`, with the values of the config file and of secret references resolved. Decrypted once per
 * version.
 */
import { isObject, type Json, type JsonObject, type ServiceContext } from '@gateway/contract'
import { openConfigurations } from './configurations.ts'
import type { Integration } from './data.ts'

export type ClearConfigurations = (
  integration: Integration,
  workspaceId: string | null,
) => Promise<JsonObject>

export function createClearConfigurations(
  context: ServiceContext<'fileSecrets' | 'mappedSecrets' | 'sealer'>,
): ClearConfigurations {
  const opened = new WeakMap<Integration, JsonObject>()

  function open(integration: Integration): JsonObject {
    const declared = context.fileSecrets(integration.kind, integration.id)
    const made = { ...openConfigurations(integration, context.sealer), ...declared }
    opened.set(integration, made)
    return made
  }

  return async (integration, workspaceId) => {
    const own = opened.get(integration) ?? open(integration)
    const { secret_mappings: mappings } = integration.data
    if (mappings.length === 0) return own
    const mapped = await context.mappedSecrets(mappings, workspaceId)
    const named = [...mapped].map(([field, value]): [string, Json] => [
      field.replace('configurations.', ''),
      value,
    ])
    return { ...own, ...Object.fromEntries(named) }
  }
}

/** The values of `custom_headers` by lowercase name. */
export function customHeaders({ custom_headers: written }: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(isObject(written) ? written : {}))
    if (typeof value === 'string') headers[name.toLowerCase()] = value
  return headers
}
