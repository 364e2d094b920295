/** A session that lasts for hours keeps no forwarded messages in memory. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { Canceller } from '#core/flow/cancellation'
import type { ConfigNode } from '#core/flow/config-node'
import type { Targeted } from '#core/flow/phases'
import type { Runtime } from '#core/flow/runtime'
import type { Workspace } from '#core/flow/settings'
import type { ClientSession } from '#core/flow/transport'
import { relay } from '#core/sessions/relay'
import type { SocketMessages } from '#core/shared/socket-messages'

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

const exchange = {
  node: { after: [] } as Partial<ConfigNode> as ConfigNode,
  options: {} as Partial<Targeted['options']> as Targeted['options'],
  workspace: { streamIdleTimeoutMs: 60_000 } as Partial<Workspace> as Workspace,
  sessionHooks: [],
  startedAt: performance.now(),
  leaving: new Canceller(),
} as Partial<Targeted> as Targeted

/** A client that sends nothing. */
const client: ClientSession = {
  next: () => new Promise(() => undefined),
  send: async () => undefined,
  closeCode: () => null,
  stopping: new Canceller(),
}

/** A provider that sends long messages, all different. */
function startProvider(): SocketMessages {
  let sent = 0
  return {
    async next() {
      sent += 1
      return sent > messages ? null : Buffer.alloc(messageChars, 97 + (sent % 26)).toString('latin1')
    },
    closing: () => (sent > messages ? { code: 1000, reason: '' } : null),
    send: async () => undefined,
    close: () => undefined,
  }
}

describe('the relay of a session', () => {
  it('keeps no message that it has forwarded', async () => {
    const stream = relay({} as Runtime, exchange, client, startProvider())
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
