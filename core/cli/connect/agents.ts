/** The coding agents that `gateway connect` knows: data of `templates/agents.yaml`, with the values of one connection. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

export type Settings = { [name: string]: string | Settings }

export interface Agent {
  title: string
  /** Below the home folder. */
  file: string
  format: 'json' | 'toml' | 'env'
  settings: Settings
  /** What to do next. */
  next: string
}

export interface Values {
  url: string
  key: string
  /** Null: the agent's own choice. */
  model: string | null
}

const table = fileURLToPath(new URL('../../../cli/templates/agents.yaml', import.meta.url))

export async function readAgents(): Promise<Readonly<Record<string, Agent>>> {
  return parse(await readFile(table, 'utf8')) as Record<string, Agent>
}

/** The settings with values filled in; members that need a model are omitted without one. */
export function fillSettings(settings: Settings, values: Values): Settings {
  const needsModel = (text: string) => values.model === null && text.includes('{{model}}')
  const fill = (text: string) =>
    text.replace(/\{\{(url|key|model)\}\}/g, (_, name: keyof Values) => values[name] ?? '')
  const filled: Settings = {}
  for (const [name, value] of Object.entries(settings)) {
    if (needsModel(name)) continue
    if (typeof value === 'object') filled[fill(name)] = fillSettings(value, values)
    else if (!needsModel(value)) filled[fill(name)] = fill(value)
  }
  return filled
}
