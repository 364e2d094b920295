/**
 * Refuses what most formats do not support: several choices, and answers other than text. Dropping them would change
 * the meaning of a request. Errors: `invalid_body` with the path.
 */
import { isObject, type JsonObject } from '@gateway/contract'
import { refusal } from './refusal.ts'

/** Refuses requests for more than one choice, or for more than text. */
export function requireOneText(body: JsonObject, provider: string): void {
  if (typeof body.n === 'number' && body.n > 1) {
    throw refusal(provider, '/n', 'this provider generates only one choice')
  }
  requireText(body, provider)
}

/** Refuses requests for more than text. */
export function requireText({ modalities }: JsonObject, provider: string): void {
  const index = Array.isArray(modalities) ? modalities.findIndex((modality) => modality !== 'text') : -1
  if (index !== -1) throw refusal(provider, `/modalities/${index}`, 'this provider generates only text')
}

/** Refuses web search, for a provider without it. */
export function refuseWebSearch({ web_search_options: options }: JsonObject, provider: string): void {
  if (isObject(options)) throw refusal(provider, '/web_search_options', 'this provider has no web search')
}
