/**
 * The initial content of the playground. The address names the model, the config, the prompt and the workspace; the rest
 * is passed in memory, because bodies may be large and must not appear in URLs.
 */
import { withQuery } from '../../api.ts'
import { navigate, root } from '../../router.tsx'
import { emptyStart, type Start } from './playground-from-log.ts'
import type { Target } from './playground-target.tsx'

let next: Start | null = null

const named = ['model', 'config', 'prompt'] as const

/** A config as JSON stays out of the address. */
const nameOf = (text = ''): string | null => (text === '' || /[{\n]/.test(text) ? null : text)

/** What the address names of a target. */
export const linkedOf = (target: Partial<Target>): Record<(typeof named)[number], string | null> => ({
  model: nameOf(target.model),
  config: nameOf(target.config),
  prompt: nameOf(target.prompt),
})

export function openPlayground(start: Partial<Start>): void {
  next = { ...emptyStart, ...start }
  navigate(
    withQuery(`${root}/playground`, { ...linkedOf(next.target), workspace_id: nameOf(next.workspace) }),
  )
}

/** @param query of the address */
export function takeStart(query: URLSearchParams): Start {
  const linked = Object.fromEntries(
    named.flatMap((name) => (query.has(name) ? [[name, query.get(name)]] : [])),
  )
  const taken = next ?? { ...emptyStart, target: linked, workspace: query.get('workspace_id') ?? '' }
  next = null
  return taken
}
