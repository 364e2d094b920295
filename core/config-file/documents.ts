/**
 * The config file's objects as documents, in the form that the API creates: they are listed with the stored ones,
 * read-only, with `source: "file"`. The file's providers, configs, guardrails and policies are available in every
 * workspace, so they have no `workspace_id`. Secrets are left out.
 */
import { asJson, isObject, type JsonObject, type StoredDocument } from '@gateway/contract'
import {
  type ApiKeyData,
  type ConfigData,
  type Defaults,
  firstOrganisationId,
  type GuardrailData,
  hashKeyOf,
  type IntegrationData,
  type IntegrationModel,
  kinds,
  type ProviderData,
  type RateLimit,
  type RateLimitPolicyData,
  slugKey,
  type UsageLimit,
  type UsageLimitPolicyData,
  type WorkspaceData,
} from '@gateway/domain'
import type { ConfigFile } from './complete.ts'
import { fileId, fileWorkspaceId } from './ids.ts'
import { promptDrafts } from './prompts.ts'
import { remoteServerDrafts } from './remote-servers.ts'
import { utcTime } from './time.ts'

interface Draft {
  kind: string
  /** The source of the id; the slug by default. */
  key?: string
  id?: string
  slug: string | null
  name: string
  workspaceId?: string | null
  status?: string
  keys?: readonly string[]
  attributes?: Readonly<Record<string, readonly string[]>>
  data: object
}

/**
 * @param readAt the time when the file was read, in milliseconds since the epoch: used as the creation time of its
 * objects
 */
export function fileDocuments(file: ConfigFile, readAt: number): StoredDocument[] {
  const toDocument = (draft: Draft): StoredDocument => ({
    kind: draft.kind,
    id: draft.id ?? fileId(draft.kind, draft.key ?? draft.slug ?? draft.name),
    organisation_id: firstOrganisationId,
    workspace_id: draft.workspaceId ?? null,
    slug: draft.slug,
    name: draft.name,
    status: draft.status ?? 'active',
    version: 1,
    created_at: readAt,
    last_updated_at: readAt,
    keys: draft.keys ?? (draft.slug === null ? [] : [slugKey(firstOrganisationId, draft.slug)]),
    attributes: draft.attributes ?? {},
    data: { ...(draft.data as JsonObject), source: 'file' },
  })
  return [
    ...workspaces(file),
    ...apiKeys(file, readAt),
    ...providers(file),
    ...configs(file),
    ...guardrails(file),
    ...promptDrafts(file),
    ...policies(file),
    ...remoteServerDrafts(file),
  ].map(toDocument)
}

/** One object, or a list of objects. */
export const listOf = <Item>(written: unknown): Item[] =>
  // The value has passed the file's schema.
  written === undefined ? [] : ((Array.isArray(written) ? written : [written]) as Item[])

/** A reset is at 00:00 UTC of its day. */
const midnightOf = (written: string | null | undefined): string | null => {
  const time = written == null ? null : utcTime(written)
  return time === null ? null : `${time.slice(0, 10)}T00:00:00.000Z`
}

const fileUsageLimits = (written: unknown): UsageLimit[] =>
  listOf<Partial<UsageLimit> & { credit_limit: number }>(written).map((limit) => ({
    type: limit.type ?? 'cost',
    credit_limit: limit.credit_limit,
    alert_threshold: limit.alert_threshold ?? null,
    periodic_reset: limit.periodic_reset ?? null,
    periodic_reset_days: limit.periodic_reset_days ?? null,
    next_usage_reset_at: midnightOf(limit.next_usage_reset_at),
    last_reset_at: null,
  }))

const limitsOf = (written: { usage_limits?: unknown; rate_limits?: unknown }) => ({
  usage_limits: fileUsageLimits(written.usage_limits),
  rate_limits: listOf<RateLimit>(written.rate_limits),
})

