/**
 * Models of Vertex AI, for lists without a call: the API cannot list the models that a project can use.
 * Source: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/models
 */
import type { ModelInfo } from '@gateway/contract'

const idsByPublisher: Readonly<Record<string, readonly string[]>> = {
  google: [
    'gemini-4-argon',
    'gemini-3.8-flash',
    'gemini-3.6-flash',
    'gemini-3.5-flash-lite',
    'gemini-3.1-pro-preview',
    'gemini-3.1-flash-lite',
    'gemini-3.1-flash-image',
    'gemini-3-pro-image',
    'gemini-2.5-pro',
    'gemini-2.5-flash',
    'gemini-2.5-flash-lite',
    'gemini-embedding-2',
    'gemini-embedding-001',
    'text-embedding-005',
    'text-multilingual-embedding-002',
  ],
  anthropic: ['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5', 'claude-sonnet-4-6'],
  meta: ['llama-4-maverick-17b-128e-instruct-maas', 'llama-3.3-70b-instruct-maas'],
  mistralai: ['mistral-medium-3', 'codestral-2'],
}

export const models: readonly ModelInfo[] = Object.entries(idsByPublisher).flatMap(([publisher, ids]) =>
  ids.map((id) => ({ id: publisher === 'google' ? id : `${publisher}/${id}`, owned_by: publisher })),
)
