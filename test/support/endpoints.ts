/** All endpoints of a checkout, for tests of their declarations. */
import type { EndpointId, JsonObject, Phase, TextPart } from '@gateway/contract'
import type { StreamFormat } from '@gateway/contract/dialect'
import { endpointsWith } from '#core/endpoints/index'
import { textParts as textPartsOf } from '#core/guardrails/input'
import gemini from '#dialect-gemini/index'
import messages from '#dialect-messages/index'
import responses from '#dialect-responses/index'
import realtime from '#realtime/index'

export const endpoints = endpointsWith([gemini, messages, responses, realtime])

export function endpointOf(id: EndpointId): (typeof endpoints)[number] {
  const endpoint = endpoints.find((one) => one.id === id)
  if (endpoint === undefined) throw new Error(`No endpoint is declared with the id ${id}.`)
  return endpoint
}

export const formatOf = (id: EndpointId): StreamFormat => endpointOf(id).format

export const textParts = (id: EndpointId, phase: Phase, body: JsonObject): TextPart[] =>
  textPartsOf(endpointOf(id), phase, body)
