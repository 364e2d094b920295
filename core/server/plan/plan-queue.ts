/** Whether a request would wait for room at its providers. */
import type { PlannedQueue } from '@gateway/contract'
import type { Resolved, RoomPorts } from '@gateway/flow'
import { blockOf } from '@gateway/routing'

/** @param at an exchange at a node, null for a node without a queue */
export function planQueue(ports: RoomPorts, at: Resolved): PlannedQueue | null {
  const { node } = at
  const { body } = at.input
  if (node.queue === null) return null
  const block = blockOf(ports, at, { node, inherited: body })
  const isFull = block?.because === 'full'
  return {
    path: node.path,
    priority: node.queue.priority,
    maxWaitMs: node.queue.maxWaitMs,
    waiting: ports.capacity.queue.size,
    wouldWait: isFull,
    roomAt: isFull ? block.until : null,
  }
}
