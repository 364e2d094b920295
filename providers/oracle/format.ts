/**
 * Selects the service's format for a model. Cohere's models have two separate formats: the newer one for models with
 * vision or reasoning, the older one for the others.
 * Reference: https://docs.oracle.com/iaas/Content/generative-ai/pretrained-models.htm
 */
import type { JsonObject, ProviderSettings } from '@gateway/contract'
import { oracleSettings } from './settings.ts'
import type { ApiFormat } from './wire.ts'

/**
 * The format for a request's model; the stored credential overrides it, since an endpoint's id does not contain the
 * model.
 */
export function formatOf({ model }: JsonObject, settings: ProviderSettings): ApiFormat {
  const { oracle_api_format: stored } = oracleSettings(settings)
  if (stored !== undefined) return stored
  if (typeof model !== 'string' || !/^cohere\./i.test(model)) return 'GENERIC'
  return /vision|reasoning/i.test(model) ? 'COHEREV2' : 'COHERE'
}
