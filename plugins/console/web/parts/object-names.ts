/** Names of objects that an answer has only by their ids; an id whose name is unknown stays as it is. */
import { urlOf } from '../api.ts'
import { useQuery } from '../query.tsx'

const idPattern = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi
/** In one question: a URL has a length. */
const most = 50

/** @param api a list, or null: nothing is asked */
export function useObjectNames(
  api: '/v1/api-keys' | '/v1/policies/usage-limits' | null,
  texts: readonly string[],
): (text: string) => string {
  const ids = [...new Set(texts.flatMap((text) => text.match(idPattern) ?? []))].slice(0, most)
  const { data } = useQuery(
    api === null || ids.length === 0 ? null : urlOf(api, { query: { ids: ids.join(','), page_size: most } }),
  )
  const names = new Map((data?.data ?? []).map((row) => [row.id, row.name ?? row.id]))
  return (text) => text.replaceAll(idPattern, (id) => names.get(id) ?? id)
}
