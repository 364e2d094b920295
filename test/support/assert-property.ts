/**
 * Properties, run as often as their tests specify, times `GATEWAY_TEST_RUNS` (default 1; `.mocharc.cjs` raises the time
 * limit by the same factor). `TEST_SEED` and `TEST_PATH` replay the failure of one (`npm test -- FILE --grep TITLE
 * --seed N --path P`).
 */
import fc from 'fast-check'

const usualRuns = 100
const times = readTimes(process.env.GATEWAY_TEST_RUNS)

const { TEST_SEED: seed, TEST_PATH: path } = process.env
const replay = seed === undefined ? {} : { seed: Number(seed), ...(path === undefined ? {} : { path }) }

function readTimes(text = '1'): number {
  const given = Number(text)
  if (!Number.isInteger(given) || given < 1) throw new Error('GATEWAY_TEST_RUNS must be a positive integer.')
  return given
}

/** Throws, or rejects, with the smallest input for which the property does not hold. */
export function assertProperty<Inputs>(
  property: fc.IAsyncProperty<Inputs>,
  parameters?: fc.Parameters<Inputs>,
): Promise<void>
export function assertProperty<Inputs>(
  property: fc.IProperty<Inputs>,
  parameters?: fc.Parameters<Inputs>,
): void
export function assertProperty<Inputs>(
  property: fc.IRawProperty<Inputs>,
  { numRuns = usualRuns, ...parameters }: fc.Parameters<Inputs> = {},
): Promise<void> | void {
  return fc.assert(property, { ...parameters, ...replay, numRuns: numRuns * times })
}
