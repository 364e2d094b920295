/**
 * Shifts the clock of a process by `TEST_CLOCK_SHIFT_MS`: a failure that depends on the time of day can be repeated at
 * any hour (`npm test -- PATH --at 23:58`). Loaded with `--import`, before everything else. Timers and
 * `performance.now` are unchanged.
 */
const shiftMs = Number(process.env.TEST_CLOCK_SHIFT_MS)
const RealDate = Date

class ShiftedDate extends RealDate {
  constructor(...given: ConstructorParameters<typeof Date> | []) {
    if (given.length === 0) super(RealDate.now() + shiftMs)
    else super(...given)
  }

  static override now(): number {
    return RealDate.now() + shiftMs
  }
}

Object.assign(globalThis, { Date: ShiftedDate })
