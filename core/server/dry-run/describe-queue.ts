/** Whether a request would wait for room at its providers. */
import type { JsonObject } from '@gateway/contract'
import type { QueueSettings, Resolved, RoomPorts } from '../../flow/index.ts'
import { blockOf } from '../../routing/index.ts'

/** @param at an exchange at the node with the queue */
export function describeQueue(
  ports: RoomPorts,
  at: Resolved,
  { priority, maxWaitMs }: QueueSettings,
): JsonObject {
  const { node } = at
  const block = blockOf(ports, at, node, at.body)
  const isFull = block?.because === 'full'
  return {
    path: node.path,
    priority,
    max_wait_ms: maxWaitMs,
    waiting: ports.capacity.queue.size,
    would_wait: isFull,
    room_at: isFull ? new Date(block.until).toISOString() : null,
  }
}
