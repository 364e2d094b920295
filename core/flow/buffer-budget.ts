/**
 * The memory budget of a process for buffered bodies and answers, and each request's share. Errors: 503 `overloaded`.
 */
import { GatewayError, isGatewayError } from '@gateway/contract'

export interface BufferBudget {
  readonly heldBytes: number
  /** Reserves the bytes if the budget allows; returns whether it did. */
  take(bytes: number): boolean
  giveBack(bytes: number): void
}

/** The limit of the running configuration; a reload may change it. */
interface BufferLimit {
  readonly settings: { readonly file: { readonly server: { readonly max_buffered_bytes: number | null } } }
}

/** @param defaultBytes the limit where the configuration sets none */
export function createBufferBudget(current: BufferLimit, defaultBytes: number): BufferBudget {
  let heldBytes = 0
  return {
    get heldBytes() {
      return heldBytes
    },
    take(bytes) {
      if (heldBytes + bytes > (current.settings.file.server.max_buffered_bytes ?? defaultBytes)) return false
      heldBytes += bytes
      return true
    },
    giveBack(bytes) {
      heldBytes -= bytes
    },
  }
}

/** A buffer that grows while it is read, and may shrink. */
export interface HeldBuffer {
  /** Sets the number of bytes held. Errors: `overloaded` when there is no room for more. */
  resize(bytes: number): void
}

/** A buffer that belongs to no request and is not counted. */
export const uncounted: HeldBuffer = { resize: () => undefined }

/** The buffers of one request. All are released when its client has received the answer or disconnected. */
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

  /** Work after the end of the request is not counted. */
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

/** Whether an error means that this process has no memory budget left, which is not an error of the provider. */
export const isOverload = (error: unknown): boolean => isGatewayError(error) && error.code === 'overloaded'
