/**
 * The texts of an earlier assistant message, part by part.
 * Errors: `invalid_body` for parts other than text.
 */
import type { JsonObject, SaidText } from '@gateway/contract'
import { contentParts, partText, saidContent } from './content.ts'
import { refusal } from './refusal.ts'

export function saidTexts(message: JsonObject, path: string, provider: string): SaidText[] {
  return contentParts(saidContent(message), path).map(({ part, path: at }) => {
    const text = partText(part)
    if (text === null) throw refusal(provider, `${at}/type`, 'only text is supported here')
    return { text, part }
  })
}
