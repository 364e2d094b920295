/**
 * Images in Stability AI's answers, and its errors: `{id, name, errors: [text]}` (v2beta) and `{id, name, message}`
 * (v1).
 * Reference: https://platform.stability.ai/docs/api-reference
 * Errors: `upstream_invalid_response` for an answer without an image.
 */
import { type CallContext, GatewayError, type JsonObject, type UpstreamError } from '@gateway/contract'
import { imageData } from '@gateway/provider-kit'

export interface Artifact {
  /** Base64; null when the answer contains none. */
  image: string | null
  finishReason: string | null
  seed: number | null
}

/** Reads one image with the member names of the version. */
export function artifact(body: JsonObject, image: string, finishReason: string): Artifact {
  const [bytes, reason] = [body[image], body[finishReason]]
  return {
    image: typeof bytes === 'string' && bytes !== '' ? bytes : null,
    finishReason: typeof reason === 'string' ? reason : null,
    seed: typeof body.seed === 'number' ? body.seed : null,
  }
}

/** The unified answer. */
export function artifactsAnswer(artifacts: readonly Artifact[], context: CallContext): JsonObject {
  const data = artifacts.flatMap((each) => {
    if (each.image === null) return []
    return [{ ...imageData(each.image, context.request), ...filtered(each), ...extras(each, context) }]
  })
  if (data.length === 0) {
    throw new GatewayError('upstream_invalid_response', 'The provider answered without an image.')
  }
  return { created: Math.floor(context.now() / 1000), data }
}

function filtered({ finishReason }: Artifact): JsonObject {
  return finishReason === 'CONTENT_FILTERED' ? { finish_reason: 'content_filter' } : {}
}

function extras({ seed, finishReason }: Artifact, { strict }: CallContext): JsonObject {
  if (strict) return {}
  return {
    ...(seed === null ? {} : { seed }),
    ...(finishReason === null ? {} : { provider_finish_reason: finishReason }),
  }
}

/** Reads an error body; null when it is not one. */
export function stabilityError(status: number, body: JsonObject): UpstreamError | null {
  const { errors, message, name } = body
  const texts = (Array.isArray(errors) ? errors : [message]).filter((text) => typeof text === 'string')
  if (texts.length === 0) return null
  const code = typeof name === 'string' && name !== '' ? name : 'upstream_error'
  return { status, message: texts.join('; '), type: 'upstream_error', param: null, code }
}
