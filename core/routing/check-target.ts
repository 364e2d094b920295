/**
 * The target of a leaf as far as it is known without asking anybody: a stored credential must be usable for the model, and
 * a model written `@slug/model` loses the prefix. Errors: those of find-target.ts; 403 `forbidden`, `model_not_allowed`.
 */
import { checkUse } from '../config/stored-provider.ts'
import type { ConfigNode, ResolvedTarget } from '../flow/config-node.ts'
import type { Exchange } from '../flow/exchange.ts'
import type { StoredProvider } from '../flow/stored-provider.ts'
import { findTarget, splitModel } from './find-target.ts'

interface Checked {
  target: ResolvedTarget
  /** What its stored credential says beside its settings; null where that is nothing. */
  stored: StoredProvider | null
}

/** Writes the body that the target gets into the exchange. */
export function checkTarget(exchange: Exchange, node: ConfigNode): Checked {
  const model = splitModel(exchange.body.model)
  const target = findTarget(exchange, node, model)
  if (model !== null && isPrefixOf(exchange, model.slug)) {
    exchange.body = { ...exchange.body, model: model.name }
  }
  const stored = target.slug === null ? undefined : exchange.settings.storedProviders.get(target.slug)
  if (stored === undefined || stored.isPlain) return { target, stored: null }
  checkUse(stored, exchange.body.model, Date.now())
  return { target, stored }
}

/** Some providers' own model names begin with `@`: only a slug that exists is a prefix. */
const isPrefixOf = (exchange: Exchange, slug: string) => exchange.settings.context.credentials.has(slug)
