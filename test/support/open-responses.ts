/**
 * Validates answers and events of `/v1/responses` against the published schemas of Open Responses
 * (`test/conformance/open-responses.schema.json`, version 2026-04-24).
 */
import { readFileSync } from 'node:fs'
import type { JsonObject } from '@gateway/contract'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

interface Published {
  $defs: JsonObject
  response: JsonObject
  compaction: JsonObject
  inputTokens: JsonObject
  events: Record<string, JsonObject>
}

// This file is test/dist/support/open-responses.js.
const path = new URL('../../conformance/open-responses.schema.json', import.meta.url)
const published = JSON.parse(readFileSync(path, 'utf8')) as Published
const ajv = new Ajv2020({ allErrors: true, strict: false, discriminator: true })
const compiled = new Map<string, ValidateFunction>()

function faults(name: string, schema: JsonObject | undefined, value: unknown): string[] {
  if (schema === undefined) return [`${name}: no such event`]
  const validate = compiled.get(name) ?? ajv.compile({ ...schema, $defs: published.$defs })
  compiled.set(name, validate)
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${name}${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

/** The errors of a whole answer. */
export const responseFaults = (answer: unknown): string[] => faults('response', published.response, answer)

export const compactionFaults = (answer: unknown): string[] =>
  faults('compaction', published.compaction, answer)

export const inputTokensFaults = (answer: unknown): string[] =>
  faults('inputTokens', published.inputTokens, answer)

/** The errors of the events of a stream, including a missing `data: [DONE]` after the last one. */
export function streamFaults(text: string): string[] {
  const events = text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => line.slice('data: '.length))
  const found = events.pop() === '[DONE]' ? [] : ['the stream does not end with [DONE]']
  return [
    ...found,
    ...events.flatMap((data) => {
      const event = JSON.parse(data) as JsonObject
      const name = String(event.type)
      // The gateway's own event for results of guardrails, which clients of the format skip.
      return name === 'keepalive' ? [] : faults(name, published.events[name], event)
    }),
  ]
}
