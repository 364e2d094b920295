/** The provider and the credential that a leaf specifies. */

import type { Config } from '@gateway/config-file'
import type { Fault, ProviderSettings } from '@gateway/contract'
import { unknownName } from '@gateway/domain'
import type { CompileContext, ResolvedTarget } from '@gateway/flow'
import type { Inherited } from './inherit.ts'
import { createTarget, hasSecret, settingsOf, trimSlashes } from './target.ts'

interface LeafSite {
  param: string
  context: CompileContext
  faults: Fault[]
}

/**
 * A leaf's provider, by precedence: `@slug`, `virtual_key`, the provider's name, the model of `override_params`; null if
 * the request specifies it.
 */
export function compileTarget(
  config: Config,
  own: Inherited,
  { param, context, faults }: LeafSite,
): ResolvedTarget | null {
  if (config.passthrough === true) return null
  const slugs = slugsOf(config, own.model)
  const [slug] = slugs
  if (slug === undefined)
    return config.provider === undefined ? null : builtIn(config, own, { param, context, faults })
  const unknown = slugs.filter(({ name }) => !context.credentials.has(name))
  for (const { name, path } of unknown) {
    const message = unknownName({
      what: 'stored provider',
      written: name,
      known: context.credentials.keys(),
    })
    faults.push({ param: `${param}${path}`, code: 'unknown_virtual_key', message })
  }
  const stored = context.credentials.get(slug.name)
  if (unknown.length > 0 || stored === undefined) return null
  const at = `${param}${slug.path}`
  const { customHost } = own
  const isOwnHost =
    customHost === null || trimSlashes(customHost.url) === trimSlashes(stored.custom_host ?? '')
  if (!isOwnHost && hasSecret(stored)) {
    const message = `The stored credential "${slug.name}" is sent only to its own host; a custom host needs its own credential.`
    faults.push({ param: customHost?.param ?? at, code: 'host_not_allowed', message })
    return null
  }
  const adapter = context.registry.providers.get(stored.provider)
  if (adapter === undefined) return null
  // A config cannot change where a stored credential is sent.
  const { deployment_id, deployments, api_version } = settingsOf(config, stored.provider)
  const settings = { ...defined({ deployment_id, deployments, api_version }), ...stored }
  if (customHost !== null) settings.custom_host = customHost.url
  const options = { adapter, settings, slug: slug.name, isStored: true, hosts: context }
  return createTarget({ ...options, param: customHost?.param ?? at }, faults)
}

/**
 * The slugs that a leaf names, of which the first applies. Beside a provider, a model written `@…/…` is not one: some
 * vendors' own names of models look like that.
 */
function slugsOf({ provider, virtual_key }: Config, model: unknown): { name: string; path: string }[] {
  const isSlug = provider?.startsWith('@') === true
  const named = [
    ...(isSlug ? [{ name: provider.slice(1), path: '/provider' }] : []),
    ...(virtual_key === undefined ? [] : [{ name: virtual_key, path: '/virtual_key' }]),
  ]
  if (named.length > 0 || provider !== undefined) return named
  const written = typeof model === 'string' ? /^@([^/]+)\/./.exec(model) : null
  return written?.[1] === undefined ? [] : [{ name: written[1], path: '/override_params/model' }]
}

function builtIn(
  config: Config,
  own: Inherited,
  { param, context, faults }: LeafSite,
): ResolvedTarget | null {
  const name = config.provider ?? ''
  const adapter = context.registry.providers.get(name)
  if (adapter === undefined) {
    const message = unknownName({ what: 'provider', written: name, known: context.registry.providers.keys() })
    faults.push({ param: `${param}/provider`, code: 'unknown_provider', message })
    return null
  }
  const settings = settingsOf(config, name)
  if (own.customHost !== null) settings.custom_host = own.customHost.url
  const at = own.customHost?.param ?? `${param}/provider`
  return createTarget(
    {
      adapter,
      settings,
      slug: null,
      isStored: context.isSaved,
      param: at,
      hosts: context,
      place: 'config',
      mayBeIncomplete: true,
    },
    faults,
  )
}

/** Removes undefined members. */
const defined = (settings: Partial<ProviderSettings>): Partial<ProviderSettings> =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
