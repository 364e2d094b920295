/** Plans and displays the changes that a connection makes to an agent's files. */
import { isSecretName } from '@gateway/domain'
import { type AgentFile, type Setting, settingsOf, type Values } from './agents.ts'
import type { Path } from './formats/format.ts'
import { formats } from './formats/index.ts'

interface Change {
  path: Path
  /** The value as written in the file; null if the file had none. */
  before: string | null
  after: string
  isKey: boolean
}

export interface FilePlan {
  file: AgentFile
  /** The text; null if the file does not exist. */
  before: string | null
  after: string
  changes: readonly Change[]
}

/** Throws if the file cannot be parsed or edited. */
export function planOf(file: AgentFile, before: string | null, values: Values): FilePlan {
  const format = formats[file.format]
  let after = before ?? ''
  const changes: Change[] = []
  for (const setting of settingsOf(file, values)) {
    const { path, value, isKey } = setting
    const known = format.read(after, path)
    const raw = format.raw(value)
    if (known === raw || (known !== null && isKept(file, setting))) continue
    after = format.write(after, path, raw)
    changes.push({ path, before: known, after: raw, isKey })
  }
  return { file, before, after, changes }
}

const isKept = ({ keeps = [] }: AgentFile, { path }: Setting) => keeps.includes(path[0] ?? '')

/** The key that a file has, if it was written by an earlier connection. */
export function keyIn(file: AgentFile, text: string, values: Values): string | null {
  const setting = settingsOf(file, values).find(({ isKey }) => isKey)
  const raw = setting === undefined ? null : formats[file.format].read(text, setting.path)
  return raw === null ? null : raw.replace(/^['"]|['"]$/g, '')
}

export const overwrites = (plans: readonly FilePlan[]): boolean =>
  plans.some(({ changes }) => changes.some(({ before }) => before !== null))

export const masked = (key: string) => (key.length < 16 ? '…' : `${key.slice(0, 6)}…${key.slice(-4)}`)

/** The changes as lines with `-` and `+`; secrets are masked. */
export function diffOf({ changes }: FilePlan): string {
  return changes
    .flatMap(({ path, before, after, isKey }) => {
      const name = path.join('.')
      const isSecret = isKey || isSecretName(path.at(-1) ?? '', path.slice(0, -1))
      const shown = (raw: string) => (isSecret ? masked(raw.replace(/^['"]|['"]$/g, '')) : raw)
      return [
        ...(before === null ? [] : [`  - ${name}: ${shown(before)}\n`]),
        `  + ${name}: ${shown(after)}\n`,
      ]
    })
    .join('')
}
