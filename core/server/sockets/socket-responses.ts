/**
 * The responses of one WebSocket. Those with `store: false` are kept in memory while it is open, and its later messages
 * can continue them; the others are stored as usual. The oldest are dropped if they exceed the memory limit.
 */
import type { KeptResponse } from '@gateway/contract/dialect'
import type { RequestBuffers, ResponseStore } from '@gateway/flow'

/** The limit for all conversations of one socket. */
const maxKeptChars = 32 * 1_048_576

interface Unstored extends KeptResponse {
  chars: number
}

/** @param buffers the memory of the socket */
export function createSocketResponses(stored: ResponseStore, buffers: RequestBuffers): ResponseStore {
  const unstored = new Map<string, Unstored>()
  const memory = buffers.open()
  let keptChars = 0
  const keyOf = (workspace: string, id: string) => `${workspace}/${id}`

  function drop(key: string): void {
    keptChars -= unstored.get(key)?.chars ?? 0
    unstored.delete(key)
  }

  return {
    ...stored,
    find: async (workspace, id) => unstored.get(keyOf(workspace, id)) ?? stored.find(workspace, id),
    keepUnstored(workspace, kept) {
      const chars = JSON.stringify(kept).length
      if (chars > maxKeptChars) return
      for (const key of unstored.keys()) if (keptChars + chars > maxKeptChars) drop(key)
      memory.resize(keptChars + chars)
      keptChars += chars
      unstored.set(keyOf(workspace, String(kept.response.id)), { ...kept, chars })
    },
  }
}
