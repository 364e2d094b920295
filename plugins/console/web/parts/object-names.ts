/** Names of objects that an answer has only by their ids; an id whose name is unknown stays as it is. */
import { type List, withQuery } from '../api.ts'
import { useQuery } from '../query.tsx'

const idPattern = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi
/** In one question: a URL has a length. */
const most = 50

/** @param api a list that takes `ids`, or null: nothing is asked */
export function useObjectNames(api: string | null, texts: readonly string[]): (text: string) => string {
  const ids = [...new Set(texts.flatMap((text) => text.match(idPattern) ?? []))].slice(0, most)
  const { data } = useQuery<List>(
    api === null || ids.length === 0 ? null : withQuery(api, { ids: ids.join(','), page_size: most }),
  )
  const names = new Map((data?.data ?? []).map((row) => [String(row.id), String(row.name ?? row.id)]))
  return (text) => text.replaceAll(idPattern, (id) => names.get(id) ?? id)
}
