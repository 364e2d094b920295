/**
 * Documents that wait to be sent, each with the time at which it is due. One process at a time serves a receiver, under
 * a lease: a slow receiver does not delay others. Documents that a process has not finished when it dies are sent
 * again: delivery is at least once.
 */
import { type DocumentCondition, faultReason, isGatewayError, type ServiceContext } from '@gateway/contract'
import { type DocumentDataByKind, type DocumentOf, typedDocuments } from '@gateway/domain'
import { toIso } from '../engine/index.ts'

/** Longer than the slowest round for one receiver. */
const leaseMs = 60_000
const perRound = 20
const atOnce = 5
const pageSize = 200
const maxPages = 5

export interface OutboxOptions<Kind extends keyof DocumentDataByKind> {
  /** Waiting documents have the status `pending` and the attributes `due` (ISO 8601) and that of their receiver. */
  kind: Kind
  receiver: {
    attribute: string
    of(document: DocumentOf<Kind>): string
    lease(receiver: string): string
  }
  /** Sends some of a receiver's documents and stores the result of each. */
  send(receiver: string, documents: readonly DocumentOf<Kind>[]): Promise<void>
}

/** `begin` starts sending what is due and resolves before sending is complete. */
export function createOutbox<Kind extends keyof DocumentDataByKind & string>(
  context: ServiceContext<'beginWork' | 'documents' | 'log' | 'shared'>,
  { kind, receiver, send }: OutboxOptions<Kind>,
): { begin(nowMs: number): Promise<void> } {
  const documents = typedDocuments(context.documents)
  const { shared } = context
  /** Receivers that this process is serving. */
  const busy = new Set<string>()

  async function dueDocuments(nowMs: number, which: DocumentCondition[], limit: number) {
    const due = { attribute: 'due', test: { op: 'to' as const, value: toIso(nowMs) } }
    const found = await documents.list(
      kind,
      { statuses: ['pending'], where: { all: [due, ...which] } },
      { sort: 'created_at', order: 'asc', offset: 0, limit },
    )
    return found.documents
  }

  const isFor = (value: string) => ({ attribute: receiver.attribute, test: { op: 'equals' as const, value } })

  async function serve(id: string, nowMs: number): Promise<void> {
    const done = context.beginWork()
    try {
      // Read again under the lease, because another process may have sent some in the meantime.
      const due = await dueDocuments(nowMs, [isFor(id)], perRound)
      for (let start = 0; start < due.length; start += atOnce)
        await send(id, due.slice(start, start + atOnce))
    } catch (error) {
      context.log.warn(
        { receiver: id, reason: faultReason(error) },
        `failed to store the result of a ${kind}`,
      )
    } finally {
      busy.delete(id)
      await shared.delete(receiver.lease(id)).catch((error: unknown) => {
        const message = 'failed to release the lease of a receiver; it will expire'
        context.log.warn({ receiver: id, reason: faultReason(error) }, message)
      })
      done()
    }
  }

  return {
    async begin(nowMs) {
      const skipped = new Set(busy)
      for (let page = 0; page < maxPages; page += 1) {
        const others = [...skipped].map((id) => ({ not: isFor(id) }))
        const due = await dueDocuments(nowMs, others, pageSize)
        if (due.length === 0) return
        for (const id of new Set(due.map(receiver.of))) {
          skipped.add(id)
          if (!(await shared.acquire(receiver.lease(id), leaseMs))) continue
          busy.add(id)
          void serve(id, nowMs)
        }
      }
    },
  }
}

/** Runs a commit. Ignores the conflict if one of its documents was changed concurrently. */
export async function unlessOvertaken(commit: () => Promise<unknown>): Promise<void> {
  try {
    await commit()
  } catch (error) {
    if (!isGatewayError(error) || error.code !== 'precondition_failed') throw error
  }
}
