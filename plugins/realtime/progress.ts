/** The responses of a session that are in progress: requested, or begun and not done. */
import { isObject, type JsonObject } from '@gateway/contract'

export interface ResponseProgress {
  /** Called when a `response.create` of the client was forwarded. */
  asked(): void
  /** Called when an event of the provider was received. */
  heard(event: JsonObject): void
  /** Whether a response that begins now was requested. */
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
      // The provider refused the request.
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
