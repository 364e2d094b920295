/**
 * `default.webhook`: calls the user's HTTP endpoint for the verdict. It receives the request, the answer and the
 * metadata, and only the headers in the parameters: no credential of the request is sent. A timeout, a status other
 * than 2xx and an unreadable answer are errors, not verdicts.
 */
import { type Check, type CheckInput, isObject, type Transformation } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import {
  checkHeaders,
  checkURL,
  endpointHeaders,
  endpointTimeout,
  endpointURL,
  eventOf,
} from './shared/endpoint-call.ts'
import type { Filled } from './shared/parameters.ts'

const parameters = Type.Object(
  {
    webhookURL: endpointURL(
      'The endpoint to call with POST. Private addresses must be among the trusted hosts.',
    ),
    headers: endpointHeaders,
    timeout: endpointTimeout,
  },
  { additionalProperties: false },
)

export const webhook: Check<Filled<typeof parameters>> = {
  id: 'webhook',
  title: 'Webhook',
  description:
    'Sends {request: {json, text}, response: {json, text, status}, provider, requestType, metadata, eventType} and ' +
    'expects {verdict, data?, transformedData?: {request?: {json}, response?: {json}}}. ' +
    'A transformed body replaces the one that the hook checks; for a streamed answer only in a hook with deny: true, ' +
    'because otherwise the answer is already being sent.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ webhookURL, headers, timeout }) {
    checkURL('webhookURL', webhookURL)
    checkHeaders(headers)
    return {
      async run(input, io) {
        const answer = await io.fetchJson({
          method: 'POST',
          url: webhookURL,
          headers,
          json: eventOf(input),
          timeoutMs: timeout,
        })
        if (answer.status < 200 || answer.status > 299)
          throw new Error(`the webhook answered with status ${answer.status}`)
        if (!isObject(answer.json) || typeof answer.json.verdict !== 'boolean')
          throw new Error('the webhook’s answer has no boolean verdict')
        const { verdict, data, transformedData } = answer.json
        return { verdict, data, transformed: transformationOf(transformedData, input) }
      },
    }
  },
}

function transformationOf(transformedData: unknown, { phase }: CheckInput): Transformation | undefined {
  if (transformedData === undefined || transformedData === null) return undefined
  const subject = phase === 'before' ? 'request' : 'response'
  if (!isObject(transformedData)) throw new Error('the webhook’s transformedData is not an object')
  const given = transformedData[subject]
  if (given === undefined || given === null) return undefined
  if (!isObject(given) || !isObject(given.json))
    throw new Error(`the webhook’s transformedData.${subject}.json is not an object`)
  return { json: given.json }
}
