/**
 * What a process may hold in memory at once of bodies and answers that are not passed on as they come: one budget, and
 * the part of each request in it. Errors: 503 `overloaded`.
 */
import { GatewayError, isGatewayError } from '@gateway/contract'

export interface BufferBudget {
  readonly heldBytes: number
  /** Whether there is room; then it is taken. */
  take(bytes: number): boolean
  giveBack(bytes: number): void
}

/** Of the running configuration; a reload may change it. */
interface BufferLimit {
  readonly settings: { readonly maxBufferedBytes: number | null }
}

/** @param defaultBytes the limit where the configuration sets none */
export function createBufferBudget(current: BufferLimit, defaultBytes: number): BufferBudget {
  let heldBytes = 0
  return {
    get heldBytes() {
      return heldBytes
    },
    take(bytes) {
      if (heldBytes + bytes > (current.settings.maxBufferedBytes ?? defaultBytes)) return false
      heldBytes += bytes
      return true
    },
    giveBack(bytes) {
      heldBytes -= bytes
    },
  }
}

/** Something that grows while it is read, and may shrink. */
export interface HeldBuffer {
  /** Says how many bytes it holds now. Errors: `overloaded` when there is no room for more. */
  resize(bytes: number): void
}

/** For what belongs to no request. */
export const uncounted: HeldBuffer = { resize: () => undefined }

/** The buffers of one request. All are given back at once when its caller has the answer, or has left. */
export class RequestBuffers {
  private readonly budget: BufferBudget
  private heldBytes = 0
  private isReleased = false

  constructor(budget: BufferBudget) {
    this.budget = budget
  }

  /** Keeps these bytes until the request ends. Errors: `overloaded`. */
  hold(bytes: number): void {
    if (this.isReleased) return
    if (!this.budget.take(bytes)) throw overloaded()
    this.heldBytes += bytes
  }

  open(): HeldBuffer {
    let held = 0
    return {
      resize: (bytes) => {
        if (bytes > held) this.hold(bytes - held)
        else this.giveBack(held - bytes)
        held = bytes
      },
    }
  }

  /** What works on behind the end of the request is not counted any more. */
  release(): void {
    this.giveBack(this.heldBytes)
    this.isReleased = true
  }

  private giveBack(bytes: number): void {
    if (this.isReleased) return
    this.heldBytes -= bytes
    this.budget.giveBack(bytes)
  }
}

const overloaded = () =>
  new GatewayError('overloaded', 'The gateway has reached its memory limit; try again in a moment.')

/** Whether an error says that there is no room, which nobody but this process is to blame for. */
export const isOverload = (error: unknown): boolean => isGatewayError(error) && error.code === 'overloaded'
