/** Mocha's reporter for lanes: one line of JSON per result, with the difference of the compared values. */
import Mocha from 'mocha'

const { Base } = Mocha.reporters
const { EVENT_TEST_FAIL, EVENT_TEST_PASS } = Mocha.Runner.constants

export interface Result {
  kind: 'pass' | 'fail'
  title: string
  /** The built test file. */
  file: string
  durationMs: number
  /** The text of a failure: message, difference and stack. */
  text?: string
}

/** Marks the lines of results; a test may print lines as well. */
export const resultPrefix = '@result '

interface Compared extends Error {
  actual?: unknown
  expected?: unknown
  showDiff?: boolean
}

/** The values as Mocha's reporters compare them. */
function differenceOf({ actual, expected, showDiff }: Compared): string {
  if (showDiff === false || actual === undefined || expected === undefined) return ''
  const [left, right] = [actual, expected].map((value) =>
    typeof value === 'string' ? value : Mocha.utils.stringify(value),
  )
  return left === right ? '' : Base.generateDiff(left ?? '', right ?? '')
}

export default class JsonReporter extends Base {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    const write = (result: Result) => process.stdout.write(`${resultPrefix}${JSON.stringify(result)}\n`)
    const describeTest = (test: Mocha.Test) => ({
      title: test.fullTitle(),
      file: test.file ?? '',
      durationMs: test.duration ?? 0,
    })
    runner.on(EVENT_TEST_PASS, (test) => write({ kind: 'pass', ...describeTest(test) }))
    runner.on(EVENT_TEST_FAIL, (test, error: Compared) => {
      const { message = String(error), stack = '' } = error
      const text = [stack.includes(message) ? '' : message, stack, differenceOf(error)]
      write({ kind: 'fail', ...describeTest(test), text: text.filter(Boolean).join('\n') })
    })
  }
}
