/** Buttons that save a file, either of the page's data or of a whole list, which is then loaded. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Row } from '../api.ts'
import { asApiError } from '../query.tsx'
import { columnsOf, csvHead, csvLines, csvOfList, type ListPage, type Progress, type Units } from './csv.ts'
import { notify, notifyRefused } from './toast.tsx'

const save = (name: string, parts: string[]): void => saveFile(name, new Blob(parts, { type: 'text/csv' }))

export function saveFile(name: string, file: Blob): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

interface Props {
  name: string
  rows: readonly Row[]
  units: Units
  label: string
}

export function Download({ name, rows, units, label }: Props) {
  const columns = columnsOf(rows)
  return (
    <button
      type="button"
      onClick={() => save(name, [csvHead(columns, units), csvLines(rows, columns, units)])}
    >
      {label}
    </button>
  )
}

interface AllProps {
  name: string
  units: Units
  load: (page: number, signal: AbortSignal) => Promise<ListPage>
}

const count = (value: number) => value.toLocaleString('en')

/** Downloads all rows that match the page's filters, not only the visible ones. */
export function DownloadAll({ name, units, load }: AllProps) {
  const [progress, setProgress] = useState<Progress | null>(null)
  const control = useRef<AbortController | null>(null)
  useEffect(() => () => control.current?.abort(), [])
  const run = async () => {
    const current = new AbortController()
    control.current = current
    let last: Progress = { rows: 0, total: 0 }
    setProgress(last)
    try {
      const parts = await csvOfList(
        (page) => load(page, current.signal),
        units,
        (next) => {
          last = next
          setProgress(next)
        },
      )
      save(name, parts)
      if (last.rows < last.total)
        notify(`The file has the first ${count(last.rows)} of ${count(last.total)} rows.`)
    } catch (error) {
      if (!current.signal.aborted) notifyRefused(`The file could not be made: ${asApiError(error).message}`)
    }
    setProgress(null)
  }
  if (progress === null)
    return (
      <button type="button" onClick={() => void run()}>
        CSV of all rows
      </button>
    )
  return (
    <button type="button" onClick={() => control.current?.abort()}>
      Stop ({count(progress.rows)} of {count(progress.total)} rows)
    </button>
  )
}
