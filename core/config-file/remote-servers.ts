/**
 * `mcp_servers` and `agent_servers` of the config file: each becomes a server and a hidden integration, as in the API.
 * Their secrets are kept separately for the calling services.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import {
  firstOrganisationId,
  kinds,
  mask,
  type RemoteIntegrationData,
  type RemoteServerData,
  type SecretMapping,
  slugKey,
} from '@gateway/domain'
import type { ConfigFile } from './complete.ts'
import { fileId, fileWorkspaceId } from './ids.ts'

const sections = [
  {
    section: 'mcp_servers',
    integration: kinds.mcpIntegration,
    server: kinds.mcpServer,
    field: 'mcp_integration_id',
  },
  {
    section: 'agent_servers',
    integration: kinds.agentIntegration,
    server: kinds.agentServer,
    field: 'agent_integration_id',
  },
] as const

/** Secret members, and their displayed form. */
function split(configurations: JsonObject): { open: JsonObject; secret: JsonObject; masked: JsonObject } {
  const parts: ReturnType<typeof split> = { open: {}, secret: {}, masked: {} }
  const masked = (value: Json | undefined): Json =>
    typeof value === 'string' ? mask(value) : (value ?? null)
  for (const [name, value] of Object.entries(configurations)) {
    if (value === undefined) continue
    if (name === 'custom_headers' && isObject(value)) {
      parts.secret[name] = value
      parts.masked[name] = Object.fromEntries(Object.entries(value).map(([key, text]) => [key, masked(text)]))
    } else if (name === 'oauth_metadata' && isObject(value) && value.client_secret !== undefined) {
      parts.secret[name] = value
      parts.masked[name] = { ...value, client_secret: masked(value.client_secret) }
    } else parts.open[name] = value
  }
  return parts
}

const mappingsOf = (written: unknown): SecretMapping[] =>
  (Array.isArray(written) ? written : []).filter(isObject).map((entry) => ({
    target_field: String(entry.target_field ?? ''),
    secret_reference_id: String(entry.secret_reference_id ?? ''),
    secret_key: typeof entry.secret_key === 'string' ? entry.secret_key : null,
    value_format: entry.value_format === 'json' ? 'json' : 'string',
  }))

/** Documents without the members that all documents of the file share. */
export function remoteServerDrafts(file: ConfigFile) {
  return sections.flatMap(({ section, integration, server, field }) =>
    Object.entries(file[section]).flatMap(([slug, declared]) => {
      const integrationId = fileId(integration, slug)
      const workspaceId = fileWorkspaceId(declared.workspace ?? 'default')
      // The value has passed the file's schema.
      const { open, masked } = split((declared.configurations ?? {}) as JsonObject)
      const upstream: RemoteIntegrationData = {
        url: declared.url,
        auth_type: declared.auth_type ?? (Object.keys(masked).length > 0 ? 'headers' : 'none'),
        ...(section === 'mcp_servers'
          ? {
              transport: ('transport' in declared ? declared.transport : undefined) ?? 'http',
              new_capabilities_enabled: true,
            }
          : { protocol: 'a2a' as const }),
        description: null,
        configurations: open,
        masked_configurations: masked,
        sealed: null,
        secret_mappings: mappingsOf(declared.secret_mappings),
        is_hidden: true,
      }
      const data: RemoteServerData = {
        [field]: integrationId,
        description: declared.description ?? null,
        default_user_access: declared.default_user_access ?? 'allow',
      }
      const name = declared.name ?? slug
      return [
        // No slug: it is never referenced by name.
        {
          kind: integration,
          key: slug,
          slug: null,
          name,
          workspaceId,
          attributes: { hidden: ['true'] },
          data: upstream,
        },
        {
          kind: server,
          slug,
          name,
          workspaceId,
          keys: [slugKey(firstOrganisationId, slug)],
          attributes: { integration_id: [integrationId] },
          data,
        },
      ]
    }),
  )
}

/** Secrets by `KIND/ID` of the integration. */
export function remoteServerSecrets(file: ConfigFile): Map<string, JsonObject> {
  const found = new Map<string, JsonObject>()
  for (const { section, integration } of sections) {
    for (const [slug, { configurations }] of Object.entries(file[section])) {
      const { secret } = split((configurations ?? {}) as JsonObject)
      if (Object.keys(secret).length > 0) found.set(`${integration}/${fileId(integration, slug)}`, secret)
    }
  }
  return found
}
