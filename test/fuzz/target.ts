/** The interface of a fuzz target: a parser, its inputs, and the allowed results. */
import fc from 'fast-check'

interface Definition<Input, Result> {
  name: string
  input: fc.Arbitrary<Input>
  read(input: Input): Result | Promise<Result>
  /** Whether an error is the parser's answer to invalid input. */
  mayThrow(error: unknown): boolean
  /** Throws when a result breaks an invariant. */
  check(result: Awaited<Result>, input: Input): void
}

export interface Target {
  name: string
  /** @param started called with each input before the parser runs */
  property(started: (input: string) => void): fc.IAsyncProperty<[unknown]>
}

/** CPU time for one input: inputs are small, so more means that the parser is too slow. */
const maxCpuMs = 2000

export function defineTarget<Input, Result>(definition: Definition<Input, Result>): Target {
  const { name, input: arbitrary, mayThrow } = definition
  return {
    name,
    property: (started) =>
      fc.asyncProperty<[Input]>(arbitrary, async (input) => {
        started(fc.stringify(input))
        const before = process.cpuUsage()
        const result = await attempt(() => definition.read(input), mayThrow)
        const { user, system } = process.cpuUsage(before)
        if (user + system > maxCpuMs * 1000) throw new Error(`It took more than ${maxCpuMs} ms.`)
        if (result !== null) definition.check(result.value, input)
        if (Reflect.ownKeys(Object.prototype).length !== ownKeys)
          throw new Error('Object.prototype was changed.')
      }),
  }
}

const ownKeys = Reflect.ownKeys(Object.prototype).length

/** Null when the input is refused with an allowed error. */
async function attempt<Result>(
  read: () => Result | Promise<Result>,
  mayThrow: (error: unknown) => boolean,
): Promise<{ value: Awaited<Result> } | null> {
  try {
    return { value: await read() }
  } catch (error) {
    if (mayThrow(error)) return null
    throw error
  }
}
