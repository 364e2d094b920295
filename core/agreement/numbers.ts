/** Finds the quantities of a text in their order, and its units without numbers. */
import { isMagnitude, numberWords, romanNumerals } from './number-words.ts'
import type { Token } from './tokens.ts'
import { currencies, unitsAfterNumbers, unitWords } from './units.ts'

export interface Quantities {
  /** Numbers with their units: `100 usd`. */
  numbers: string[]
  /** Units without a number. */
  units: string[]
  /** All tokens in order. Each quantity or unit is one text that begins with `#`. */
  words: string[]
}

export function quantitiesOf(tokens: readonly Token[]): Quantities {
  const found: Quantities = { numbers: [], units: [], words: [] }
  for (let at = 0; at < tokens.length; ) {
    const number = numberAt(tokens, at)
    if (number === null) {
      noteOther(found, tokens, at)
      at += 1
      continue
    }
    const unit = unitsAfterNumbers.get(tokens[number.end]?.text ?? '')
    const currency = currencies.get(tokens[at - 1]?.text ?? '')
    const quantity = [number.value, unit ?? currency ?? ''].join(' ').trim()
    found.numbers.push(quantity)
    found.words.push(`#${quantity}`)
    at = unit === undefined ? number.end : number.end + 1
  }
  return found
}

function noteOther({ units, words }: Quantities, tokens: readonly Token[], at: number): void {
  const token = tokens[at]
  if (token === undefined) return
  const unit = loneUnit(tokens, at)
  if (unit === undefined) {
    if (token.kind !== 'symbol') words.push(token.kind === 'end' ? '.' : token.text)
    return
  }
  units.push(unit)
  words.push(`#${unit}`)
}

/** A currency sign belongs to the number after it. */
function loneUnit(tokens: readonly Token[], at: number): string | undefined {
  const text = tokens[at]?.text ?? ''
  const currency = currencies.get(text)
  if (currency !== undefined) return tokens[at + 1]?.kind === 'number' ? undefined : currency
  return unitWords.get(text)
}

interface Found {
  value: string
  /** The index after it. */
  end: number
}

function numberAt(tokens: readonly Token[], at: number): Found | null {
  const token = tokens[at]
  if (token === undefined) return null
  if (token.kind === 'number') return withMagnitude(tokens, at)
  const roman = at > 0 ? romanNumerals.get(token.written) : undefined
  if (roman !== undefined) return { value: String(roman), end: at + 1 }
  return startsNumber(tokens, at) ? inWords(tokens, at) : null
}

/** Reads `1,000`, `1.5 million` or `1st`. Zeros are kept, because 3.10 may be a version. */
function withMagnitude(tokens: readonly Token[], at: number): Found {
  const text = tokens[at]?.text ?? ''
  const plain = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text)
    ? text.replace(/,/g, '')
    : /^-?\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?$/.test(text)
      ? text.replace(/\./g, '').replace(',', '.')
      : text.replace(/^(-?\d+),(\d+)$/, '$1.$2')
  const next = tokens[at + 1]?.text ?? ''
  if (/^(?:st|nd|rd|th)$/.test(next)) return { value: plain, end: at + 2 }
  const factor = isMagnitude(next) ? numberWords.get(next) : undefined
  if (factor === undefined || !/^-?\d+(?:\.\d+)?$/.test(plain)) return { value: plain, end: at + 1 }
  return { value: String(Number((Number(plain) * factor).toPrecision(15))), end: at + 2 }
}

const isOne = (text: string) => text === 'one' || text === 'a' || text === 'an'

/** `second` is also a unit; `one` and `a` are numbers only before a magnitude or a unit. */
function startsNumber(tokens: readonly Token[], at: number): boolean {
  const text = tokens[at]?.text ?? ''
  const next = tokens[at + 1]?.text ?? ''
  if (isOne(text)) return isMagnitude(next) || (text === 'one' && unitsAfterNumbers.has(next))
  if (text === 'second' && next === 'hand') return false
  if (text === 'second') return !/^(?:a|an|per|each|every|one|half)$/.test(tokens[at - 1]?.text ?? '')
  if (text === 'k' || text === 'mn' || text === 'bn') return false
  return numberWords.has(text)
}

/** Reads `two hundred and fifty` or `twenty-five`. */
function inWords(tokens: readonly Token[], at: number): Found {
  let [total, current, end] = [0, 0, at]
  for (; end < tokens.length; end++) {
    const text = tokens[end]?.text ?? ''
    const value = isOne(text) && end === at ? 1 : numberWords.get(text)
    if (value === undefined) {
      const isJoined = /^(?:and|und|et|y|e)$/.test(text) && current >= 100 && startsNumber(tokens, end + 1)
      if (!isJoined) break
    } else if (isMagnitude(text)) {
      if (value < 1000) current = Math.max(1, current) * value
      else {
        total += Math.max(1, current) * value
        current = 0
      }
    } else if (end > at && !fits(current, value)) break
    else current += value
  }
  return { value: String(total + current), end }
}

/** Whether a smaller number continues this one: 5 continues 20, but 12 and 3 do not. */
const fits = (current: number, value: number): boolean =>
  value < 10 ? current % 10 === 0 && current % 100 !== 10 : value < 100 && current % 100 === 0
