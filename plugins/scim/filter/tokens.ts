/** Splits a filter into tokens: https://www.rfc-editor.org/rfc/rfc7644#section-3.4.2.2 */
import { invalid } from '../protocol/errors.ts'

export interface Token {
  kind: 'word' | 'text' | 'number' | 'sign'
  /** For a string, the content between the quotes with escapes decoded. */
  text: string
  /** Whether it follows the previous token without a space. */
  isClose: boolean
}

const pattern =
  /(\s*)(?:("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w:.$-])|([A-Za-z$][\w:.$-]*)|(\.[\w$-]+)|([()[\]]))/y

export function tokensOf(filter: string): Token[] {
  const tokens: Token[] = []
  pattern.lastIndex = 0
  for (let at = 0; at < filter.length; at = pattern.lastIndex) {
    pattern.lastIndex = at
    const found = pattern.exec(filter)
    if (found === null) {
      if (filter.slice(at).trim() === '') break
      throw invalid('invalidFilter', `The filter has an unexpected character at position ${at + 1}.`)
    }
    const [, space = '', text, number, word, behind, sign] = found
    const isClose = space === '' && tokens.length > 0
    if (text !== undefined) tokens.push({ kind: 'text', text: unquoted(text, at), isClose })
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, isClose })
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign, isClose })
    else tokens.push({ kind: 'word', text: word ?? behind ?? '', isClose })
  }
  return tokens
}

function unquoted(text: string, at: number): string {
  try {
    return String(JSON.parse(text))
  } catch {
    throw invalid('invalidFilter', `The string at position ${at + 1} of the filter must be valid JSON.`)
  }
}
