/** Finish reasons that a compatible provider adds to the format's own, mapped to those. */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

/** Maps the provider's reason to the format's. */
export type FinishReasons = Readonly<Record<string, string>>

/** The same answer or chunk with mapped reasons; the same object if no reason is mapped. */
export function mapFinishReasons(
  body: JsonObject,
  reasons: FinishReasons | undefined,
  strict: boolean,
): JsonObject {
  const { choices } = body
  if (reasons === undefined || !Array.isArray(choices)) return body
  if (!choices.some((choice) => reasonOf(choice, reasons) !== null)) return body
  return { ...body, choices: choices.map((choice) => mapChoice(choice, reasons, strict)) }
}

function mapChoice(choice: Json, reasons: FinishReasons, strict: boolean): Json {
  const reason = reasonOf(choice, reasons)
  if (reason === null || !isObject(choice)) return choice
  const extra = strict ? {} : { provider_finish_reason: choice.finish_reason }
  return { ...choice, finish_reason: reason, ...extra }
}

function reasonOf(choice: Json, reasons: FinishReasons): string | null {
  if (!isObject(choice) || typeof choice.finish_reason !== 'string') return null
  return Object.hasOwn(reasons, choice.finish_reason) ? (reasons[choice.finish_reason] ?? null) : null
}
