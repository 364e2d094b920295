/**
 * The config file and the environment of the measured gateway: a stored credential for the mock, and one saved config
 * per scenario. Metrics and log lines are on, as by default; every request has a gateway key.
 */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Ids of the saved configs. */
export type SavedConfig = 'plain' | 'guarded' | 'cached' | 'translated' | 'held'

/** The gateway key of the bench, used on loopback during a run. */
export const GATEWAY_KEY = 'bench-admin-key-0123456789abcdef'

const HOUR_S = 3600

/** Three local checks that every request of the bench passes, each in a separate guardrail. */
const GUARDRAILS = [
  { id: 'no-keys', check: 'default.regexMatch', parameters: { rule: 'sk-[A-Za-z0-9]{20}', not: true } },
  {
    id: 'no-words',
    check: 'default.contains',
    parameters: { words: ['password', 'secret'], operator: 'none' },
  },
  { id: 'length', check: 'default.wordCount', parameters: { minWords: 1, maxWords: 10_000 } },
].map(({ id, check, parameters }) => ({ id, deny: true, checks: [{ id: check, parameters }] }))

/** Three local checks that hold back the answer of a stream in windows. */
const HOLDING = [
  GUARDRAILS[0],
  GUARDRAILS[1],
  { id: 'no-secrets', deny: true, checks: [{ id: 'default.secrets', parameters: {} }] },
]

export interface PreparedGateway {
  /** The config file. */
  file: string
  env: Record<string, string>
  dataDirectory: string
}

/** Additional settings of a gateway: limits of the stored credential and of the workspace, the shadow of a config. */
export interface Extras {
  provider?: object
  workspace?: object
  telemetry?: object
  /** The shadow of the config `plain`. */
  shadow?: object
}

/** Writes the config file into a new folder below `parent`; returns its path, and the environment for the start. */
export function prepareGateway(parent: string, mockPort: number, extras: Extras = {}): PreparedGateway {
  const folder = mkdtempSync(join(parent, 'gateway-'))
  const file = join(folder, 'gateway.yaml')
  // JSON is YAML, too.
  writeFileSync(file, JSON.stringify(content(mockPort, extras), null, 2))
  const dataDirectory = join(folder, 'data')
  return { file, dataDirectory, env: { GATEWAY_ADMIN_KEY: GATEWAY_KEY, GATEWAY_DATA_DIR: dataDirectory } }
}

function content(mockPort: number, { provider: ofProvider, workspace, telemetry, shadow }: Extras): object {
  const provider = '@mock'
  const cache = { mode: 'simple', max_age: HOUR_S }
  const configs: Record<SavedConfig, object> = {
    plain: shadow === undefined ? { provider } : { provider, shadow },
    guarded: { provider, cache, input_guardrails: GUARDRAILS },
    cached: { provider, cache },
    translated: { provider: '@translated' },
    held: { provider, output_guardrails: HOLDING },
  }
  const mock = {
    provider: 'openai',
    custom_host: `http://127.0.0.1:${mockPort}/v1`,
    api_key: 'sk-bench',
    ...ofProvider,
  }
  const translated = { ...mock, provider: 'anthropic' }
  const workspaces = workspace === undefined ? {} : { workspaces: { default: workspace } }
  const security = { trusted_hosts: ['127.0.0.1'] }
  const exporting = telemetry === undefined ? {} : { telemetry }
  return { security, providers: { mock, translated }, configs, ...workspaces, ...exporting }
}
