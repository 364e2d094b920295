/** Which responses of a session are in progress: asked for, or begun and not done. */
import { isObject, type JsonObject } from '@gateway/contract'

export interface ResponseProgress {
  /** A `response.create` of the client was forwarded. */
  asked(): void
  /** An event of the provider was received. */
  heard(event: JsonObject): void
  /** Whether a response that begins now was asked for. */
  readonly isAsked: boolean
  readonly isBusy: boolean
}

export function createProgress(): ResponseProgress {
  const begun = new Set<unknown>()
  let asked = 0
  return {
    asked() {
      asked += 1
    },
    heard({ type, response }) {
      const id = isObject(response) ? response.id : null
      if (type === 'response.created') {
        asked = Math.max(0, asked - 1)
        begun.add(id)
      } else if (type === 'response.done') begun.delete(id)
      // The provider refused what was asked.
      else if (type === 'error') asked = 0
    },
    get isAsked() {
      return asked > 0
    },
    get isBusy() {
      return asked > 0 || begun.size > 0
    },
  }
}
