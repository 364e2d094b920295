/** A text filter that takes effect on Enter or when the field loses focus. */
import { useLayoutEffect, useState } from 'preact/hooks'
import { useFilters } from '../router.tsx'
import { Field } from './field.tsx'

interface Props {
  name: string
  label: string
  hint?: string
  placeholder?: string
}

export function FilterText({ name, label, hint, placeholder }: Props) {
  const [query, change] = useFilters()
  const inUrl = query.get(name) ?? ''
  const [text, setText] = useState(inUrl)
  // A layout effect runs before the user can type into the old value.
  useLayoutEffect(() => setText(inUrl), [inUrl])
  const commit = () => {
    if (text.trim() !== inUrl) change({ [name]: text.trim() })
  }
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <input
          {...control}
          type="text"
          value={text}
          placeholder={placeholder}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => setText(event.currentTarget.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === 'Enter') commit()
          }}
        />
      )}
    </Field>
  )
}
