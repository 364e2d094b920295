/** A list with cursors, in which older entries replace the newer ones. Confirms actions on one entry at a time. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Url } from '../api.ts'
import { useQuery } from '../query.tsx'
import { useOpened } from '../router.tsx'
import { Alert } from './alert.tsx'
import { useChange } from './change.tsx'
import { Confirm } from './dialog.tsx'
import { Skeleton } from './skeleton.tsx'
import { type Column, Table } from './table.tsx'
import { cannotBeUndone } from './undo.ts'

export interface CursorPage<R> {
  object?: string
  data: readonly R[]
  has_more: boolean
  last_id: string | null
}

type Run<R> = ReturnType<typeof useChange<CursorPage<R>>>['change']

/** The actions of an entry's buttons. */
interface Acts<R> {
  /** Changes the list. */
  run: Run<R>
  /** Shows the confirmation of the list first. */
  ask: (entry: R) => void
}

/** The confirmation of an action that cannot be undone. */
interface Question<R> {
  title: (entry: R) => string
  action: string
  /** The consequences of the action. */
  text: string
  change: (entry: R) => Parameters<Run<R>>[0]
}

interface Props<R> {
  /** The name of the list in the address. */
  name: string
  title: string
  empty: string
  headers: Record<string, string>
  urlAfter: (after: string | null) => Url<CursorPage<R>>
  columns: (acts: Acts<R>) => readonly Column<R>[]
  question: Question<R>
  /** Content next to the heading. */
  action?: (reload: () => void) => ComponentChildren
}

/** Returns the list with changed members of one entry. */
export const withEntry =
  <R extends { id: string }>(id: string, changes: Partial<R>) =>
  (list: CursorPage<R>): CursorPage<R> => ({
    ...list,
    data: list.data.map((one) => (one.id === id ? { ...one, ...changes } : one)),
  })

export function CursorList<R extends { id: string }>(props: Props<R>) {
  const { name, title, empty, headers, urlAfter, columns, question, action } = props
  const place = useOpened(`${name}_after`)
  const after = place.opened
  const list = useQuery(urlAfter(after), headers)
  const { data, error, isBusy, reload } = list
  const { error: failure, change: run } = useChange(list)
  const [asked, setAsked] = useState<R | null>(null)
  const shown = failure ?? error
  return (
    <section aria-busy={isBusy ? 'true' : 'false'}>
      <div class="head">
        <h2>{title}</h2>
        <div class="actions">{action?.(reload)}</div>
      </div>
      {shown !== null && <Alert onRetry={reload}>{shown.message}</Alert>}
      {data === null && isBusy && <Skeleton />}
      {data !== null && (
        <Table caption={title} rows={data.data} empty={empty} columns={columns({ run, ask: setAsked })} />
      )}
      {data !== null && (after !== null || data.has_more) && (
        <nav class="pager" aria-label={`Pages of ${title.toLowerCase()}`}>
          <button type="button" disabled={after === null} onClick={place.close}>
            Newest
          </button>
          <button type="button" disabled={!data.has_more} onClick={() => place.open(data.last_id ?? '')}>
            Older
          </button>
        </nav>
      )}
      {asked !== null && (
        <Confirm
          title={question.title(asked)}
          action={question.action}
          onClose={() => setAsked(null)}
          onConfirm={() => {
            setAsked(null)
            run(question.change(asked))
          }}
        >
          <p>
            {question.text} {cannotBeUndone}
          </p>
        </Confirm>
      )}
    </section>
  )
}
