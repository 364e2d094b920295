/** The test run itself: which tests a change selects, that each test has a lane, and how a failure is repeated. */
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { affectedTests } from './changed.ts'
import { reachedFrom, readImportGraph } from './import-graph.ts'
import { lanes } from './lanes.ts'
import { readOptions } from './options.ts'
import { formatElapsed, repeatCommand } from './report.ts'
import { runLane, stopLanes } from './run-lane.ts'
import { storeFiles } from './store-files.ts'
import { testFiles } from './test-files.ts'

const graph = readImportGraph(fileURLToPath(new URL('../../..', import.meta.url)))
const files = testFiles(graph)

const affectedBy = (...changed: string[]): string[] =>
  affectedTests(graph, files, changed).map(({ name }) => name)

describe('the import graph', () => {
  it('follows relative imports, names with #, and the packages of the checkout to their sources', () => {
    const reached = reachedFrom(graph, 'test/support/gateway.ts')
    expect([...reached]).to.include.members([
      'test/support/test-store.ts',
      'core/boot/open-gateway.ts',
      'core/pipeline.ts',
      'core/contract/index.ts',
    ])
  })

  it('does not go through a door', () => {
    const doors = new Set(['core/boot/open-gateway.ts'])
    const reached = reachedFrom(graph, 'test/support/gateway.ts', doors)
    expect([...reached])
      .to.include('core/boot/open-gateway.ts')
      .and.not.include('core/pipeline.ts')
  })
})

describe('the tests that a change selects', () => {
  it('are those that import the changed file, those of its room, and the architecture', () => {
    const affected = affectedBy('core/routing/weights.ts')
    expect(affected).to.include.members(['architecture.test.ts', 'core/routing/sticky.test.ts'])
    expect(affected).to.not.include('plugins/pii.test.ts')
  })

  it('are all tests that open a gateway if the file that opens it in tests changes', () => {
    const affected = affectedBy('test/support/gateway.ts')
    expect(affected.length).to.be.greaterThan(200)
  })

  it('are the blocks of the documentation for a page', () => {
    expect(affectedBy('docs/quickstart.md')).to.include('docs/blocks.test.ts')
  })
})

describe('the lanes of the test run', () => {
  it('run every test file', () => {
    const without = files.filter((file) => !lanes.some(({ takes }) => takes?.(file) === true))
    expect(without.map(({ name }) => name)).to.deep.equal([])
  })

  it('run a file twice in the quick part in no case', () => {
    const quick = lanes.filter(({ part }) => part === 'quick')
    const twice = files.filter((file) => quick.filter(({ takes }) => takes?.(file) === true).length > 1)
    expect(twice.map(({ name }) => name)).to.deep.equal([])
  })

  it('run files that need a server in the lane for servers, except those of folders with a lane of their own', () => {
    const servers = lanes.find(({ name }) => name === 'servers')
    const apart = files.filter((file) => file.needs.has('server') && servers?.takes?.(file) !== true)
    for (const { name } of apart) expect(name).to.match(/^(e2e|upgrades|release|plugins\/console|tutorial)\//)
  })

  it('name only files that exist', () => {
    const names = new Set(files.map(({ name }) => name))
    expect([...storeFiles].filter((name) => !names.has(name))).to.deep.equal([])
  })
})

describe('the command that repeats a failed test', () => {
  it('has the seed and the path of a failed property, and the store and time of its lane', () => {
    const text = 'Property failed after 3 tests\n{ seed: -205372991, path: "144:4:3", endOnFailure: true }'
    const failure = { file: 'core/metering/a.test.ts', title: "a key's limit holds", text }
    expect(repeatCommand(failure, { store: 'sqlite', at: '23:57' })).to.equal(
      "npm test -- test/core/metering/a.test.ts --grep 'a key'\\''s limit holds' --store sqlite --at 23:57 --seed=-205372991 --path 144:4:3",
    )
  })

  it('names the suite if a hook failed', () => {
    const failure = { file: 'a.test.ts', title: 'a suite "before all" hook for "one"', text: 'failed' }
    expect(repeatCommand(failure)).to.equal("npm test -- test/a.test.ts --grep 'a suite'")
  })
})

describe('a run that is stopped', () => {
  it('ends the processes of its lanes', async () => {
    const words = ['-e', 'setInterval(() => undefined, 1000)']
    const run = { name: 'endless', words, files: [], environment: {}, node: process.execPath }
    const ended = runLane(run, () => undefined)
    stopLanes()
    const { failures } = await ended
    expect(failures.map(({ title }) => title)).to.deep.equal(['endless ended with SIGTERM'])
  })
})

describe('the options of the test run', () => {
  it('are refused with a reason', () => {
    expect(() => readOptions(['--store', 'oracle'])).to.throw('--store must be memory, sqlite or postgres')
    expect(() => readOptions(['--base', 'HEAD~1'])).to.throw('--base goes with --changed')
    expect(() => readOptions(['--at', '24:10'])).to.throw('--at takes a time')
    expect(() => readOptions(['--unknown'])).to.throw('--unknown')
  })

  it('show elapsed time in minutes and seconds', () => {
    expect(formatElapsed(65_400)).to.equal('1:05')
  })
})
