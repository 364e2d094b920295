/** The initial content of the playground, passed in memory because bodies may be large and must not appear in URLs. */
import { navigate, root } from '../../router.tsx'
import { emptyStart, type Start } from './playground-from-log.ts'

let next: Start | null = null

export function openPlayground(start: Partial<Start>): void {
  next = { ...emptyStart, ...start }
  navigate(`${root}/playground`)
}

export function takeStart(): Start {
  const taken = next ?? emptyStart
  next = null
  return taken
}
