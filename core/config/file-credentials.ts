/** The stored credentials of the config file, as settings and as targets. */

import type { ConfigFile } from '@gateway/config-file'
import {
  customHeaderFault,
  type Fault,
  type JsonObject,
  type ProviderAdapter,
  type ProviderSettings,
} from '@gateway/contract'
import { unknownName } from '@gateway/domain'
import type { CompileContext, ResolvedTarget } from '@gateway/flow'
import { createValidator, toFaults } from '@gateway/validation'
import { hostFaults } from './address-members.ts'
import { checkOwnIdentity } from './own-identity.ts'
import { createTarget, settingsOf } from './target.ts'

export function storedSettings(stored: ConfigFile['providers'][string]): ProviderSettings {
  const settings = settingsOf(stored, stored.provider)
  return stored.configurations === undefined
    ? settings
    : { ...settings, configurations: stored.configurations as JsonObject }
}

/** Targets by slug; invalid credentials and invalid hosts of single models are errors. */
export function compileFileCredentials(
  file: ConfigFile,
  context: CompileContext,
  faults: Fault[],
): Map<string, ResolvedTarget> {
  const targets = new Map<string, ResolvedTarget>()
  for (const [slug, settings] of context.credentials) {
    const param = `/providers/${slug}`
    const adapter = context.registry.providers.get(settings.provider)
    if (adapter === undefined) {
      const { providers } = context.registry
      const message = unknownName({ what: 'provider', written: settings.provider, known: providers.keys() })
      faults.push({ param: `${param}/provider`, code: 'unknown_provider', message })
      continue
    }
    const own = settings.configurations
    if (!checkConfigurations(adapter, own, { param: `${param}/configurations`, faults })) continue
    if (own !== undefined) faults.push(...hostFaults(own, `${param}/configurations`, context.checkUrl))
    const at = settings.custom_host === undefined ? param : `${param}/custom_host`
    const target = createTarget(
      { adapter, settings, slug, isStored: true, param: at, hosts: context },
      faults,
    )
    if (target !== null) targets.set(slug, target)
    checkModelCalls(file, slug, { adapter, settings, context, faults })
  }
  return targets
}

/** Validates members specific to stored credentials against the adapter's schema. */
function checkConfigurations(
  adapter: ProviderAdapter,
  configurations: JsonObject | undefined,
  { param, faults }: { param: string; faults: Fault[] },
): boolean {
  if (configurations === undefined) return true
  if (adapter.configurations === undefined) {
    faults.push({ param, code: 'invalid_config', message: `The provider ${adapter.name} takes none.` })
    return false
  }
  const errors = createValidator(adapter.configurations)(configurations)
  if (errors !== null) faults.push(...toFaults(errors, 'invalid_config', param))
  return errors === null
}

interface ModelCredential {
  adapter: ProviderAdapter
  settings: ProviderSettings
  context: CompileContext
}

/** A model may have its own host, subject to the same guard, and its own headers. */
function checkModelCalls(
  { providers }: ConfigFile,
  slug: string,
  { adapter, settings, context, faults }: ModelCredential & { faults: Fault[] },
): void {
  for (const [index, { configurations }] of (providers[slug]?.models ?? []).entries()) {
    const at = `/providers/${slug}/models/${index}/configurations`
    for (const [name, value] of Object.entries(configurations?.custom_headers ?? {})) {
      const reason = customHeaderFault(name, value, context.headerPrefixes)
      if (reason !== null)
        faults.push({ param: `${at}/custom_headers/${name}`, code: 'invalid_config', message: reason })
    }
    const host = configurations?.custom_host
    if (host === undefined) continue
    const message =
      context.checkUrl(host) ?? checkOwnIdentity(adapter, settings, { url: host, hostRules: context })
    if (message === null) continue
    const param = `${at}/custom_host`
    faults.push({ param, code: 'host_not_allowed', message })
  }
}
