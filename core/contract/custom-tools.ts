/**
 * Custom tools, whose input is free text. A chat provider gets each as a function with one string parameter, `input`. The
 * arguments that the model writes are parsed incrementally, which streams the input as text.
 * Reference: https://platform.openai.com/docs/api-reference/responses/create, `tools`
 */
import { isObject, type JsonObject, parseJson } from './json.ts'

/** The function that represents a custom tool. A grammar can only be described: no chat API enforces one. */
export function customFunction({ description, format }: JsonObject): JsonObject {
  const texts = [typeof description === 'string' ? description : '', grammarOf(format)]
  const told = texts.filter((text) => text !== '').join('\n\n')
  return {
    ...(told === '' ? {} : { description: told }),
    parameters: {
      type: 'object',
      properties: { input: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
      required: ['input'],
      additionalProperties: false,
    },
  }
}

function grammarOf(format: JsonObject[string]): string {
  if (!isObject(format) || format.type !== 'grammar') return ''
  const kind = format.syntax === 'regex' ? 'regular expression' : 'Lark grammar'
  return `The input must match this ${kind}:\n${String(format.definition)}`
}

export const customArguments = (input: string): string => JSON.stringify({ input })

export interface InputReader {
  /** The text that these arguments add to the input. */
  add(written: string): string
  /** The remaining text at the end. */
  end(): string
}

const opening = /^\s*\{\s*"input"\s*:\s*"/
/** Arguments whose input has not begun within this many characters are parsed only when complete. */
const longestOpening = 100

/** Reads `{"input": "…"}` as it grows. Arguments in any other form are used as the input unchanged. */
export function createInputReader(): InputReader {
  let state: 'before' | 'inside' | 'behind' = 'before'
  let pending = ''

  function read(): string {
    if (state === 'before') {
      const [begun] = (pending.length <= longestOpening && opening.exec(pending)) || []
      if (begun === undefined) return ''
      pending = pending.slice(begun.length)
      state = 'inside'
    }
    if (state === 'behind') return ''
    const [written = ''] = wholeCharacters.exec(pending) ?? []
    const isEnded = pending[written.length] === '"'
    pending = pending.slice(written.length)
    if (isEnded) state = 'behind'
    return decode(written)
  }

  return {
    add(written) {
      pending += written
      return read()
    },
    end() {
      if (state === 'before') return wholeInput(pending)
      return state === 'behind' || isCutOff.test(pending) ? '' : pending
    },
  }
}

const highHalf = '\\\\u[dD][89abAB][\\dA-Fa-f]{2}'
const lowHalf = '\\\\u[dD][c-fC-F][\\dA-Fa-f]{2}'
/** A character that cannot continue a surrogate pair. */
const other = '[^\\\\]|\\\\[^u]|\\\\u(?:[^dD]|[dD][^c-fC-F])'

/** The text up to its closing quote or an incomplete escape; both halves of a surrogate pair stay together. */
const wholeCharacters = new RegExp(
  `^(?:[^"\\\\]+|${highHalf}(?:${lowHalf}|(?=${other}))|\\\\u(?![dD][89abAB])[\\dA-Fa-f]{4}|\\\\[^u])*`,
)

/** An escape sequence cut off at the end of an answer. */
const isCutOff = /^(?:\\u[\dA-Fa-f]{0,4})?\\?(?:u[\dA-Fa-f]{0,3})?$/

const controls: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Models also write unescaped line breaks. */
function decode(written: string): string {
  const escaped = written.replace(/[\n\r\t]/g, (control) => controls[control] ?? '')
  const text = parseJson(`"${escaped}"`)
  return typeof text === 'string' ? text : written
}

function wholeInput(written: string): string {
  const parsed = parseJson(written)
  if (isObject(parsed) && typeof parsed.input === 'string') return parsed.input
  return typeof parsed === 'string' ? parsed : written
}

/** The input in complete arguments. */
export function inputOf(written: string): string {
  const reader = createInputReader()
  return reader.add(written) + reader.end()
}
