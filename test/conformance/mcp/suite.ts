/** Runs the official suite (`@modelcontextprotocol/conformance`) in a separate process, and reads its results. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Check {
  id: string
  status: string
  errorMessage?: string
}

export interface ScenarioResult {
  scenario: string
  passed: string[]
  /** The failed checks with their messages. */
  failed: { id: string; message: string }[]
}

const longestMs = 600_000
/** The time limit of one scenario, for busy machines. */
const scenarioMs = 120_000

const suiteIn = (directory: string) => join(directory, 'node_modules/@modelcontextprotocol/conformance')

/** The package `node-PLATFORM-ARCH` if it is installed, otherwise the Node that runs this. */
function nodeIn(directory: string): string {
  const own = join(directory, `node_modules/node-${process.platform}-${process.arch}/bin/node`)
  return existsSync(own) ? own : process.execPath
}

export const isSuiteInstalled = (directory: string): boolean => existsSync(suiteIn(directory))

export async function installedVersion(directory: string): Promise<string> {
  const text = await readFile(join(suiteIn(directory), 'package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

/**
 * @param directory where the suite and its Node are installed
 * @param version whose scenarios run
 */
export async function runSuite(directory: string, url: string, version: string): Promise<ScenarioResult[]> {
  const output = await mkdtemp(join(tmpdir(), 'mcp-conformance-'))
  try {
    const words = ['server', '--url', url, '--suite', 'all', '--spec-version', version, '-o', output]
    words.push('--timeout', String(scenarioMs))
    const child = spawn(nodeIn(directory), [join(suiteIn(directory), 'dist/index.js'), ...words], {
      stdio: 'ignore',
      timeout: longestMs,
    })
    await once(child, 'close')
    const folders = (await readdir(output)).sort()
    return await Promise.all(folders.map((folder) => readResult(output, folder)))
  } finally {
    await rm(output, { recursive: true, force: true })
  }
}

async function readResult(output: string, folder: string): Promise<ScenarioResult> {
  // `server-NAME-TIME`
  const scenario = folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '')
  const checks = JSON.parse(await readFile(join(output, folder, 'checks.json'), 'utf8')) as Check[]
  const passed = checks.filter(({ status }) => status === 'SUCCESS').map(({ id }) => id)
  const failed = checks
    .filter(({ status }) => status === 'FAILURE')
    .map(({ id, errorMessage = '' }) => ({ id, message: errorMessage }))
  return { scenario, passed: [...new Set(passed)].sort(), failed }
}
