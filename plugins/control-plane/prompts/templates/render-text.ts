/** Renders the text of a prompt version. Errors: {@link RenderError}, `PromptTextError` for a text that is not JSON messages. */
import { isObject, type Json } from '@gateway/contract'
import { type PromptKind, type PromptText, parseMessages, type Template } from '@gateway/domain'
import type { Rendering } from './render.ts'

/** How values are inserted into the texts of such a prompt. */
export const escapeFor = ({ type, isRaw }: PromptKind): ((text: string) => string) =>
  type === 'chat' && isRaw ? (text) => JSON.stringify(text).slice(1, -1) : (text) => text

/** Renders a prompt's text: messages of a chat, or one text. @throws RenderError, PromptTextError */
export function* renderPromptText(
  prompt: PromptText,
  kind: PromptKind,
  rendering: Rendering,
): Generator<void, Json, void> {
  if (prompt.kind === 'strings') return yield* renderStrings(prompt.messages, prompt.templates, rendering)
  const text = yield* rendering.render(prompt.template)
  return kind.type === 'chat' ? parseMessages(text) : text
}

function* renderStrings(
  value: Json,
  templates: ReadonlyMap<string, Template>,
  rendering: Rendering,
): Generator<void, Json, void> {
  if (typeof value === 'string') {
    const template = templates.get(value)
    return template === undefined ? value : yield* rendering.render(template)
  }
  if (Array.isArray(value)) {
    const items: Json[] = []
    for (const item of value) items.push(yield* renderStrings(item, templates, rendering))
    return items
  }
  if (!isObject(value)) return value
  const members: [string, Json][] = []
  for (const [key, member] of Object.entries(value))
    if (member !== undefined) members.push([key, yield* renderStrings(member, templates, rendering)])
  return Object.fromEntries(members)
}
