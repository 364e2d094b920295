/** The coding agents that `gateway connect` knows: data of `templates/agents.yaml`, with the values of one connection. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import type { Path } from './formats/format.ts'
import type { FormatName } from './formats/index.ts'

type Settings = { [name: string]: string | number | boolean | readonly string[] | Settings }

export interface AgentFile {
  /** The path below the home folder. */
  file: string
  format: FormatName
  settings: Settings
  /** Outermost names that are written only if they are missing. */
  keeps?: readonly string[]
}

export interface Agent {
  title: string
  files: readonly AgentFile[]
  /** Whether it knows or calls models by their plain names only: the provider is in the default config of the key. */
  plainModel?: boolean
  needsModel?: boolean
  /** The next step for the user. */
  next: string
}

export interface Values {
  url: string
  key: string
  /** The model; null: the agent's default. */
  model: string | null
}

/** One setting and its new value. */
export interface Setting {
  path: Path
  value: unknown
  /** Whether the setting is the API key. */
  isKey: boolean
}

const table = fileURLToPath(new URL('../../../cli/templates/agents.yaml', import.meta.url))

export async function readAgents(): Promise<Readonly<Record<string, Agent>>> {
  return parse(await readFile(table, 'utf8')) as Record<string, Agent>
}

/** Whether a value contains settings, which are written one by one. */
const isGroup = (value: Settings[string]): value is Settings =>
  typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 0

/** The settings of a file with values filled in; those that need a model are omitted without one. */
export function settingsOf({ settings }: AgentFile, values: Values): Setting[] {
  const needsModel = (text: string) => values.model === null && text.includes('{{model}}')
  const fill = (text: string) =>
    text.replace(/\{\{(url|key|model)\}\}/g, (_, name: keyof Values) => values[name] ?? '')

  const below = (members: Settings, path: Path): Setting[] =>
    Object.entries(members).flatMap(([name, value]): Setting[] => {
      if (needsModel(name)) return []
      const at = [...path, fill(name)]
      if (typeof value === 'string')
        return needsModel(value) ? [] : [{ path: at, value: fill(value), isKey: value === '{{key}}' }]
      return isGroup(value) ? below(value, at) : [{ path: at, value, isKey: false }]
    })
  return below(settings, [])
}
