/**
 * Custom tools, whose input is free text: at a chat provider each is a function with one string, `input`. What the model
 * writes as the arguments is read piece by piece, so that the input streams as the text that it is.
 * Reference: https://platform.openai.com/docs/api-reference/responses/create, `tools`
 */
import { isObject, type JsonObject, parseJson } from '@gateway/contract'

/** The function that stands for a custom tool. A grammar can only be described: no chat API enforces one. */
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
  /** What is left at the end. */
  end(): string
}

const opening = /^\s*\{\s*"input"\s*:\s*"/
/** Arguments that have not opened the input by then are read whole. */
const longestOpening = 100

/** Reads `{"input": "…"}` as it grows. Other arguments are the input themselves. */
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
/** What cannot be the beginning of a low half. */
const other = '[^\\\\]|\\\\[^u]|\\\\u(?:[^dD]|[dD][^c-fC-F])'

/** Up to the quote that ends the text or an escape that is not complete; both halves of a surrogate pair stay together. */
const wholeCharacters = new RegExp(
  `^(?:[^"\\\\]+|${highHalf}(?:${lowHalf}|(?=${other}))|\\\\u(?![dD][89abAB])[\\dA-Fa-f]{4}|\\\\[^u])*`,
)

/** The beginning of an escape, at which an answer ended. */
const isCutOff = /^(?:\\u[\dA-Fa-f]{0,4})?\\?(?:u[\dA-Fa-f]{0,3})?$/

const controls: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Models write line breaks as they are, too. */
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

/** The input of arguments that are there as a whole. */
export function inputOf(written: string): string {
  const reader = createInputReader()
  return reader.add(written) + reader.end()
}
