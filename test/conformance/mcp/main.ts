/**
 * `node test/dist/conformance/mcp/main.js DIRECTORY [--write]`: runs the official MCP suite, installed in DIRECTORY as
 * `.ci/run` does, in each version of the protocol, against a gateway with a plain upstream behind it. It fails for a check that
 * fails unexpectedly, for one that passes though it is listed as one that cannot, and for a page in docs/conformance that is
 * out of date (`--write` writes it). It ends with the counts of checks that passed and of faults, as mocha prints them.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { reasonFor, renderPage } from './page.ts'
import { openScene } from './scene.ts'
import { installedVersion, runSuite, type ScenarioResult } from './suite.ts'
import {
  type CoveredVersion,
  coveredVersions,
  expectedChecks,
  expectedScenarios,
  suiteVersion,
} from './versions.ts'

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

interface Outcome {
  passed: number
  faults: string[]
}

async function runVersion(directory: string, covered: CoveredVersion, isWritten: boolean): Promise<Outcome> {
  const { version, scenariosOf } = covered
  const scene = await openScene(version)
  try {
    const results = await runSuite(directory, scene.url, scenariosOf)
    const passed = results.reduce((sum, one) => sum + one.passed.length, 0)
    console.log(`MCP ${version}: ${results.length} scenarios, ${passed} checks passed`)
    const faults = faultsOf(version, results)
    faults.push(...(await checkPage(version, renderPage(covered, results), isWritten)))
    return { passed, faults }
  } finally {
    await scene.close()
  }
}

async function main(words: readonly string[]): Promise<number> {
  const directory = words.find((word) => !word.startsWith('--'))
  if (directory === undefined) throw new Error('Name the directory where the suite is installed.')
  const installed = await installedVersion(directory)
  if (installed !== suiteVersion)
    throw new Error(`The suite ${installed} is installed in ${directory}, not ${suiteVersion}.`)
  const isWritten = words.includes('--write')
  let passed = 0
  const faults: string[] = []
  for (const covered of coveredVersions) {
    let outcome = await runVersion(directory, covered, isWritten)
    // The suite has its own timeouts, which a busy machine can exceed: a test fails only if it fails twice.
    if (outcome.faults.length > 0) outcome = await runVersion(directory, covered, isWritten)
    passed += outcome.passed
    faults.push(...outcome.faults)
  }
  for (const fault of faults) console.error(fault)
  console.log(`  ${passed} passing\n  ${faults.length} failing`)
  return faults.length === 0 ? 0 : 1
}

process.exitCode = await main(process.argv.slice(2))
