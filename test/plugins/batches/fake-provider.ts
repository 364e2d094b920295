/** A provider with files and batches, and one with Message Batches, played by a local server. */
import { openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import type { Json } from './fixtures.ts'

interface FakeFile {
  id: string
  purpose: string
  filename: string
  bytes: Buffer
}

export interface FakeProvider extends Upstream {
  files: Map<string, FakeFile>
  batches: Map<string, Json>
  /** Fine-tuning jobs. */
  jobs: Map<string, Json>
  /** Adds a batch that the gateway did not create. */
  addMessageBatch(requests: readonly Json[]): Json
  /** Ends every batch, with its lines answered. */
  finish(): void
  /** The next answer about a batch has its current state, and is sent when the returned function is called. */
  holdNextRead(): () => void
  /** The answer to the next request that creates a batch. */
  nextCreate: 'answered' | 'answer lost' | 'request lost'
  /** The answer to a line, by its custom id; null: the line is in the error file. */
  answer: (body: Json, customId: string) => { status: number; body: Json }
}

/** Reads a form of one file, as text. */
function readForm(bytes: Buffer, type: string): { fields: Json; file: FakeFile } {
  const boundary = /boundary=([^;]+)/.exec(type)?.[1] ?? ''
  const fields: Json = {}
  let file: FakeFile = { id: '', purpose: '', filename: '', bytes: Buffer.alloc(0) }
  for (const part of bytes.toString('latin1').split(`--${boundary}`).slice(1, -1)) {
    const end = part.indexOf('\r\n\r\n')
    const head = part.slice(0, end)
    const content = part.slice(end + 4, -2)
    const name = /name="([^"]*)"/.exec(head)?.[1] ?? ''
    const filename = /filename="([^"]*)"/.exec(head)?.[1]
    if (filename === undefined) fields[name] = content
    else file = { ...file, filename, bytes: Buffer.from(content, 'latin1') }
  }
  return { fields, file: { ...file, purpose: String(fields.purpose) } }
}

const linesOf = (text: string): Json[] =>
  text
    .split('\n')
    .filter((one) => one.trim() !== '')
    .map((one) => JSON.parse(one))

