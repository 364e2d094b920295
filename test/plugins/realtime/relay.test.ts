/** A session that lasts for hours keeps no forwarded messages in memory. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { SessionHost, SessionNotice } from '@gateway/contract/dialect'
import { expect } from 'chai'
import { relay } from '#realtime/relay'

const messages = 200
/** Node keeps longer strings outside of the heap. */
const messageChars = 500_000
/** A few messages in flight, and the other memory of the process. */
const boundBytes = 40_000_000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function heldBytes(): number {
  collectGarbage()
  return getHeapStatistics().used_heap_size
}

/** It never fires. */
const quiet: SessionNotice = {
  aborted: false,
  reason: undefined,
  listen: () => undefined,
  forget: () => undefined,
}

/** A provider that sends long messages, all different. */
function startProvider(): SessionHost['provider'] {
  let sent = 0
  return {
    async next() {
      sent += 1
      return sent > messages ? null : Buffer.alloc(messageChars, 97 + (sent % 26)).toString('latin1')
    },
    send: async () => undefined,
    checkEnd: () => undefined,
    close: () => undefined,
  }
}

/** A session without limits and guardrails, whose client sends nothing. */
const hostOf = (provider: SessionHost['provider']): SessionHost => ({
  client: {
    next: () => new Promise(() => undefined),
    send: async () => undefined,
    leaving: quiet,
    stopping: quiet,
  },
  provider,
  idleMs: 60_000,
  totalMs: 60_000,
  checksInput: false,
  checksOutput: false,
  holdsOutput: false,
  admit: async () => null,
  charge: async () => null,
  check: async (_phase, body) => ({ denial: null, body }),
})

describe('the relay of a session', () => {
  it('keeps no message that it has forwarded', async () => {
    const stream = relay(hostOf(startProvider()))
    const before = heldBytes()
    let passed = 0
    let held = 0
    for await (const chunk of stream) {
      passed += chunk.length
      if (passed === messages * messageChars) held = heldBytes() - before
    }
    expect(passed).to.equal(messages * messageChars)
    expect(held).to.be.below(boundBytes)
  })
})
