/**
 * The initial content of the playground. The address contains the model, config and prompt of each target, the
 * workspace, and the id of a logged request. Everything else is read from the log, because bodies may be large and must
 * not appear in URLs.
 */
import { type Row, withQuery } from '../../api.ts'
import { navigate, root } from '../../router.tsx'
import { emptyStart, type Start, startOfEntry } from './playground-from-log.ts'
import type { Target } from './playground-target.tsx'

/** The maximum number of targets that fit side by side. */
export const mostTargets = 4

const named = ['model', 'config', 'prompt'] as const

/** The first target's parameters are the names themselves; the second target's are `model2` and so on. */
const parameterOf = (name: (typeof named)[number], index: number) =>
  index === 0 ? name : `${name}${index + 1}`

/** A config in JSON is not put into the address. */
const nameOf = (text = ''): string | null => (text === '' || /[{\n]/.test(text) ? null : text)

/** The address parameters of the targets; null for those that are absent. */
export const linkedOf = (targets: readonly Partial<Target>[]): Record<string, string | null> => ({
  ...Object.fromEntries(
    Array.from({ length: mostTargets }, (_, index) =>
      named.map((name) => [parameterOf(name, index), nameOf(targets[index]?.[name])] as const),
    ).flat(),
  ),
  targets: targets.length > 1 ? String(targets.length) : null,
})

/** The number of targets in the address. */
const countIn = (query: URLSearchParams): number =>
  Math.min(mostTargets, Math.max(1, Math.trunc(Number(query.get('targets'))) || 1))

interface Place {
  target?: Partial<Target>
  workspace?: string
  /** The id of a logged request. */
  log?: string
}

export const openPlayground = ({ target = {}, workspace, log }: Place): void =>
  navigate(
    withQuery(`${root}/playground`, {
      ...linkedOf([target]),
      workspace_id: nameOf(workspace),
      log: log ?? null,
    }),
  )

/** The initial state of the playground. */
export interface Beginning extends Omit<Start, 'target'> {
  targets: readonly Partial<Target>[]
}

/**
 * Values in the address override logged ones.
 * @param query query of the address
 * @param entry the logged request in the address; null without one
 */
export function startOf(query: URLSearchParams, entry: Row | null): Beginning {
  const { target, ...logged } = entry === null ? emptyStart : startOfEntry(entry)
  const linked = (index: number): Partial<Target> =>
    Object.fromEntries(
      named.flatMap((name) => {
        const value = query.get(parameterOf(name, index))
        return value === null ? [] : [[name, value]]
      }),
    )
  return {
    ...logged,
    targets: Array.from({ length: countIn(query) }, (_, index) => ({ ...target, ...linked(index) })),
    workspace: query.get('workspace_id') ?? logged.workspace,
  }
}
