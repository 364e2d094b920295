/**
 * Passes texts whose risk score from the service is below a limit. Reference: name the service's documentation here.
 */
import type { Check } from '@gateway/contract'
import { type Static, Type } from '@sinclair/typebox'
import { askService } from './ask-service.ts'
import type { Settings } from './settings.ts'

const parameters = Type.Object(
  {
    max: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, default: 0.5, description: 'The highest risk that passes.' }),
    ),
    timeout: Type.Optional(
      Type.Integer({
        minimum: 100,
        maximum: 30_000,
        default: 3000,
        description: 'How long one call of the service may take, in milliseconds.',
      }),
    ),
  },
  { additionalProperties: false },
)

export const riskBelow: Check<Static<typeof parameters>, Settings> = {
  id: 'riskBelow',
  title: 'Risk below a limit',
  description: 'Passes when the service rates the risk of the text no higher than `max`.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  // Called once per config, with the plugin's settings.
  prepare: ({ max = 0.5, timeout = 3000 }, { baseUrl, apiKey }) => ({
    // Called once per request. An exception is an error of the check, never a verdict.
    async run(input, io) {
      if (input.text === '') return { verdict: true }
      const { json } = await askService(io, {
        method: 'POST',
        url: `${baseUrl}/v1/score`,
        headers: { authorization: `Bearer ${apiKey}` },
        json: { text: input.text },
        timeoutMs: timeout,
      })
      const risk = riskOf(json)
      return { verdict: risk <= max, data: { risk, max } }
    },
  }),
}

/** Validate the answer: a guard must not pass an answer that it does not understand. */
function riskOf(json: unknown): number {
  if (typeof json === 'object' && json !== null && 'risk' in json && typeof json.risk === 'number')
    return json.risk
  throw new Error('The service returned no risk.')
}
