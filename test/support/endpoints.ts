/** The gateway's own endpoints by their ids, for tests of what they declare. */
import type { EndpointId, JsonObject, Phase, TextPart } from '@gateway/contract'
import type { StreamFormat } from '@gateway/contract/dialect'
import { endpointOf } from '#core/endpoints/index'
import { textParts as textPartsOf } from '#core/guardrails/input'

export const formatOf = (id: EndpointId): StreamFormat => endpointOf(id).format

export const textParts = (id: EndpointId, phase: Phase, body: JsonObject): TextPart[] =>
  textPartsOf(endpointOf(id), phase, body)
