/** Requests as they come (server-sent events of the log): the newest first, a bounded number of them. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Row, withQuery } from '../api.ts'
import { rowOf } from '../json.ts'
import { type Column, Table } from '../parts/table.tsx'

/** What the screen keeps; older ones are in the list. */
const most = 200
/** Many entries come together: the screen is drawn this often at most. */
const drawMs = 250

interface Tail {
  rows: readonly Row[]
  /** Entries that came faster than the gateway streams them. */
  skipped: number
  state: 'opening' | 'open' | 'lost'
}

const read = (data: unknown): Row => {
  try {
    return rowOf(JSON.parse(String(data)))
  } catch {
    return {}
  }
}

function useTail(path: string): Tail {
  const [tail, setTail] = useState<Tail>({
    rows: [],
    skipped: 0,
    state: 'opening',
  })
  const waiting = useRef<Row[]>([])
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
      waiting.current = [...waiting.current, read(data)].slice(-most)
    })
    source.addEventListener('skipped', ({ data }) => {
      const { count } = read(data)
      setTail((old) => ({ ...old, skipped: old.skipped + Number(count ?? 0) }))
    })
    return () => {
      clearInterval(flush)
      source.close()
    }
  }, [path])
  return tail
}

interface Props {
  /** By the API's names; a stream knows no times and no search. */
  filters: Readonly<Record<string, string | null>>
  columns: readonly Column[]
}

const notForStreams = new Set(['search', 'sort', 'order'])

export function LiveTail({ filters, columns }: Props) {
  const known = Object.entries(filters).filter(([name]) => !notForStreams.has(name))
  const { rows, skipped, state } = useTail(withQuery('/v1/logs/stream', Object.fromEntries(known)))
  return (
    <>
      <p role="status" class="note">
        {state === 'opening' && 'Opening the stream…'}
        {state === 'open' && 'Requests appear here as they end.'}
        {state === 'lost' && 'The stream broke off; the browser opens it again.'}
        {skipped > 0 && ` ${skipped.toLocaleString('en')} came too fast to be shown.`}
      </p>
      <Table caption="Live requests" rows={rows} columns={columns} empty="No request has come since." />
    </>
  )
}
