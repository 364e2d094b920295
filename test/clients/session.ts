/** One session of an agent: a home folder, a gateway with the scripted vendors, `gateway connect`, and the agent's own program. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { adminKey, startGateway, type TestGateway } from '../support/gateway.ts'
import type { Agent } from './agents.ts'
import type { Step } from './model.ts'
import { openVendors, type Play, type Vendors } from './upstream.ts'
import { places, vendorNames } from './vendors/index.ts'

const gatewayCommand = fileURLToPath(new URL('../../../core/cli/bin/gateway.js', import.meta.url))
const sessionTimeoutMs = 100_000
/** Cents a token. */
export const prices = { request: 0.0001, response: 0.0005 }

/** A PNG of one pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export interface Ran {
  output: string
  code: number | null
  isTimedOut: boolean
}

export interface LogEntry {
  trace_id: string
  response_status_code: number
  [member: string]: unknown
}

export interface Session {
  vendors: Vendors
  gateway: TestGateway
  work: string
  image: string
  /** Runs the agent with these arguments. @param stdin a file that it reads */
  run(
    words: readonly string[],
    options?: { prompt?: string; stdin?: string; onStart?(child: ChildProcess): void },
  ): Promise<Ran>
  /** The entries of the log, oldest first. */
  entries(): Promise<LogEntry[]>
  madeFile(): Promise<string | null>
}

export interface SessionSettings {
  directory: string
  agent: Agent
  play: Play
  /** The config of the agent's key. Without one, `gateway connect` creates the key. */
  config?: Record<string, unknown>
  usageLimits?: Record<string, unknown>
  model: string
}

const providersAt = (origin: string) =>
  Object.fromEntries(
    vendorNames.map((name) => {
      const { model, more = [], settings } = places[name]
      const pricing_config = {
        pay_as_you_go: {
          request_token: { price: prices.request },
          response_token: { price: prices.response },
        },
      }
      return [
        name,
        {
          provider: name,
          ...settings(origin),
          models: [model, ...more].map((slug) => ({ slug, pricing_config })),
        },
      ]
    }),
  )

/** Values in the tools' inputs. */
const fillSteps = (steps: readonly Step[], work: string, image: string): Step[] =>
  JSON.parse(JSON.stringify(steps).replaceAll('{{work}}', work).replaceAll('{{image}}', image)) as Step[]

async function createKey(gateway: TestGateway, { config, usageLimits }: SessionSettings): Promise<string> {
  const created = async (path: string, body: unknown) => {
    const answer = await gateway.post(path, body)
    const read = (await answer.json()) as Record<string, unknown>
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(read)}`)
    return read
  }
  const { id } = await created('/v1/configs', { name: 'session', workspace_id: 'default', config })
  const { key } = await created('/v1/api-keys/workspace/service', {
    // Refusals of its limits name it, and some agents take a number for a status that they repeat.
    name: 'session 500',
    workspace_id: 'default',
    scopes: ['completions.write', 'models.list'],
    defaults: { config_id: id },
    ...(usageLimits === undefined ? {} : { usage_limits: usageLimits }),
  })
  return String(key)
}

async function run(command: string, words: readonly string[], options: RunOptions): Promise<Ran> {
  const child = spawn(command, words, {
    cwd: options.cwd,
    env: options.env,
    stdio: [options.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += String(text)))
  if (options.stdin !== undefined && child.stdin !== null) {
    child.stdin.on('error', (error) => (output += error.message))
    createReadStream(options.stdin).pipe(child.stdin)
  }
  options.onStart?.(child)
  let isTimedOut = false
  const timer = setTimeout(() => {
    isTimedOut = true
    stop(child)
  }, sessionTimeoutMs)
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(timer)
  return { output, code, isTimedOut }
}

interface RunOptions {
  cwd: string
  env: NodeJS.ProcessEnv
  stdin?: string
  onStart?(child: ChildProcess): void
}

/** Ends a process and its children: each session is a separate process group. */
function stop({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL')
}

/** Opens a session, passes it on, and removes its files afterwards. */
export async function withSession<Result>(
  settings: SessionSettings,
  use: (session: Session) => Promise<Result>,
): Promise<Result> {
  const { agent, directory, model, play } = settings
  const home = await mkdtemp(join(tmpdir(), 'gateway-client-'))
  const work = join(home, 'work')
  const image = join(work, 'pixel.png')
  await mkdir(work)
  await writeFile(join(work, 'first.txt'), 'first\n')
  await writeFile(image, Buffer.from(png, 'base64'))
  const vendors = await openVendors({ ...play, steps: fillSteps(play.steps, work, image) })
  const gateway = await startGateway({
    providers: providersAt(vendors.origin),
    guardrails: {
      'no-secret-words': {
        checks: [{ id: 'default.contains', parameters: { words: ['abracadabra'], operator: 'none' } }],
        deny: true,
      },
    },
  })
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TERM: 'dumb',
    NO_COLOR: '1',
    CI: '1',
    ...agent.environment,
  }
  try {
    const key = settings.config === undefined ? [] : ['--key', await createKey(gateway, settings)]
    const words = [
      gatewayCommand,
      'connect',
      agent.name,
      '--url',
      gateway.url,
      '--model',
      model,
      '--yes',
      ...key,
    ]
    const connected = await run(process.execPath, words, {
      cwd: home,
      env: { ...env, GATEWAY_ADMIN_KEY: adminKey },
    })
    if (connected.code !== 0) throw new Error(`gateway connect ${agent.name}: ${connected.output}`)
    return await use({
      vendors,
      gateway,
      work,
      image,
      run(words, { prompt = '', stdin, onStart } = {}) {
        const filled = words.map((word) => word.replace('{{prompt}}', prompt).replace('{{image}}', image))
        const read = agent.settings === undefined ? '' : `. "$HOME/${agent.settings}"; `
        const options = {
          cwd: work,
          env,
          ...(stdin === undefined ? {} : { stdin }),
          ...(onStart === undefined ? {} : { onStart }),
        }
        return run(
          'bash',
          ['-c', `${read}exec "$0" "$@"`, join(directory, agent.program), ...filled],
          options,
        )
      },
      async entries() {
        await gateway.runtime.logs.flush()
        const answer = await gateway.get('/v1/logs?page_size=100')
        const { data } = (await answer.json()) as { data: LogEntry[] }
        return data.reverse()
      },
      madeFile: () => readFile(join(work, 'made.txt'), 'utf8').catch(() => null),
    })
  } finally {
    await gateway.stop()
    await vendors.close()
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
}