interface DeclaredDefaults {
  metadata?: Record<string, string> | undefined
  config_id?: string | undefined
  allow_config_override?: boolean | undefined
  input_guardrails?: unknown[] | undefined
  output_guardrails?: unknown[] | undefined
}

/** Inline guardrails in the defaults have no id. */
const idsOf = (written: unknown[] | undefined) =>
  written?.map((item) =>
    typeof item === 'string' ? item : isObject(item) ? String(item.id ?? 'inline') : '',
  ) ?? null

const defaultsOf = (declared: DeclaredDefaults = {}): Defaults => ({
  metadata: declared.metadata ?? null,
  config_id: declared.config_id ?? null,
  allow_config_override: declared.allow_config_override ?? true,
  input_guardrails: idsOf(declared.input_guardrails),
  output_guardrails: idsOf(declared.output_guardrails),
})

function workspaces(file: ConfigFile): Draft[] {
  return Object.entries(file.workspaces).map(([slug, declared]) => {
    const data: WorkspaceData = {
      ...limitsOf(declared),
      defaults: { ...defaultsOf(declared.defaults), user_api_key_config: null },
      settings: {},
      last_reset_at: null,
    }
    return { kind: kinds.workspace, id: fileWorkspaceId(slug), slug, name: declared.name ?? slug, data }
  })
}

function apiKeys(file: ConfigFile, readAt: number): Draft[] {
  return file.api_keys.map((declared) => {
    const hash = declared.key_hash.slice('sha256:'.length)
    const data: ApiKeyData = {
      ...limitsOf(declared),
      type: 'workspace-service',
      user_id: null,
      scopes: [...declared.scopes],
      defaults: defaultsOf(declared.defaults),
      description: declared.description ?? null,
      expires_at: declared.expires_at ?? null,
      alert_emails: [],
      allowed_ips: declared.allowed_ips ?? null,
      secrets: [],
      rotation_policy: null,
      last_reset_at: null,
    }
    const hasExpired = declared.expires_at !== undefined && Date.parse(declared.expires_at) <= readAt
    return {
      kind: kinds.apiKey,
      key: declared.key_hash,
      slug: null,
      name: declared.name,
      workspaceId: fileWorkspaceId(declared.workspace),
      status: hasExpired ? 'expired' : 'active',
      keys: [hashKeyOf(hash)],
      attributes: { type: [data.type] },
      data,
    }
  })
}

type DeclaredModel = NonNullable<ConfigFile['providers'][string]['models']>[number]

export const fileModel = (model: DeclaredModel): IntegrationModel => ({
  slug: model.slug,
  enabled: model.enabled ?? true,
  name: model.name ?? null,
  is_custom: model.is_custom ?? false,
  is_finetune: model.is_finetune ?? false,
  base_model_slug: model.base_model_slug ?? null,
  // The value has passed the file's schema.
  configurations: (model.configurations ?? null) as IntegrationModel['configurations'],
  pricing_config: (model.pricing_config ?? null) as IntegrationModel['pricing_config'],
  pricing_adjustments: filePricingAdjustments(model),
})

/** The price adjustments of a provider or of one of its models. */
export const filePricingAdjustments = (declared: {
  pricing_adjustments?: unknown
}): IntegrationData['pricing_adjustments'] =>
  // The value has passed the file's schema.
  (declared.pricing_adjustments ?? null) as IntegrationData['pricing_adjustments']

