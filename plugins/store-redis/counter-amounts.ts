/** Amounts in the format of the counter scripts: see `sent` there. */
import type { CounterReading } from '@gateway/contract'

const units = 1e9

/** Parses a whole number, the negative of billionths, or a text. */
export function amountOf(sent: string | number | undefined): number {
  const number = Number(sent)
  return typeof sent === 'number' && number < 0 ? -number / units : number
}

export function readingAt(answer: readonly (string | number)[], at: number): CounterReading {
  return { used: amountOf(answer[at]), reserved: amountOf(answer[at + 1]) }
}
