/** The initial content of the playground, passed in memory because bodies may be large and must not appear in URLs. */
import { rowOf, rowsOf } from '../json.ts'
import { navigate, root } from '../router.tsx'
import type { Target } from './playground-target.tsx'

export interface Start {
  target: Partial<Target>
  system: string
  message: string
}

const empty: Start = { target: {}, system: '', message: '' }
let next: Start | null = null

const textOfContent = (content: unknown): string => {
  if (typeof content === 'string') return content
  return content === undefined || content === null ? '' : JSON.stringify(content)
}

/** Starts with a request of the log. */
export function playgroundStart(body: unknown): void {
  const {
    model,
    messages: sent,
    prompt,
    input,
    // The playground always streams.
    stream: _stream,
    stream_options: _options,
    ...parameters
  } = rowOf(body)
  const messages = rowsOf(sent)
  const system = messages.find(({ role }) => role === 'system')
  const last = messages.findLast(({ role }) => role === 'user') ?? messages.at(-1)
  openPlayground({
    target: {
      model: typeof model === 'string' ? model : '',
      parameters: Object.keys(parameters).length === 0 ? '' : JSON.stringify(parameters, null, 2),
    },
    system: textOfContent(system?.content),
    message: textOfContent(last === undefined ? (prompt ?? input) : last.content),
  })
}

export function openPlayground(start: Partial<Start>): void {
  next = { ...empty, ...start }
  navigate(`${root}/playground`)
}

export function takeStart(): Start {
  const taken = next ?? empty
  next = null
  return taken
}
