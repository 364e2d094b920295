/**
 * The estimated usage of lines, summed per model: ⌈bytes of input text ÷ 4⌉ tokens, plus their maximum output.
 */
import { type BatchNeed, isObject, type Json, type JsonObject } from '@gateway/contract'
import { checkLines } from '../runner/check-lines.ts'

export interface Needs {
  add(body: JsonObject): void
  all(): BatchNeed[]
}

/** Usage of further models is added to that of the last one. */
const maxModels = 1000

/** @param model the model of lines without a model, or null */
export function createNeeds(model: string | null): Needs {
  const perModel = new Map<string, BatchNeed>()
  return {
    add(body) {
      const asked = typeof body.model === 'string' ? body.model : (model ?? '')
      const name =
        perModel.size < maxModels || perModel.has(asked) ? asked : ([...perModel.keys()].at(-1) ?? '')
      const sums = perModel.get(name) ?? { model: name, lines: 0, inputTokens: 0, maxOutputTokens: 0 }
      sums.lines += 1
      sums.inputTokens += Math.ceil(textBytes(body) / 4)
      sums.maxOutputTokens += outputTokens(body)
      perModel.set(name, sums)
    },
    all: () => [...perModel.values()],
  }
}

export interface ReadNeeds {
  endpoint: string
  maxLineBytes: number
  model: string | null
}

/** The estimate for the valid lines of a file. */
export async function readNeeds(
  source: AsyncIterable<Uint8Array>,
  { endpoint, maxLineBytes, model }: ReadNeeds,
): Promise<BatchNeed[]> {
  const needs = createNeeds(model)
  await checkLines(source, { endpoint, maxLineBytes, each: ({ body }) => needs.add(body) })
  return needs.all()
}

/** The bytes of the conversation, the prompt or the input, without settings. */
function textBytes({ messages, system, prompt, input, instructions }: JsonObject): number {
  return [messages, system, prompt, input, instructions].reduce<number>(
    (sum, value) => sum + bytesOf(value ?? null),
    0,
  )
}

function bytesOf(value: Json): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + bytesOf(one), 0)
  if (!isObject(value)) return 0
  return Object.entries(value).reduce(
    (sum, [name, one]) => (name === 'role' ? sum : sum + bytesOf(one ?? null)),
    0,
  )
}

function outputTokens({ max_completion_tokens: most, max_tokens: older, n }: JsonObject): number {
  const tokens = typeof most === 'number' ? most : typeof older === 'number' ? older : 0
  return tokens * (typeof n === 'number' ? n : 1)
}
