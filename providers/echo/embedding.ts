/** Embeddings: unit vectors derived from hashes, equal for equal texts and otherwise without meaning. */
import { createHash } from 'node:crypto'
import type { Json, JsonObject, ProcedureAnswer } from '@gateway/contract'
import { firstNumber, tokensOf } from './text.ts'

const defaultDimensions = 64
const maxDimensions = 8192

export async function embed(body: JsonObject): Promise<ProcedureAnswer> {
  const inputs = inputsOf(body.input)
  const dimensions = Math.min(firstNumber(body.dimensions) ?? defaultDimensions, maxDimensions)
  const data = inputs.map((input, index) => {
    const vector = vectorOf(input, dimensions)
    const embedding = body.encoding_format === 'base64' ? toBase64(vector) : vector
    return { object: 'embedding', index, embedding }
  })
  const tokens = inputs.reduce((sum, input) => sum + tokensOf(input).length, 0)
  const usage = { prompt_tokens: tokens, total_tokens: tokens }
  return {
    status: 200,
    headers: {},
    body: { object: 'list', data, model: body.model ?? null, usage },
    stream: null,
  }
}

function inputsOf(input: Json | undefined): string[] {
  if (!Array.isArray(input)) return [String(input ?? '')]
  if (input.every((item) => typeof item === 'number')) return [input.join(' ')]
  return input.map((item) => (Array.isArray(item) ? item.join(' ') : String(item)))
}

function vectorOf(text: string, dimensions: number): number[] {
  const values: number[] = []
  for (let block = 0; values.length < dimensions; block += 1) {
    const digest = createHash('sha256').update(`${block}:${text}`).digest()
    for (let at = 0; at < digest.length && values.length < dimensions; at += 4) {
      values.push(digest.readInt32LE(at) / 2 ** 31)
    }
  }
  const length = Math.hypot(...values)
  return values.map((value) => Math.fround(value / length))
}

/** Little-endian 32-bit floats, as in the compatible format. */
function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4)
  return bytes.toString('base64')
}
