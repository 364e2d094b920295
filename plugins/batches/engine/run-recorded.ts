/**
 * Runs a request of long work through the pipeline and returns its records with its answer, to be committed together
 * with the result.
 */
import type {
  InferenceAnswer,
  InferenceCharge,
  InferenceRequest,
  LogEntry,
  Outgoing,
  ServiceContext,
} from '@gateway/contract'

export interface RecordedAnswer {
  status: number
  headers: Readonly<Record<string, string>>
  text: string
  /** The log entries of the request and of calls that it made. */
  entries: LogEntry[]
  charges: InferenceCharge[]
}

/** The longest wait for async hooks. */
const entryWaitMs = 10_000

export async function runRecorded(
  context: ServiceContext<'runInference'>,
  request: Omit<InferenceRequest, 'records'>,
): Promise<RecordedAnswer> {
  const charges: InferenceCharge[] = []
  const recorded: Promise<LogEntry>[] = []
  let end: () => void = () => undefined
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const answer = await context.runInference({
    ...request,
    records: {
      entry: (entry, complete) =>
        recorded.push(complete === undefined ? Promise.resolve(entry) : soon(entry, complete)),
      charge: (charge) => charges.push(charge),
      ended: end,
    },
  })
  const text = answer.text ?? (await readAll(answer.stream))
  await ended
  const entries = await Promise.all(recorded)
  return { status: answer.status, headers: answer.headers, text, entries, charges }
}

/** The complete entry, or the entry without its hooks if they take too long. */
function soon(entry: LogEntry, complete: Promise<LogEntry>): Promise<LogEntry> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, entryWaitMs, entry)
    complete.then(resolve, () => resolve(entry)).finally(() => clearTimeout(timer))
  })
}

async function readAll(stream: InferenceAnswer['stream']): Promise<string> {
  if (stream === null) return ''
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** The request's own entry; undefined if its caller was refused. */
export const ownEntry = ({ headers, entries }: Pick<RecordedAnswer, 'headers' | 'entries'>) =>
  entries.find((entry) => entry.id === headers['x-request-id'])

/** The obligations of a result. @param key unique for the result of each request */
export function outgoingOf(
  key: string,
  { headers, entries, charges }: Omit<RecordedAnswer, 'status' | 'text'>,
): Outgoing[] {
  const own = ownEntry({ headers, entries })
  return [
    ...entries.map((entry) => ({
      id: entry === own ? `log/${key}` : `log/${key}/${entry.id}`,
      kind: 'log',
      data: JSON.stringify(entry),
    })),
    ...charges.map((charge, index) => ({
      id: `charge/${key}/${index}`,
      kind: 'charge',
      data: JSON.stringify(charge),
    })),
  ]
}