/** A stored credential of the file becomes an integration with one provider. */
function providers(file: ConfigFile): Draft[] {
  return Object.entries(file.providers).flatMap(([slug, declared]): Draft[] => {
    const integrationId = fileId(kinds.integration, slug)
    const integration: IntegrationData = {
      ai_provider_id: declared.provider,
      description: null,
      configurations: declared.custom_host === undefined ? {} : { custom_host: declared.custom_host },
      sealed: null,
      masked_key: null,
      secret_mappings: [],
      pricing_adjustments: filePricingAdjustments(declared),
      allow_all_models: true,
      models: (declared.models ?? []).map(fileModel),
      global_workspace_access: { enabled: true, usage_limits: [], rate_limits: [] },
      last_reset_at: null,
    }
    const provider: ProviderData = {
      ...limitsOf(declared),
      integration_id: integrationId,
      provider: declared.provider,
      note: null,
      expires_at: null,
      last_reset_at: null,
    }
    const attributes = { ai_provider_id: [declared.provider] }
    return [
      { kind: kinds.integration, slug, name: slug, attributes, data: integration },
      {
        kind: kinds.provider,
        slug,
        name: slug,
        attributes: { integration_id: [integrationId] },
        data: provider,
      },
    ]
  })
}

function configs(file: ConfigFile): Draft[] {
  return Object.entries(file.configs).map(([slug, config]) => {
    const data: ConfigData = {
      // Configs of the file may contain the operator's credentials, which the API must not show.
      config: withoutSecrets(asJson(config)),
      config_version: 1,
      version_id: fileId(kinds.configVersion, slug),
    }
    return { kind: kinds.config, slug, name: slug, data }
  })
}

const secretKeys = /^(?:api_key|cloudA_.*(?:key|token).*|cloudC_service_account_json|authorization)$/i

function withoutSecrets(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, member]): [string, JsonObject[string]] => {
      if (secretKeys.test(key) && member !== 'none') return [key, '****']
      if (Array.isArray(member))
        return [key, member.map((item) => (isObject(item) ? withoutSecrets(item) : item))]
      return [key, isObject(member) ? withoutSecrets(member) : member]
    }),
  )
}

function guardrails(file: ConfigFile): Draft[] {
  return Object.entries(file.guardrails).map(([slug, declared]) => {
    const checks = (declared.checks ?? []).map(({ id, parameters }) => ({
      id: id.includes('.') ? id : `default.${id}`,
      is_enabled: true,
      parameters: withoutSecrets(parameters as JsonObject),
    }))
    const data: GuardrailData = {
      checks,
      actions: { deny: declared.deny ?? false, async: declared.async ?? false },
      fail_closed: declared.fail_closed ?? file.plugins.fail_closed,
      type: declared.type ?? 'guardrail',
      guardrail_version: 1,
      version_id: fileId(kinds.guardrailVersion, slug),
    }
    return { kind: kinds.guardrail, slug, name: slug, data }
  })
}

/** A policy of the file has no key, so its position identifies it. */
function policies({ policies: { rate_limits = [], usage_limits = [] } }: ConfigFile): Draft[] {
  const workspaceOf = (written: string | undefined) =>
    written === undefined ? null : isUuid.test(written) ? written : fileWorkspaceId(written)
  return [
    ...rate_limits.map((declared, index): Draft => {
      const { conditions, group_by, type, unit, value, target = 'llm' } = declared
      const data: RateLimitPolicyData = {
        conditions: conditions as RateLimitPolicyData['conditions'],
        group_by,
        type,
        unit,
        value,
        target,
      }
      return {
        kind: kinds.rateLimitPolicy,
        key: String(index),
        slug: null,
        name: declared.name ?? `rate_limits/${index}`,
        workspaceId: workspaceOf(declared.workspace_id),
        attributes: { type: [type], unit: [unit] },
        data,
      }
    }),
    ...usage_limits.map((declared, index): Draft => {
      const limit = fileUsageLimits(declared)[0] as UsageLimit
      const data: UsageLimitPolicyData = {
        ...limit,
        conditions: declared.conditions as UsageLimitPolicyData['conditions'],
        group_by: declared.group_by,
      }
      return {
        kind: kinds.usageLimitPolicy,
        key: String(index),
        slug: null,
        name: declared.name ?? `usage_limits/${index}`,
        workspaceId: workspaceOf(declared.workspace_id),
        attributes: { type: [limit.type] },
        data,
      }
    }),
  ]
}

const isUuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/
