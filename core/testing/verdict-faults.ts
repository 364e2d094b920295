/** Errors of a check's result: its shape, and quotations of the text. */
import { isObject, type Json, type JsonObject, type Verdict } from '@gateway/contract'

/** Larger results make answers and logs unreadable: a check lists the first matches and counts the rest. */
const maxDataChars = 65_536

/** This many consecutive characters are a quotation; fewer may match by chance. */
const quotedChars = 16
/** A shorter text counts as quoted when it appears completely, unless it is shorter than this. */
const shortestQuote = 8

/**
 * Checks that a check returned a verdict.
 * @throws Error that says what is wrong
 */
export function assertVerdict(value: unknown): asserts value is Verdict {
  const fault = faultOfVerdict(value)
  if (fault !== null) throw new Error(`The check gave no verdict: ${fault}.`)
}

function faultOfVerdict(value: unknown): string | null {
  if (!isObject(value)) return `${typeOf(value)} instead of { verdict }`
  if (typeof value.verdict !== 'boolean') return 'verdict is neither true nor false'
  const written = write(value.data)
  if (written === null) return 'data cannot be written as JSON'
  if (written.length > maxDataChars) return `data has more than ${maxDataChars} characters`
  const { transformed } = value as { transformed?: unknown }
  if (transformed === undefined || (isObject(transformed) && isObject(transformed.json))) return null
  const texts = isObject(transformed) ? (transformed as { texts?: unknown }).texts : undefined
  const isTexts = texts instanceof Map && [...texts].flat().every((item) => typeof item === 'string')
  return isTexts ? null : 'transformed is neither { texts: Map of path to text } nor { json: object }'
}

const typeOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value)

function write(data: unknown): string | null {
  try {
    return JSON.stringify(data ?? null) ?? null
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

/**
 * Finds a piece of the texts in a result's data; null when nothing is quoted. Texts in the parameters are allowed: the
 * config's author knows them.
 */
export function quotationIn(
  data: unknown,
  texts: readonly string[],
  parameters: JsonObject = {},
): string | null {
  const known = stringsOf(parameters as Json).join('\n')
  for (const said of stringsOf(JSON.parse(write(data) ?? 'null') as Json)) {
    for (const text of texts) {
      const found = quotation(said, text)
      if (found !== null && !known.includes(found)) return found
    }
  }
  return null
}

function quotation(said: string, text: string): string | null {
  if (text.length < quotedChars) return text.length >= shortestQuote && said.includes(text) ? text : null
  for (let start = 0; start + quotedChars <= said.length; start += 1) {
    const piece = said.slice(start, start + quotedChars)
    if (text.includes(piece)) return piece
  }
  return null
}

/** Every string in a value, including member names. */
function stringsOf(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  const names = Array.isArray(value) ? [] : Object.keys(value)
  return [...names, ...Object.values(value).flatMap(stringsOf)]
}
