/** Names of objects that an answer has only by their ids; an id whose name is unknown stays as it is. */
import { urlOf } from '../api.ts'
import { useQuery } from '../query.tsx'
import { keyScopes } from '../resources.ts'
import { useMay } from '../session.tsx'

const idPattern = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi
/** In one question: a URL has a length. */
const most = 50

/** @param api a list, or null: nothing is asked */
function useNames(
  api: '/v1/api-keys' | '/v1/policies/usage-limits' | null,
  texts: readonly string[],
): (text: string) => string {
  const ids = [...new Set(texts.flatMap((text) => text.match(idPattern) ?? []))].slice(0, most)
  const { data } = useQuery(
    api === null || ids.length === 0 ? null : urlOf(api, { query: { ids: ids.join(','), page_size: most } }),
  )
  const names = new Map((data?.data ?? []).map(({ id, name }) => [id, name ?? id]))
  return (text) => text.replaceAll(idPattern, (id) => names.get(id) ?? id)
}

/** Puts names in the places of ids of API keys, where somebody may list them. */
export const useKeyNames = (texts: readonly string[]) =>
  useNames(useMay()(keyScopes('list')) ? '/v1/api-keys' : null, texts)

/** The same for usage policies. */
export const usePolicyNames = (texts: readonly string[]) =>
  useNames(useMay()(['policies.list']) ? '/v1/policies/usage-limits' : null, texts)
