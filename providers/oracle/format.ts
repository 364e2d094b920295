/**
 * Which of the service's formats a model takes. Cohere's models have two of their own: the newer one for those that
 * see or reason, the older one for the rest.
 * Reference: https://docs.oracle.com/iaas/Content/generative-ai/pretrained-models.htm
 */
import type { JsonObject, ProviderSettings } from '@gateway/contract'
import { oracleSettings } from './settings.ts'
import type { ApiFormat } from './wire.ts'

/** The format of a request's model; the stored credential knows better, for an endpoint's id tells no model. */
export function formatOf({ model }: JsonObject, settings: ProviderSettings): ApiFormat {
  const { oracle_api_format: stored } = oracleSettings(settings)
  if (stored !== undefined) return stored
  if (typeof model !== 'string' || !/^cohere\./i.test(model)) return 'GENERIC'
  return /vision|reasoning/i.test(model) ? 'COHEREV2' : 'COHERE'
}
