/** New requests as they arrive (server-sent events of the log): newest first, a limited number. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { withQuery } from '../../api.ts'
import type { Schema } from '../../api-types.ts'
import { type Column, Table } from '../../parts/table.tsx'

/** The maximum number of entries on the screen; older ones are in the list. */
const most = 200
/** The minimum time between two updates of the screen, because many entries may arrive together. */
const drawMs = 250

interface Tail {
  rows: readonly Schema<'Log'>[]
  /** The number of entries that arrived faster than the gateway streams them. */
  skipped: number
  state: 'opening' | 'open' | 'lost'
}

/** Null if the text is not valid JSON. */
function read<T>(data: unknown): T | null {
  try {
    return JSON.parse(String(data))
  } catch {
    return null
  }
}

function useTail(path: string): Tail {
  const [tail, setTail] = useState<Tail>({
    rows: [],
    skipped: 0,
    state: 'opening',
  })
  const waiting = useRef<Schema<'Log'>[]>([])
  useEffect(() => {
    const source = new EventSource(path)
    const flush = setInterval(() => {
      const came = waiting.current
      if (came.length === 0) return
      waiting.current = []
      setTail((old) => ({
        ...old,
        rows: [...came.reverse(), ...old.rows].slice(0, most),
      }))
    }, drawMs)
    source.addEventListener('open', () => setTail((old) => ({ ...old, state: 'open' })))
    source.addEventListener('error', () => setTail((old) => ({ ...old, state: 'lost' })))
    source.addEventListener('entry', ({ data }) => {
      const entry = read<Schema<'Log'>>(data)
      if (entry !== null) waiting.current = [...waiting.current, entry].slice(-most)
    })
    source.addEventListener('skipped', ({ data }) => {
      const count = read<{ count: number }>(data)?.count ?? 0
      setTail((old) => ({ ...old, skipped: old.skipped + count }))
    })
    return () => {
      clearInterval(flush)
      source.close()
    }
  }, [path])
  return tail
}

interface Props {
  /** Filters under the API's names. A stream supports neither times nor search. */
  filters: Readonly<Record<string, string | null>>
  columns: readonly Column<Schema<'Log'>>[]
}

const notForStreams = new Set(['search', 'sort', 'order'])

export function LiveTail({ filters, columns }: Props) {
  const known = Object.entries(filters).filter(([name]) => !notForStreams.has(name))
  const { rows, skipped, state } = useTail(withQuery('/v1/logs/stream', Object.fromEntries(known)))
  return (
    <>
      <p role="status" class="note">
        {state === 'opening' && 'Connecting…'}
        {state === 'open' && 'Requests appear here as they end.'}
        {state === 'lost' && 'The connection was lost. The browser is reconnecting…'}
        {skipped > 0 && ` ${skipped.toLocaleString('en')} came too fast to be shown.`}
      </p>
      <Table
        caption="Live requests"
        rows={rows}
        columns={columns}
        empty="No request has ended since you opened this view."
      />
    </>
  )
}
