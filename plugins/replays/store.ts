/** Reads replays and their pairs, and changes them in single steps that are safe with concurrent changes. */
import { type DocumentWrite, isGatewayError, type ServiceContext } from '@gateway/contract'
import { type DocumentOf, typedDocuments } from '@gateway/domain'
import type { PlacedPair } from './compare/worst-first.ts'
import type { ReplayData, ReplayStatus, StoredPair } from './entities.ts'
import { pairsEnd } from './positions.ts'

export type ReplayDocument = DocumentOf<'replay'>

/** Returns the changes to a replay; null for no change. */
type ReplayChange = (replay: ReplayDocument) => {
  status?: ReplayStatus
  attributes?: ReplayDocument['attributes']
  keys?: ReplayDocument['keys']
  data?: Partial<ReplayData>
  also?: readonly DocumentWrite[]
} | null

export interface ReplayStore {
  get(id: string): Promise<ReplayDocument | null>
  /** Returns the replay after the call, whether or not it changed. With `isQuiet`, other processes are not notified. */
  change(id: string, change: ReplayChange, isQuiet?: boolean): Promise<ReplayDocument | null>
  /** Replays that a process must run, oldest first. */
  live(): Promise<ReplayDocument[]>
  sampleOf(id: string): Promise<readonly string[]>
  pairsOf(replay: Pick<ReplayDocument, 'id' | 'data'>): Promise<PlacedPair[]>
}

const maxTries = 50
const mostLive = 1000
const pageSize = 500

/** Whether a replay's status is final. */
export const isEnded = ({ status }: Pick<ReplayDocument, 'status'>): boolean =>
  status !== 'queued' && status !== 'running'

export function createReplayStore({
  documents: stored,
  now,
  work,
}: ServiceContext<'documents' | 'now' | 'work'>): ReplayStore {
  const documents = typedDocuments(stored)
  const get = (id: string) => documents.get('replay', id)

  async function* results(id: string): AsyncGenerator<{ position: number; data: string }> {
    for (let after = 0; ; ) {
      const page = await work.results(id, after, pageSize)
      yield* page.filter(({ position }) => position < pairsEnd)
      const last = page.at(-1)
      if (last === undefined || page.length < pageSize || last.position >= pairsEnd) return
      after = last.position
    }
  }

  return {
    get,
    async change(id, change, isQuiet = false) {
      for (let tries = 1; ; tries += 1) {
        const replay = await get(id)
        if (replay === null) return null
        const changed = change(replay)
        if (changed === null) return replay
        const { version, ...draft } = replay
        const document = {
          ...draft,
          status: changed.status ?? replay.status,
          attributes: changed.attributes ?? replay.attributes,
          keys: changed.keys ?? replay.keys,
          last_updated_at: now(),
          data: { ...replay.data, ...changed.data },
        }
        try {
          await documents.commit([
            { op: 'put', document, expected: version, isQuiet },
            ...(changed.also ?? []),
          ])
          return { ...document, version: version + 1 }
        } catch (error) {
          if (tries >= maxTries || !isGatewayError(error) || error.code !== 'precondition_failed') throw error
        }
      }
    },
    async live() {
      const page = await documents.list(
        'replay',
        { statuses: ['queued', 'running'], attributes: { type: ['replay'] } },
        { sort: 'created_at', order: 'asc', offset: 0, limit: mostLive },
      )
      return page.documents
    },
    async sampleOf(id) {
      return (await documents.get('replay_sample', id))?.data.ids ?? []
    },
    async pairsOf({ id, data }) {
      const pairs: PlacedPair[] = []
      // Only the runner and `door.ts` write results.
      for (const work of [id, ...(data.segments ?? [])])
        for await (const result of results(work))
          pairs.push({ position: result.position, pair: JSON.parse(result.data) as StoredPair })
      return pairs
    },
  }
}