export async function openFakeProvider(): Promise<FakeProvider> {
  const files = new Map<string, FakeFile>()
  const batches = new Map<string, Json>()
  const jobs = new Map<string, Json>()
  let count = 0
  let held: Promise<void> | null = null
  const nextId = (prefix: string) => `${prefix}-${++count}`
  const shown = ({ id, purpose, filename, bytes }: FakeFile): Json => ({
    id,
    object: 'file',
    bytes: bytes.length,
    created_at: 1,
    filename,
    purpose,
    status: 'processed',
  })
  const keepFile = (name: string, lines: readonly Json[]): string | null => {
    if (lines.length === 0) return null
    const id = nextId('file')
    const bytes = Buffer.from(lines.map((one) => `${JSON.stringify(one)}\n`).join(''))
    files.set(id, { id, purpose: 'batch_output', filename: name, bytes })
    return id
  }
  /** True when no answer is sent. */
  const isLost = () => {
    const { nextCreate } = fake
    fake.nextCreate = 'answered'
    return nextCreate !== 'answered'
  }
  const upstream = await openUpstream((request, response) => {
    const path = new URL(request.path, 'http://x').pathname.replace(/^.*\/(?:v1|openai)(?=\/)/, '')
    const [, room, id = '', action = ''] = path.split('/')
    const missing = () =>
      sendJson(response, 404, { error: { message: 'none', type: 'x', code: 'not_found' } })
    if (room === 'files') {
      if (request.method === 'POST') {
        const { file } = readForm(request.bytes, String(request.headers['content-type']))
        const kept = { ...file, id: nextId('file') }
        files.set(kept.id, kept)
        return sendJson(response, 200, shown(kept))
      }
      if (id === '')
        return sendJson(response, 200, {
          object: 'list',
          data: [...files.values()].map(shown),
          has_more: false,
        })
      const file = files.get(id)
      if (file === undefined) return missing()
      if (action === 'content') {
        response.writeHead(200, { 'content-type': 'application/octet-stream' })
        return void response.end(file.bytes)
      }
      if (request.method === 'DELETE') {
        files.delete(id)
        return sendJson(response, 200, { id, object: 'file', deleted: true })
      }
      return sendJson(response, 200, shown(file))
    }
    if (room === 'batches') {
      if (request.method === 'POST' && id === '') {
        if (fake.nextCreate === 'request lost' && isLost()) return void response.destroy()
        const batch: Json = {
          ...request.json,
          id: nextId('batch'),
          object: 'batch',
          status: 'in_progress',
          created_at: Math.floor(Date.now() / 1000),
          output_file_id: null,
          error_file_id: null,
          request_counts: { total: 1, completed: 0, failed: 0 },
        }
        batches.set(String(batch.id), batch)
        if (isLost()) return void response.destroy()
        return sendJson(response, 200, batch)
      }
      if (id === '')
        return sendJson(response, 200, { object: 'list', data: [...batches.values()], has_more: false })
      const batch = batches.get(id)
      if (batch === undefined) return missing()
      if (action === 'cancel') batch.status = 'cancelled'
      const read = { ...batch }
      const released = held ?? Promise.resolve()
      held = null
      return void released.then(() => sendJson(response, 200, read))
    }
    if (room === 'messages' && id === 'batches') {
      const batchId = action
      const [, , , , last = ''] = path.split('/')
      if (request.method === 'POST' && batchId === '') {
        if (fake.nextCreate === 'request lost' && isLost()) return void response.destroy()
        const batch = addMessageBatch((request.json?.requests ?? []) as Json[])
        if (isLost()) return void response.destroy()
        return sendJson(response, 200, batch)
      }
      if (batchId === '')
        return sendJson(response, 200, {
          data: [...batches.values()],
          has_more: false,
          first_id: null,
          last_id: null,
        })
      const batch = batches.get(batchId)
      if (batch === undefined) return missing()
      if (last === 'results') {
        response.writeHead(200, { 'content-type': 'application/x-jsonl' })
        return void response.end((batch.results as Json[]).map((one) => `${JSON.stringify(one)}\n`).join(''))
      }
      if (last === 'cancel') batch.processing_status = 'canceling'
      if (request.method === 'DELETE') {
        batches.delete(batchId)
        return sendJson(response, 200, { id: batchId, type: 'message_batch_deleted' })
      }
      return sendJson(response, 200, batch)
    }
    if (room === 'fine_tuning') {
      const [, , , jobId = '', of = ''] = path.split('/')
      if (request.method === 'POST' && jobId === '') {
        if (request.json?.model === 'refused')
          return sendJson(response, 404, { error: { message: 'no such model', code: 'model_not_found' } })
        const job: Json = {
          ...request.json,
          id: nextId('ftjob'),
          object: 'fine_tuning.job',
          status: 'running',
        }
        jobs.set(String(job.id), job)
        if (isLost()) return void response.destroy()
        return sendJson(response, 200, job)
      }
      if (jobId === '')
        return sendJson(response, 200, { object: 'list', data: [...jobs.values()], has_more: false })
      const job = jobs.get(jobId)
      if (job === undefined) return missing()
      const list = (data: Json[]) => sendJson(response, 200, { object: 'list', data, has_more: false })
      if (of === 'events')
        return list(
          ['b', 'a'].map((id) => ({
            id,
            object: 'fine_tuning.job.event',
            created_at: 1,
            level: 'info',
            message: id,
          })),
        )
      if (of === 'checkpoints')
        return list([
          { id: 'c', object: 'fine_tuning.job.checkpoint', fine_tuning_job_id: jobId, step_number: 10 },
        ])
      if (of === 'cancel') job.status = 'cancelled'
      return sendJson(response, 200, job)
    }
    return missing()
  })
  function addMessageBatch(requests: readonly Json[]): Json {
    const batch: Json = {
      id: nextId('msgbatch'),
      type: 'message_batch',
      processing_status: 'in_progress',
      request_counts: { processing: requests.length, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
      results_url: null,
      created_at: new Date().toISOString(),
      requests,
    }
    batches.set(String(batch.id), batch)
    return batch
  }
  const fake: FakeProvider = {
    ...upstream,
    files,
    batches,
    jobs,
    addMessageBatch,
    nextCreate: 'answered',
    holdNextRead() {
      let release: () => void = () => undefined
      held = new Promise((resolve) => {
        release = resolve
      })
      return () => release()
    },
    answer: (body) => ({
      status: 200,
      body: {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1,
        model: body.model,
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'ok' } }],
        usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
      },
    }),
    finish() {
      for (const batch of batches.values()) {
        if (batch.requests !== undefined) {
          batch.processing_status = 'ended'
          batch.results_url = `https://api.example/v1/messages/batches/${batch.id}/results`
          batch.results = (batch.requests as Json[]).map(({ custom_id, params }) => {
            const { status, body } = fake.answer(params as Json, String(custom_id))
            return {
              custom_id,
              result:
                status === 200 ? { type: 'succeeded', message: body } : { type: 'errored', error: body },
            }
          })
          continue
        }
        if (batch.status !== 'in_progress') continue
        const input = files.get(String(batch.input_file_id))
        // Providers answer in any order.
        const results = linesOf(input?.bytes.toString('utf8') ?? '')
          .reverse()
          .map(({ custom_id, body }) => ({ custom_id, ...fake.answer(body as Json, String(custom_id)) }))
          .map(({ custom_id, status, body }) => ({
            id: `batch_req_${custom_id}`,
            custom_id,
            response: { status_code: status, request_id: 'r', body },
            error: null,
          }))
        const isGood = (one: { response: { status_code: number } }) => one.response.status_code < 300
        batch.output_file_id = keepFile('output', results.filter(isGood))
        batch.error_file_id = keepFile(
          'error',
          results.filter((one) => !isGood(one)),
        )
        batch.status = 'completed'
      }
    },
  }
  return fake
}
