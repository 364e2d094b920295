/**
 * The references of a routing config, anywhere in its tree: stored credentials, guardrails, prompts, and the configs of
 * its shadows, by slug or id.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

export interface ConfigReferences {
  providers: string[]
  guardrails: string[]
  prompts: string[]
  configs: string[]
}

export function referencesOf(config: JsonObject): ConfigReferences {
  const providers = new Set<string>()
  const guardrails = new Set<string>()
  const prompts = new Set<string>()
  const configs = new Set<string>()
  const visit = (node: JsonObject) => {
    for (const slug of [slugOf(node.provider), slugOf(modelOf(node)), withoutAt(node.virtual_key)]) {
      if (slug !== null) providers.add(slug)
    }
    for (const list of [node.input_guardrails, node.output_guardrails]) {
      for (const item of Array.isArray(list) ? list : []) if (typeof item === 'string') guardrails.add(item)
    }
    if (typeof node.prompt_id === 'string') prompts.add(node.prompt_id.split('@')[0] ?? node.prompt_id)
    const shadowed = shadowOf(node)
    if (typeof shadowed === 'string') configs.add(shadowed)
    else if (shadowed !== null) visit(shadowed)
    for (const target of Array.isArray(node.targets) ? node.targets : []) if (isObject(target)) visit(target)
  }
  visit(config)
  return {
    providers: [...providers],
    guardrails: [...guardrails],
    prompts: [...prompts],
    configs: [...configs],
  }
}

const modelOf = ({ override_params: params }: JsonObject) => (isObject(params) ? params.model : undefined)

/** The slug in `@slug` and `@slug/model`. */
function slugOf(written: Json | undefined): string | null {
  const match = typeof written === 'string' ? /^@([^/]+)/.exec(written) : null
  return match?.[1] ?? null
}

const withoutAt = (written: Json | undefined) =>
  typeof written === 'string' ? written.replace(/^@/, '') : null

/** The other config of a node's shadow: the slug or id of a saved one without its version, or an inline one. */
export function shadowOf({ shadow }: JsonObject): string | JsonObject | null {
  const written = isObject(shadow) ? shadow.config : null
  if (typeof written === 'string') return written.replace(/^#/, '').replace(/@.*$/, '')
  return isObject(written) ? written : null
}
