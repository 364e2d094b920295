/** The tests that a change can affect, for `npm test -- --changed`. */
import { execFileSync } from 'node:child_process'
import { type ImportGraph, reachedFrom } from './import-graph.ts'
import type { TestFile } from './test-files.ts'

/**
 * A test that opens a whole gateway reaches every file of it, which says little. Such a test is selected for a change
 * behind this door only if it is in the folder of tests of the changed file's room or package.
 */
const wholeGateway: ReadonlySet<string> = new Set(['core/boot/open-gateway.ts'])

/** Tests of texts that no source imports. */
const readers: readonly { pattern: RegExp; tests: readonly string[] }[] = [
  { pattern: /^(README\.md|docs\/.*\.md)$/, tests: ['docs/blocks.test.ts'] },
  { pattern: /^plugins\/(TUTORIAL|README)\.md$/, tests: ['tutorial/page.test.ts'] },
  {
    pattern: /^(config|deploy)\//,
    tests: ['core/observability/deploy.test.ts', 'core/config-file/schema.test.ts'],
  },
  { pattern: /package\.json$|^core\/cli\/bin\//, tests: ['core/cli/bin.test.ts'] },
  { pattern: /^plugins\/console\/web\//, tests: ['plugins/console/smoke.test.ts'] },
]

/** Runs for every change. */
const always: readonly string[] = ['architecture.test.ts']

/** Paths changed since a commit, and those that git does not track yet. @throws Error if git knows no such commit */
export function changedPaths(root: string, base: string | null): string[] {
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
  const uncommitted = [
    ...git('diff', '--name-only', 'HEAD'),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]
  if (base === null) return [...new Set(uncommitted)]
  return [...new Set([...git('diff', '--name-only', `${base}...HEAD`), ...uncommitted])]
}

/** The test files that a change of these paths can affect. */
export function affectedTests(
  graph: ImportGraph,
  files: readonly TestFile[],
  changed: readonly string[],
): TestFile[] {
  const paths = new Set(changed)
  const named = new Set([
    ...always,
    ...readers.flatMap(({ pattern, tests }) => (changed.some((path) => pattern.test(path)) ? tests : [])),
  ])
  const folders = changed.flatMap(testFolderOf)
  return files.filter(({ name }) => {
    if (named.has(name) || folders.some((folder) => name.startsWith(folder))) return true
    const reached = reachedFrom(graph, `test/${name}`, wholeGateway)
    return [...reached].some((path) => paths.has(path))
  })
}

/** The tests that belong to a source: `core/routing/breaker/x.ts` has those of `core/routing/`. */
function testFolderOf(path: string): string[] {
  const [group = '', room = ''] = path.split('/')
  if (!path.endsWith('.ts') && !path.endsWith('.tsx')) return []
  if (group === 'test' || !['core', 'providers', 'plugins'].includes(group)) return []
  return [`${group}/${room}/`]
}
