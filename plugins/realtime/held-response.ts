/** The events of a response, held back until the output guardrails have checked it. Errors: `upstream_invalid_response`. */
import { GatewayError } from '@gateway/contract'

/** Maximum size of the events held back. */
const maxHeldChars = 32_000_000

export interface HeldResponse {
  /** Returns the messages to forward now. */
  pass(type: string, text: string): string[]
  /** Drops the response that was denied. */
  drop(): void
}

/** @param holds whether responses are held back; otherwise every message passes at once */
export function createHeldResponse(holds: boolean): HeldResponse {
  let held: string[] = []
  let heldChars = 0
  const drop = () => {
    held = []
    heldChars = 0
  }
  return {
    pass(type, text) {
      if (!holds || !type.startsWith('response.') || type === 'response.created') return [text]
      held.push(text)
      heldChars += text.length
      if (heldChars > maxHeldChars) throw tooMuch()
      if (type !== 'response.done') return []
      const complete = held
      drop()
      return complete
    },
    drop,
  }
}

const tooMuch = () =>
  new GatewayError(
    'upstream_invalid_response',
    'A response is too large for the output guardrails to hold back.',
  )
