/** Batches against a gateway of the bench: uploaded, run and awaited as by a client. */
import { setTimeout as sleep } from 'node:timers/promises'
import { GATEWAY_KEY } from './gateway-config.ts'

const POLL_MS = 25
const LIMIT_MS = 600_000

export const BATCH_HEADERS = { 'x-gateway-api-key': GATEWAY_KEY }

export interface BatchState {
  id: string
  status: string
  request_counts: { total: number; completed: number; failed: number }
}

/** The lines of a file; `bytes` is about the size of each. */
export function batchLines(count: number, bytes = 200): string {
  const padding = 'x'.repeat(Math.max(1, bytes - 150))
  return Array.from({ length: count }, (_, index) => {
    const body = { model: 'bench-model', messages: [{ role: 'user', content: `${index} ${padding}` }] }
    return JSON.stringify({ custom_id: `line-${index}`, method: 'POST', url: '/v1/chat/completions', body })
  }).join('\n')
}

export async function uploadLines(url: string, lines: string): Promise<string> {
  const form = new FormData()
  form.append('purpose', 'batch')
  form.append('file', new Blob([lines]), 'lines.jsonl')
  const answer = await fetch(`${url}/v1/files`, { method: 'POST', headers: BATCH_HEADERS, body: form })
  const file = (await answer.json()) as { id: string }
  if (answer.status !== 200) throw new Error(`the upload answered ${answer.status} ${JSON.stringify(file)}`)
  return file.id
}

export async function createBatch(url: string, fileId: string, config = 'plain'): Promise<string> {
  const answer = await fetch(`${url}/v1/batches`, {
    method: 'POST',
    headers: { ...BATCH_HEADERS, 'x-gateway-config': config, 'content-type': 'application/json' },
    body: JSON.stringify({
      input_file_id: fileId,
      completion_window: 'immediate',
      endpoint: '/v1/chat/completions',
    }),
  })
  const batch = (await answer.json()) as BatchState
  if (answer.status !== 200) throw new Error(`the batch answered ${answer.status} ${JSON.stringify(batch)}`)
  return batch.id
}

/** When the batch reached this state, to separate the time of its validation from that of its lines. */
export async function batchUntil(
  url: string,
  id: string,
  holds: (batch: BatchState) => boolean,
): Promise<BatchState> {
  const endsAt = performance.now() + LIMIT_MS
  while (performance.now() < endsAt) {
    const answer = await fetch(`${url}/v1/batches/${id}`, { headers: BATCH_HEADERS })
    const batch = (await answer.json()) as BatchState
    if (holds(batch)) return batch
    if (/^(failed|expired|cancelled)$/.test(batch.status)) throw new Error(`the batch is ${batch.status}`)
    await sleep(POLL_MS)
  }
  throw new Error('the batch did not end')
}

export const isCompleted = ({ status }: BatchState): boolean => status === 'completed'
export const isValidated = ({ status }: BatchState): boolean => status !== 'validating'
