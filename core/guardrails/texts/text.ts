/** The texts of a body as checks see them: all of them, those of the last message, or joined to one. */
import type { JsonObject, Phase, TextPart } from '@gateway/contract'
import { toolDefinition } from '../../endpoints/texts/tool-texts.ts'
import type { Endpoint } from '../../flow/endpoint.ts'

/**
 * Picks the parts of the last message: of a conversation, those of its last message (none when that holds only
 * images); of everything else, all but the definitions of tools. The choices of an answer are all its last message, so
 * that none goes unseen.
 */
export function lastParts(
  { conversation: list }: Pick<Endpoint, 'conversation'>,
  phase: Phase,
  body: JsonObject,
  parts: readonly TextPart[],
): readonly TextPart[] {
  if (phase === 'after') return parts
  const messages = list === null ? undefined : body[list]
  if (typeof messages === 'string') return parts.filter(({ path }) => path === `/${list}`)
  if (!Array.isArray(messages)) return parts.filter(({ role }) => role !== toolDefinition)
  const prefix = `/${list}/${messages.length - 1}/`
  return parts.filter((part) => part.path.startsWith(prefix))
}

/** Joins the texts of parts with newlines. */
export function joinTexts(parts: readonly TextPart[]): string {
  if (parts.length === 1) return parts[0]?.text ?? ''
  return parts.map((part) => part.text).join('\n')
}
