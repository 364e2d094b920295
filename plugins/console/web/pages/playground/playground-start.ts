/**
 * The initial content of the playground. The address names the model, the config, the prompt, the workspace and the logged
 * request from which the rest is read, because bodies may be large and must not appear in URLs.
 */
import { type Row, withQuery } from '../../api.ts'
import { navigate, root } from '../../router.tsx'
import { emptyStart, type Start, startOfEntry } from './playground-from-log.ts'
import type { Target } from './playground-target.tsx'

const named = ['model', 'config', 'prompt'] as const

/** A config as JSON stays out of the address. */
const nameOf = (text = ''): string | null => (text === '' || /[{\n]/.test(text) ? null : text)

/** What the address names of a target. */
export const linkedOf = (target: Partial<Target>): Record<(typeof named)[number], string | null> => ({
  model: nameOf(target.model),
  config: nameOf(target.config),
  prompt: nameOf(target.prompt),
})

interface Place {
  target?: Partial<Target>
  workspace?: string
  /** The id of a logged request. */
  log?: string
}

export const openPlayground = ({ target = {}, workspace, log }: Place): void =>
  navigate(
    withQuery(`${root}/playground`, {
      ...linkedOf(target),
      workspace_id: nameOf(workspace),
      log: log ?? null,
    }),
  )

/**
 * What the address names takes the place of what was logged.
 * @param query of the address
 * @param entry the logged request that it names; null: it names none
 */
export function startOf(query: URLSearchParams, entry: Row | null): Start {
  const logged = entry === null ? emptyStart : startOfEntry(entry)
  const linked = Object.fromEntries(
    named.flatMap((name) => (query.has(name) ? [[name, query.get(name)]] : [])),
  )
  return {
    ...logged,
    target: { ...logged.target, ...linked },
    workspace: query.get('workspace_id') ?? logged.workspace,
  }
}
