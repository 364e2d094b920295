/**
 * Stored providers of a workspace as targets: the decrypted credential of their integration, with the workspace's
 * permissions.
 */

import {
  checkMappedHeaders,
  createTarget,
  credentialOf,
  headersOf,
  mappedHeaders,
  mappedPlaceholder,
  type OpenedCredential,
} from '@gateway/config'
import {
  type Fault,
  type GatewayError,
  isGatewayError,
  isObject,
  type ProviderSettings,
  type Sealer,
} from '@gateway/contract'
import { type DocumentOf, type IntegrationData, openContent, recordOf } from '@gateway/domain'
import type { ResolvedTarget, Settings, StoredProvider } from '@gateway/flow'
import type { SecretValues } from '../secrets/secret-values.ts'
import type { WorkspaceDocuments } from './read-documents.ts'

export interface CredentialsOptions {
  sealer: Sealer
  secrets: SecretValues
  /** Called for a stored credential that cannot be used. */
  report(slug: string, reason: string): void
}

export interface Credentials {
  settings: ReadonlyMap<string, ProviderSettings>
  targets: ReadonlyMap<string, ResolvedTarget>
  providers: ReadonlyMap<string, StoredProvider>
}

/** Targets of the file and stored targets, by slug and by id. Those of the file take precedence. */
export function compileCredentials(
  base: Settings,
  documents: WorkspaceDocuments,
  given: CredentialsOptions,
): Credentials {
  const settings = new Map(base.context.credentials)
  const targets = new Map(base.storedTargets)
  const providers = new Map(base.storedProviders)
  for (const document of documents.providers) {
    const integration = documents.integrations.get(document.data.integration_id)
    const slug = document.slug ?? document.id
    if (integration === undefined || base.context.credentials.has(slug)) continue
    const opened = openSealed(slug, integration, given)
    const stored = describeProvider(document, integration, {
      opened,
      documents,
      rules: {
        secrets: given.secrets,
        headerPrefixes: base.context.headerPrefixes,
      },
    })
    const own = openedSettings(integration, opened)
    const target = targetOf(slug, own, { base, given })
    for (const name of new Set([slug, document.id])) {
      settings.set(name, own)
      providers.set(name, stored)
      if (target !== null) targets.set(name, target)
    }
  }
  return { settings, targets, providers }
}

/** Its decrypted secrets; mapped ones are empty until they are fetched. */
function openedSettings(integration: DocumentOf<'integration'>, opened: Opened): ProviderSettings {
  const { secret_mappings } = integration.data
  const mapped = new Map(
    secret_mappings.map(({ target_field, value_format }) => [
      target_field,
      value_format === 'json' ? {} : mappedPlaceholder,
    ]),
  )
  if (opened.fault !== null) mapped.set('key', mappedPlaceholder)
  return credentialOf(integration, opened.credential, mapped)
}

interface Opened {
  credential: OpenedCredential
  /** Models with their own headers, decrypted. */
  models: IntegrationData['models']
  /**
   * The reason why it cannot be used: its secrets cannot be decrypted. Other credentials of the workspace still work.
   */
  fault: GatewayError | null
}

function openSealed(
  slug: string,
  integration: DocumentOf<'integration'>,
  { sealer, report }: CredentialsOptions,
): Opened {
  const { sealed, models: stored } = integration.data
  const record = recordOf(integration)
  try {
    const models = openContent(stored, sealer, record)
    const opened: unknown = sealed === null ? {} : JSON.parse(sealer.open(sealed, record))
    return { credential: isObject(opened) ? (opened as OpenedCredential) : {}, models, fault: null }
  } catch (error) {
    if (!isGatewayError(error)) throw error
    report(slug, error.message)
    return { credential: {}, models: stored, fault: error }
  }
}

interface TargetOptions {
  base: Settings
  given: CredentialsOptions
}

function targetOf(
  slug: string,
  settings: ProviderSettings,
  { base: { context }, given: { report } }: TargetOptions,
): ResolvedTarget | null {
  const adapter = context.registry.providers.get(settings.provider)
  if (adapter === undefined) {
    report(slug, `the provider "${settings.provider}" no longer exists`)
    return null
  }
  const faults: Fault[] = []
  const target = createTarget(
    { adapter, settings, slug, isStored: true, param: `providers/${slug}`, hosts: context },
    faults,
  )
  for (const { message } of faults) report(slug, message)
  return target
}

interface DescribeProviderOptions {
  opened: Opened
  documents: WorkspaceDocuments
  rules: Pick<CredentialsOptions, 'secrets'> & { headerPrefixes: readonly string[] }
}

function describeProvider(
  provider: DocumentOf<'provider'>,
  integration: DocumentOf<'integration'>,
  {
    opened: { credential, models, fault },
    documents: { workspaceId, accesses },
    rules: { secrets, headerPrefixes },
  }: DescribeProviderOptions,
): StoredProvider {
  const { expires_at } = provider.data
  const { data } = integration
  const { secret_mappings, pricing_adjustments } = data
  return {
    slug: provider.slug ?? provider.id,
    isPlain: false,
    id: provider.id,
    isDeclared: false,
    withdrawn: withdrawnReason(provider, integration, { access: accesses.get(integration.id), workspaceId }),
    expiresAt: expires_at === null ? null : Date.parse(expires_at),
    allowsAllModels: data.allow_all_models,
    models: new Map(models.map((model) => [model.slug, model])),
    ...headersOf(integration, credential),
    hasMappedHeaders: secret_mappings.some(({ target_field }) => target_field === mappedHeaders),
    fill:
      secret_mappings.length === 0 && fault === null
        ? null
        : async (settings) => {
            if (fault !== null) throw fault
            const mapped = await secrets.mapped(secret_mappings, workspaceId)
            checkMappedHeaders(mapped, headerPrefixes)
            return {
              settings: { ...settings, ...credentialOf(integration, credential, mapped) },
              headers: headersOf(integration, credential, mapped).headers,
            }
          },
    pricingAdjustments: pricing_adjustments,
  }
}

interface WithdrawnReasonOptions {
  access: DocumentOf<'integration_access'> | undefined
  workspaceId: string
}

function withdrawnReason(
  provider: DocumentOf<'provider'>,
  integration: DocumentOf<'integration'>,
  { access, workspaceId }: WithdrawnReasonOptions,
): string | null {
  if (integration.status === 'archived') return 'belongs to an archived integration'
  if (provider.status === 'expired') return 'has expired'
  // A workspace's own integration needs no permission.
  if (integration.workspace_id === workspaceId) return null
  const { global_workspace_access } = integration.data
  const own = access === undefined ? null : access.data.enabled
  return (own ?? global_workspace_access?.enabled ?? false)
    ? null
    : 'belongs to an integration that this workspace has no access to'
}
