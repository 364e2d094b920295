/**
 * `npm run clients -- [AGENT…]`: runs the real coding agents in front of a gateway with scripted vendors, and writes
 * docs/conformance/clients.md. The agents are npm packages below the directory CODING_AGENTS_DIR; they are not
 * installed automatically. With agents as arguments, the page is printed instead. `--results FILE` stores outcomes, and
 * skips runs with a stored outcome; `--scenario TITLE` runs one scenario; `--page-only` runs nothing, and writes the
 * page from the stored outcomes. The command runs itself in a separate network that has only loopback.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Agent, agents } from './agents.ts'
import { countTokens } from './count-tokens.ts'
import { countTokensTitle, promptCacheTitle, scenarios } from './matrix.ts'
import { Broken, type Outcome, shorten } from './outcome.ts'
import { type ClientResults, renderPage } from './page.ts'
import { promptCache } from './prompt-cache.ts'
import type { Scenario } from './scenarios.ts'

const page = fileURLToPath(new URL('../../../docs/conformance/clients.md', import.meta.url))
const isolated = 'GATEWAY_CLIENTS_ISOLATED'

interface Options {
  directory: string
  names: readonly string[]
  scenario: string | undefined
  resultsFile: string | undefined
  isPageOnly: boolean
}

type Kept = Record<string, Outcome>

async function outcomeOf({ run }: Scenario, agent: Agent, directory: string): Promise<Outcome> {
  try {
    return await run(agent, directory)
  } catch (error) {
    if (error instanceof Broken) return { result: 'no', note: error.message }
    return { result: 'not run', note: shorten(error instanceof Error ? error.message : String(error), 400) }
  }
}

async function readKept(file: string | undefined): Promise<Kept> {
  if (file === undefined || !existsSync(file)) return {}
  return JSON.parse(await readFile(file, 'utf8')) as Kept
}

async function versionOf(agent: Agent, directory: string): Promise<string> {
  const text = await readFile(join(directory, 'node_modules', agent.package, 'package.json'), 'utf8')
  return String((JSON.parse(text) as { version: unknown }).version)
}

async function runAgent(
  agent: Agent,
  { directory, scenario, resultsFile, isPageOnly }: Options,
): Promise<ClientResults | null> {
  if (!existsSync(join(directory, agent.program))) {
    console.log(`left out: ${agent.title}, which is not in ${directory}`)
    return null
  }
  const version = await versionOf(agent, directory)
  const outcomes = new Map<string, Outcome>()
  const wanted = [
    ...scenarios,
    { title: countTokensTitle, run: countTokens },
    { title: promptCacheTitle, run: promptCache },
  ]
  for (const each of wanted) {
    if (scenario !== undefined && each.title !== scenario) continue
    const kept = await readKept(resultsFile)
    const name = `${agent.name} ${version}, ${each.title}`
    if (isPageOnly && kept[name] === undefined) continue
    const outcome = kept[name] ?? (await outcomeOf(each, agent, directory))
    outcomes.set(each.title, outcome)
    console.log(`${name}: ${outcome.result}${outcome.note === undefined ? '' : ` (${outcome.note})`}`)
    if (resultsFile === undefined) continue
    await writeFile(
      resultsFile,
      JSON.stringify({ ...(await readKept(resultsFile)), [name]: outcome }, null, 1),
    )
  }
  return { agent, version, outcomes }
}

async function main(options: Options): Promise<number> {
  const results: ClientResults[] = []
  for (const agent of agents) {
    if (options.names.length > 0 && !options.names.includes(agent.name)) continue
    const result = await runAgent(agent, options)
    if (result !== null) results.push(result)
  }
  const isWhole = results.length === agents.length && options.scenario === undefined
  if (isWhole) await writeFile(page, renderPage(results))
  else console.log(renderPage(results))
  const broken = results
    .flatMap(({ outcomes }) => [...outcomes.values()])
    .filter(({ result }) => result === 'no')
  console.log(`${broken.length} do not hold`)
  return 0
}

/** Runs this again where there is no network but loopback. */
function isolate(): number {
  const command = 'ip link set lo up && exec "$0" "$@"'
  const words = [
    '-rn',
    'bash',
    '-c',
    command,
    process.execPath,
    ...process.execArgv,
    ...process.argv.slice(1),
  ]
  const { status, error } = spawnSync('unshare', words, {
    stdio: 'inherit',
    env: { ...process.env, [isolated]: '1' },
  })
  if (error !== undefined) throw error
  return status ?? 1
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { results: { type: 'string' }, scenario: { type: 'string' }, 'page-only': { type: 'boolean' } },
})
const directory = process.env.CODING_AGENTS_DIR ?? ''
if (directory === '') {
  console.error('Name the directory with the npm packages of the agents in CODING_AGENTS_DIR.')
  process.exitCode = 2
} else if (process.env[isolated] === undefined) process.exitCode = isolate()
else {
  const { results: resultsFile, scenario, 'page-only': isPageOnly = false } = values
  process.exit(await main({ directory, names: positionals, scenario, resultsFile, isPageOnly }))
}
