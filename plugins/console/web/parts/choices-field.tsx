/**
 * A list of names that the gateway knows, such as scopes. The user selects them from a list and removes each with a
 * button.
 */
import { useContext, useRef } from 'preact/hooks'
import type { FieldSpec } from '../resources/declare.ts'
import { SessionContext } from '../session.tsx'
import { Field } from './field.tsx'

interface Props {
  label: string
  hint?: string | undefined
  fault: string | null
  /** One name per line. */
  value: string
  onChange: (value: string) => void
  choices: NonNullable<FieldSpec['choices']>
  words?: FieldSpec['words']
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** The part before the last dot, which groups scopes into families. */
const familyOf = (name: string) => name.slice(0, Math.max(0, name.lastIndexOf('.')))

/** @param choices `scopes` offers only the signed-in user's own scopes, because others cannot be granted */
export function ChoicesField({ label, hint, fault, value, onChange, choices, words }: Props) {
  const { scopes } = useContext(SessionContext)
  const select = useRef<HTMLSelectElement>(null)
  const chosen = linesOf(value)
  const known = choices === 'scopes' ? [...scopes].sort() : choices
  const open = known.filter((name) => !chosen.includes(name))
  const families = [...new Set(open.map(familyOf))]
  const change = (names: readonly string[]) => onChange(names.join('\n'))
  const add = (name: string) => {
    if (name === '') return
    // In this list only, the name of a family with `.*` selects the whole family.
    const names = name.endsWith('.*') ? open.filter((one) => familyOf(one) === familyOf(name)) : [name]
    change([...chosen, ...names])
  }
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(control) => (
        <>
          {chosen.length > 0 && (
            <ul class="chosen" aria-label={`Chosen: ${label.toLowerCase()}`}>
              {chosen.map((name) => (
                <li key={name}>
                  {words?.[name] ?? <code>{name}</code>}{' '}
                  <button
                    type="button"
                    aria-label={`Remove ${words?.[name] ?? name}`}
                    onClick={() => {
                      change(chosen.filter((one) => one !== name))
                      select.current?.focus()
                    }}
                  >
                    ×
                  </button>
                </li>
              ))}
            </ul>
          )}
          <select
            {...control}
            ref={select}
            value=""
            onChange={(event) => {
              add(event.currentTarget.value)
              event.currentTarget.value = ''
            }}
          >
            <option value="">{open.length === 0 ? 'All are chosen' : 'Add…'}</option>
            {families.map((family) => {
              const members = open.filter((name) => familyOf(name) === family)
              const options = members.map((name) => (
                <option key={name} value={name}>
                  {words?.[name] ?? name}
                </option>
              ))
              return family === '' ? (
                options
              ) : (
                <optgroup key={family} label={family}>
                  {options}
                  {members.length > 1 && <option value={`${family}.*`}>{`All of ${family}`}</option>}
                </optgroup>
              )
            })}
          </select>
        </>
      )}
    </Field>
  )
}
