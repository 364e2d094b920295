/**
 * The engines of v1: JSON in, JSON with one or more images out.
 * Reference: https://platform.stability.ai/docs/api-reference#tag/SDXL-1.0-and-SD1.6
 * Errors: `upstream_invalid_response` for an answer without an image.
 */
import { type Dialect, isObject, type Json, type JsonObject } from '@gateway/contract'
import { parseSize } from '@gateway/provider-kit'
import { artifact, artifactsAnswer, stabilityError } from './artifacts.ts'

/** Fields of the endpoint that are forwarded; others are dropped. */
const fields = [
  'width',
  'height',
  'cfg_scale',
  'clip_guidance_preset',
  'sampler',
  'steps',
  'seed',
  'style_preset',
  'extras',
] as const

export const engineImage: Dialect = {
  name: 'stability-engine',
  request,
  answer(body, context) {
    const list = Array.isArray(body.artifacts) ? body.artifacts.flat(1) : []
    const artifacts = list.filter(isObject).map((each) => artifact(each, 'base64', 'finishReason'))
    return artifactsAnswer(artifacts, context)
  },
  error: stabilityError,
}

function request(body: JsonObject): JsonObject {
  const given = fields.flatMap((field) => (isGiven(body[field]) ? [[field, body[field]] as const] : []))
  return {
    text_prompts: promptsOf(body),
    ...(typeof body.n === 'number' ? { samples: body.n } : {}),
    ...lengths(body),
    ...Object.fromEntries(given),
  }
}

const isGiven = (value: Json | undefined) => value !== undefined && value !== null

/** The negative prompt is a prompt with negative weight. */
function promptsOf({ prompt, negative_prompt: negative }: JsonObject): Json[] {
  const wanted = { text: typeof prompt === 'string' ? prompt : '', weight: 1 }
  return typeof negative === 'string' && negative !== '' ? [wanted, { text: negative, weight: -1 }] : [wanted]
}

function lengths({ size }: JsonObject): JsonObject {
  const read = typeof size === 'string' ? parseSize(size) : null
  return read === null ? {} : { width: read.width, height: read.height }
}
