/**
 * Lists the titles of all tests, to check that a change to the test run loses none: `node test/dist/run/titles.js`
 * prints them with their lanes, and fails for a test that no lane runs; `--since FILE` also prints the titles of an
 * earlier list that are missing. Install Postgres, Redis, Chromium and chdb first: suites that are left out have no
 * titles.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readImportGraph } from './import-graph.ts'
import { lanes } from './lanes.ts'
import { builtPath, type TestFile, testFiles } from './test-files.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const mocha = fileURLToPath(new URL('../../../node_modules/mocha/bin/mocha.js', import.meta.url))
const maxOutputBytes = 256 * 1024 * 1024

/** The title on one line, without the times that a few titles contain. */
const plain = (title: string): string =>
  title.replaceAll(/\s+/g, ' ').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')

/** The titles in some files, without running them. */
function titlesOf(files: readonly TestFile[], environment: Readonly<Record<string, string>> = {}): string[] {
  if (files.length === 0) return []
  const words = [mocha, '--dry-run', '--reporter', 'json', ...files.map(({ name }) => builtPath(name))]
  const output = execFileSync(process.execPath, words, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...environment },
    maxBuffer: maxOutputBytes,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // Files may print something when they are loaded.
  const report = JSON.parse(output.slice(output.indexOf('{\n  "stats"'))) as {
    tests: { fullTitle: string }[]
  }
  return report.tests.map(({ fullTitle }) => plain(fullTitle))
}

const { values } = parseArgs({ options: { since: { type: 'string' } } })
const files = testFiles(readImportGraph(root))
const lanesByTitle = new Map<string, string[]>()
for (const { name, takes, environment } of lanes)
  for (const title of titlesOf(
    files.filter((file) => takes?.(file) === true),
    environment,
  ))
    lanesByTitle.set(title, [...(lanesByTitle.get(title) ?? []), name])

for (const [title, names] of [...lanesByTitle].sort()) console.log(`${title}\t${names.join(', ')}`)
const inNoLane = [...new Set(titlesOf(files))].filter((title) => !lanesByTitle.has(title))
const earlier =
  values.since === undefined ? [] : readFileSync(values.since, 'utf8').split('\n').filter(Boolean)
const gone = earlier
  .map((line) => plain(line.split('\t')[0] ?? ''))
  .filter((title) => !lanesByTitle.has(title))
for (const title of inNoLane) console.error(`in no lane: ${title}`)
for (const title of gone) console.error(`gone: ${title}`)
console.error(`${lanesByTitle.size} titles, ${inNoLane.length} in no lane, ${gone.length} gone`)
process.exitCode = inNoLane.length + gone.length === 0 ? 0 : 1
