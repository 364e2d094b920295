/**
 * `default.log`: sends request, answer and metadata to the user's HTTP endpoint; the verdict is true. Only the headers
 * in the parameters are sent, none of the request's. An endpoint that does not accept the event (a timeout, a status
 * other than 2xx) is an error: with `fail_closed`, every request is logged.
 */
import type { Check } from '@gateway/contract'
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
    logURL: endpointURL('The endpoint to call with POST. Private addresses must be among the trusted hosts.'),
    headers: endpointHeaders,
    timeout: endpointTimeout,
  },
  { additionalProperties: false },
)

export const log: Check<Filled<typeof parameters>> = {
  id: 'log',
  title: 'Log to an endpoint',
  description:
    'Sends {request: {json, text}, response: {json, text, status}, provider, requestType, metadata, eventType} and ' +
    'passes. In a hook with async: true the request does not wait for it.',
  kind: 'guardrail',
  phases: ['after'],
  parameters,
  prepare({ logURL, headers, timeout }) {
    checkURL('logURL', logURL)
    checkHeaders(headers)
    return {
      async run(input, io) {
        const { status } = await io.fetchJson({
          method: 'POST',
          url: logURL,
          headers,
          json: eventOf(input),
          timeoutMs: timeout,
        })
        if (status < 200 || status > 299) throw new Error(`the log endpoint answered with status ${status}`)
        return { verdict: true, data: { status } }
      },
    }
  },
}
