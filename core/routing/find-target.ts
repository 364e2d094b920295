/**
 * The provider and credential that a leaf calls for a request. A leaf without a provider takes it from the request, in
 * this order: `x-gateway-virtual-key`, `x-gateway-provider`, the provider of the prompt that it runs, the model's
 * `@slug/`.
 */

import { checkUse, createTarget, hasSecret, settingsOf, trimSlashes } from '@gateway/config'
import { type Fault, faultsError, GatewayError } from '@gateway/contract'
import { unknownName } from '@gateway/domain'
import {
  type Admitted,
  type ConfigNode,
  type CustomHost,
  changeInput,
  headerParam,
  type ResolvedTarget,
  type Routed,
  type StoredProvider,
} from '@gateway/flow'

interface Prepared {
  target: ResolvedTarget
  /** The stored credential's data in addition to its settings, or null. */
  stored: StoredProvider | null
}

/**
 * Finds the target without any call, and writes its body into the exchange: a model written `@slug/model` loses the
 * prefix.
 * Errors: those of {@link findTarget}; 403 `forbidden` and `model_not_allowed` when the stored credential must not be
 * used for the model.
 */
export function prepareTarget(exchange: Routed, node: ConfigNode): Prepared {
  const model = splitModel(exchange.input.body.model)
  const target = findTarget(exchange, node, model)
  if (model !== null && isPrefixOf(exchange, model.slug)) {
    changeInput(exchange, { body: { ...exchange.input.body, model: model.name } })
  }
  const stored = target.slug === null ? undefined : exchange.workspace.storedProviders.get(target.slug)
  if (stored === undefined || stored.isPlain) return { target, stored: null }
  checkUse(stored, exchange.input.body.model, Date.now())
  return { target, stored }
}

/** Some providers' own model names begin with `@`: only a slug that exists is a prefix. */
const isPrefixOf = (exchange: Admitted, slug: string) => exchange.workspace.context.credentials.has(slug)

/**
 * The target that a leaf calls for this request. Errors: `no_provider`, `unknown_provider`, `unknown_virtual_key`,
 * `host_not_allowed`.
 */
export function findTarget(exchange: Routed, node: ConfigNode, model: WrittenModel | null): ResolvedTarget {
  const customHost = customHostOf(exchange, node)
  const chosen = node.target ?? targetOfRequest(exchange, customHost, model)
  if (customHost === null && chosen.fault !== null) throw faultsError([chosen.fault])
  const isThere = customHost === null || trimSlashes(customHost.url) === chosen.baseUrl
  const found = isThere ? chosen : moveTo(exchange, chosen, customHost)
  checkHeadersHost(exchange, node, found)
  return found
}

/** The target at another host. */
function moveTo(exchange: Admitted, target: ResolvedTarget, { param, url }: CustomHost): ResolvedTarget {
  if (target.isStored && hasSecret(target.settings)) throw foreignHost(param)
  return build(exchange, { ...target, settings: { ...target.settings, custom_host: url } }, param)
}

/** A stored credential may consist only of headers: like a key, they are sent only to its own host. */
function checkHeadersHost(exchange: Admitted, node: ConfigNode, { slug, settings }: ResolvedTarget): void {
  if (slug === null) return
  const { storedProviders, context } = exchange.workspace
  const stored = storedProviders.get(slug)
  if (stored?.hasMappedHeaders !== true && Object.keys(stored?.headers ?? {}).length === 0) return
  const own = context.credentials.get(slug)?.custom_host ?? ''
  if (trimSlashes(settings.custom_host ?? '') === trimSlashes(own)) return
  throw foreignHost(customHostOf(exchange, node)?.param ?? node.customHost?.param ?? node.param)
}

const foreignHost = (param: string): GatewayError =>
  new GatewayError(
    'host_not_allowed',
    'A stored credential is sent only to its own host; a custom host needs its own credential.',
    { param },
  )

/**
 * The request's custom host overrides those of the tree, which were already applied to targets that name a provider.
 */
function customHostOf(exchange: Admitted, node: ConfigNode): CustomHost | null {
  const options = exchange.options
  if (options.customHost !== null)
    return { url: options.customHost, param: headerParam(options, 'custom-host') }
  return node.target === null ? node.customHost : null
}

function build(
  exchange: Admitted,
  parts: Pick<ResolvedTarget, 'adapter' | 'settings' | 'slug' | 'isStored'>,
  param: string,
): ResolvedTarget {
  const faults: Fault[] = []
  const { prefix } = exchange.options
  const place = parts.isStored ? 'stored' : { headerPrefix: prefix }
  const resolved = createTarget({ ...parts, param, hosts: exchange.workspace.context, place }, faults)
  if (resolved === null) throw faultsError(faults)
  return resolved
}

function targetOfRequest(
  exchange: Routed,
  customHost: CustomHost | null,
  model: WrittenModel | null,
): ResolvedTarget {
  const options = exchange.options
  if (options.virtualKey !== null)
    return stored(exchange, options.virtualKey, headerParam(options, 'virtual-key'))
  if (options.provider !== null) {
    const param = headerParam(options, 'provider')
    if (options.provider.startsWith('@')) return stored(exchange, options.provider.slice(1), param)
    return direct(exchange, customHost, { name: options.provider, param })
  }
  const ofPrompt = exchange.input.prompt?.virtual_key ?? null
  if (ofPrompt !== null) return stored(exchange, ofPrompt, '/virtual_key')
  if (model !== null) return stored(exchange, model.slug, '/model')
  throw new GatewayError(
    'no_provider',
    `No provider specified: set "provider" in the config, send ${options.prefix}provider or ${options.prefix}virtual-key, or write the model as @slug/model.`,
    { param: headerParam(options, 'provider') },
  )
}

function stored(exchange: Admitted, slug: string, param: string): ResolvedTarget {
  const { context, storedTargets } = exchange.workspace
  const known = storedTargets.get(slug)
  if (known !== undefined) return known
  const settings = context.credentials.get(slug)
  const adapter = settings === undefined ? undefined : context.registry.providers.get(settings.provider)
  if (settings === undefined || adapter === undefined) {
    const message = unknownName({ what: 'stored provider', written: slug, known: context.credentials.keys() })
    throw new GatewayError('unknown_virtual_key', message, { param })
  }
  return build(exchange, { adapter, settings, slug, isStored: true }, param)
}

function direct(
  exchange: Admitted,
  customHost: CustomHost | null,
  { name, param }: { name: string; param: string },
): ResolvedTarget {
  const options = exchange.options
  const { providers } = exchange.workspace.context.registry
  const adapter = providers.get(name)
  if (adapter === undefined) {
    const message = unknownName({ what: 'provider', written: name, known: providers.keys() })
    throw new GatewayError('unknown_provider', message, { param })
  }
  const settings = { ...settingsOf({}, name), ...options.keys }
  if (options.credential !== null) settings.api_key = options.credential
  if (customHost !== null) settings.custom_host = customHost.url
  return build(exchange, { adapter, settings, slug: null, isStored: false }, customHost?.param ?? param)
}

/** A model written `@slug/model`: the slug of a stored credential before the provider's own name. */
export interface WrittenModel {
  slug: string
  name: string
}

/** Null for a model that is not written with a slug. */
export function splitModel(model: unknown): WrittenModel | null {
  const written = typeof model === 'string' ? /^@([^/]+)\/(.+)$/s.exec(model) : null
  return written?.[1] === undefined || written[2] === undefined
    ? null
    : { slug: written[1], name: written[2] }
}
