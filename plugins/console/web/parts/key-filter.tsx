/** The filter for API keys. The user types a name, and the URL contains the ids. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { load, urlOf } from '../api.ts'
import { asApiError } from '../query.tsx'
import { keyScopes } from '../resources.ts'
import { useFilters } from '../router.tsx'
import { useMay } from '../session.tsx'
import { Field } from './field.tsx'
import { useKeyNames } from './object-names.ts'

const name = 'api_key_ids'
const idsPattern = /^[\da-f-]{36}(,[\da-f-]{36})*$/i
/** The maximum number of keys to filter by, because several keys may have one name. */
const most = 20

/** Ids of keys whose name contains the text. Errors: those of the API. */
async function idsOf(search: string): Promise<string> {
  const { data } = await load(urlOf('/v1/api-keys', { query: { search, page_size: most } }))
  const exact = data.filter((key) => key.name?.toLowerCase() === search.toLowerCase())
  return (exact.length > 0 ? exact : data).map(({ id }) => id).join(',')
}

export function KeyFilter() {
  const may = useMay()
  const [query, change] = useFilters()
  const inUrl = query.get(name) ?? ''
  const named = useKeyNames([inUrl])(inUrl)
  const [text, setText] = useState(named)
  const [fault, setFault] = useState<string | null>(null)
  const latest = useRef(text)
  latest.current = text
  const shown = useRef({ inUrl, named })
  // A layout effect runs before the user can type into the visible field.
  useLayoutEffect(() => {
    const before = shown.current
    shown.current = { inUrl, named }
    // Text that was typed while the name was loading is kept.
    if (inUrl === before.inUrl && latest.current !== before.named) return
    setText(named)
    setFault(null)
  }, [inUrl, named])
  const commit = async () => {
    const wanted = text.trim()
    if (wanted === named) return
    setFault(null)
    try {
      const isNamed = wanted !== '' && !idsPattern.test(wanted) && may(keyScopes('list'))
      const ids = isNamed ? await idsOf(wanted) : wanted
      // The user has typed another name in the meantime.
      if (latest.current.trim() !== wanted) return
      if (ids === '' && wanted !== '') setFault('No key has that name.')
      else change({ [name]: ids })
    } catch (error) {
      setFault(asApiError(error).message)
    }
  }
  return (
    <Field label="Key" fault={fault}>
      {(control) => (
        <input
          {...control}
          type="text"
          value={text}
          placeholder="Name or ID"
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => setText(event.currentTarget.value)}
          onBlur={() => void commit()}
          onKeyDown={(event) => {
            if (event.key === 'Enter') void commit()
          }}
        />
      )}
    </Field>
  )
}
