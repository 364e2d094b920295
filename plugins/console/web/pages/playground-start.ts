/** What the playground begins with: handed over in memory, as a body may be large and is nobody's to see in a URL. */
import type { Json } from '../api.ts'
import { navigate, root } from '../router.tsx'

export interface Start {
  model: string
  message: string
}

let next: Start | null = null

const textOfContent = (content: Json | undefined): string => {
  if (typeof content === 'string') return content
  return content === undefined || content === null ? '' : JSON.stringify(content)
}

export function playgroundStart(body: Json): void {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
    const messages = Array.isArray(body.messages) ? body.messages : []
    const last = messages.at(-1)
    const content =
      typeof last === 'object' && last !== null && !Array.isArray(last)
        ? last.content
        : (body.prompt ?? body.input)
    next = { model: String(body.model ?? ''), message: textOfContent(content) }
  }
  navigate(`${root}/playground`)
}

export function takeStart(): Start {
  const taken = next ?? { model: '', message: '' }
  next = null
  return taken
}
