/** The texts of requests, and the tokens that the echo counts: words with the preceding space. */
import { isObject, type Json } from '@gateway/contract'

/** The text of a message's content, in either form. */
export function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : ''))
    .filter((text) => text !== '')
    .join('\n')
}

export function tokensOf(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? []
}

/** Truncates a text to a number of tokens and before the first stop sequence. */
export function limitText(
  text: string,
  maxTokens: number | null,
  stop: Json | undefined,
): { text: string; finish: string } {
  const stops = (typeof stop === 'string' ? [stop] : Array.isArray(stop) ? stop : []).filter(
    (sequence): sequence is string => typeof sequence === 'string' && sequence !== '',
  )
  const ends = stops.map((sequence) => text.indexOf(sequence)).filter((at) => at !== -1)
  const whole = ends.length === 0 ? text : text.slice(0, Math.min(...ends))
  const tokens = tokensOf(whole)
  if (maxTokens === null || tokens.length <= maxTokens) return { text: whole, finish: 'stop' }
  return { text: tokens.slice(0, maxTokens).join(''), finish: 'length' }
}

/** The first value that is a number. */
export function firstNumber(...values: (Json | undefined)[]): number | null {
  return values.find((value): value is number => typeof value === 'number') ?? null
}

export const seconds = (milliseconds: number) => Math.floor(milliseconds / 1000)

export function usageOf(promptTokens: number, completionTokens: number) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  }
}
