/**
 * Models of the Gemini API, for lists without a call.
 * Source: https://ai.google.dev/gemini-api/docs/models
 */
import type { ModelInfo } from '@gateway/contract'

const ids = [
  'gemini-4-argon',
  'gemini-3.8-flash',
  'gemini-3.6-flash',
  'gemini-3.5-flash-lite',
  'gemini-3.1-pro-preview',
  'gemini-3.1-flash-lite',
  'gemini-3-flash-preview',
  'gemini-2.5-pro',
  'gemini-2.5-flash',
  'gemini-2.5-flash-lite',
  'gemini-embedding-2',
  'gemini-embedding-001',
]

export const models: readonly ModelInfo[] = ids.map((id) => ({ id, owned_by: 'google' }))
