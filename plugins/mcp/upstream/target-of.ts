/** The upstream of an integration as the caller of a visit reaches it: credentials, forwarded headers, who calls. */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { openConfigurations } from '@gateway/control-plane/remote-servers'
import type { Integration } from '../directory.ts'
import type { McpRuntime } from '../runtime.ts'
import { forwardedHeaders } from './forwarded.ts'
import type { UpstreamTarget } from './target.ts'

/** `configurations` in clear, with what secret references stand for; opened once for each version. */
async function configurationsOf(
  { context, opened }: Pick<McpRuntime, 'context' | 'opened'>,
  integration: Integration,
  workspaceId: string | null,
): Promise<JsonObject> {
  let own = opened.get(integration)
  if (own === undefined) {
    own = openConfigurations(integration, context.sealer)
    const declared = context.fileSecrets(integration.kind, integration.id)
    if (declared !== null) own = { ...own, ...declared }
    opened.set(integration, own)
  }
  const { secret_mappings: mappings } = integration.data
  if (mappings.length === 0) return own
  const mapped = await context.mappedSecrets(mappings, workspaceId)
  const named = [...mapped].map(([field, value]): [string, Json] => [
    field.replace('configurations.', ''),
    value,
  ])
  return { ...own, ...Object.fromEntries(named) }
}

/** Values of `custom_headers`, lower-case names. */
function customHeaders({ custom_headers: written }: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(isObject(written) ? written : {}))
    if (typeof value === 'string') headers[name.toLowerCase()] = value
  return headers
}

export interface TargetOptions {
  person: string
  workspaceId: string | null
  /** Of the client's request, scrubbed. */
  headers: Readonly<Record<string, string>>
}

export async function targetOf(
  runtime: McpRuntime,
  integration: Integration,
  { person, workspaceId, headers }: TargetOptions,
): Promise<UpstreamTarget> {
  const configurations = await configurationsOf(runtime, integration, workspaceId)
  return {
    integration,
    person,
    headers: {
      ...forwardedHeaders(configurations.forward_headers, headers),
      ...customHeaders(configurations),
    },
    renew: null,
  }
}
