/** The test files of the checkout, and the requirements of each in addition to Node, derived from its imports. */
import { type ImportGraph, reachedFrom } from './import-graph.ts'

type Need = 'server' | 'browser' | 'process'

export interface TestFile {
  /** Below `test/`, such as `core/routing/retry.test.ts`. */
  name: string
  needs: ReadonlySet<Need>
}

/** Sources that only tests with a need import. */
const needOfSource: Readonly<Record<string, Need>> = {
  'test/support/postgres.ts': 'server',
  'test/support/redis.ts': 'server',
  'test/support/clickhouse.ts': 'server',
  'test/plugins/console/browser.ts': 'browser',
  'test/core/boot/gateway-process.ts': 'process',
  'test/tutorial/shell.ts': 'process',
}

/** Sorted by name. */
export function testFiles(graph: ImportGraph): TestFile[] {
  return [...graph.keys()]
    .filter((path) => path.startsWith('test/') && path.endsWith('.test.ts'))
    .sort()
    .map((path) => ({ name: path.slice('test/'.length), needs: needsOf(graph, path) }))
}

function needsOf(graph: ImportGraph, path: string): ReadonlySet<Need> {
  const reached = [...reachedFrom(graph, path)]
  return new Set(reached.flatMap((source) => needOfSource[source] ?? []))
}

/** The path of a compiled test file, below the root. */
export const builtPath = (name: string): string => `test/dist/${name.replace(/\.ts$/, '.js')}`
