/** A list of objects, such as limits or conditions: one row of fields for each, and a button that adds another. */
import { useId, useRef } from 'preact/hooks'
import type { Fault } from '../api.ts'
import { type FieldSpec, hintOf, type PartSpec } from '../resources/declare.ts'
import { AreaField, SelectField, TextField } from './field.tsx'
import { faultsBelow, faultText, newRow, rowsOfText, type Texts, textOfRows } from './field-text.ts'
import { Proposals } from './proposals.tsx'

interface Props {
  spec: FieldSpec
  value: string
  onChange: (value: string) => void
  /** Errors with pointers below this field. */
  faults: readonly Fault[]
}

export function RowsField({ spec, value, onChange, faults }: Props) {
  const { label, hint, parts = [], singular = 'row' } = spec
  const id = useId()
  const list = useRef<HTMLFieldSetElement>(null)
  const rows = rowsOfText(value)
  const change = (next: readonly Texts[]) => onChange(textOfRows(next))
  const ofRow = rows.map((_, index) => faultsOfRow(faults, index))
  const known = new Set(ofRow.flat().map(({ message }) => message))
  const rest = faultText(faults.filter(({ message }) => !known.has(message)))
  const described = [hint === undefined ? '' : `${id}-hint`, rest === null ? '' : `${id}-fault`]
    .join(' ')
    .trim()
  const remove = (index: number) => {
    change(rows.filter((_, other) => other !== index))
    // The focused button was removed.
    list.current?.querySelector<HTMLElement>('.add')?.focus()
  }
  return (
    <fieldset ref={list} class="rows" aria-describedby={described === '' ? undefined : described}>
      <legend>{label}</legend>
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {rows.map((texts, index) => (
        <div key={index} class="row" role="group" aria-label={`${capital(singular)} ${index + 1}`}>
          {parts.map((part) => (
            <Part
              key={part.name}
              part={part}
              hint={hintOf(part, (member) => texts[member])}
              listId={`${id}-${part.name}`}
              value={texts[part.name] ?? ''}
              fault={faultText(faultsBelow(ofRow[index] ?? [], `/${part.name}`))}
              onChange={(text) =>
                change(rows.map((row, other) => (other === index ? { ...row, [part.name]: text } : row)))
              }
            />
          ))}
          <button type="button" aria-label={`Remove ${singular} ${index + 1}`} onClick={() => remove(index)}>
            Remove
          </button>
        </div>
      ))}
      <button type="button" class="add" onClick={() => change([...rows, newRow(parts)])}>
        Add {singular}
      </button>
      {rest !== null && (
        <p id={`${id}-fault`} class="fault">
          {rest}
        </p>
      )}
      {parts.map(({ name, proposed }) => (
        <Proposals key={name} id={`${id}-${name}`} proposed={proposed} />
      ))}
    </fieldset>
  )
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** The pointers of a single object have no index. */
const faultsOfRow = (faults: readonly Fault[], index: number): Fault[] => [
  ...faultsBelow(faults, `/${index}`).filter(({ param }) => param !== ''),
  ...(index === 0 ? faults.filter(({ param }) => /^\/[a-z]/.test(param ?? '')) : []),
]

interface PartProps {
  part: PartSpec
  hint: string | undefined
  listId: string
  value: string
  fault: string | null
  onChange: (text: string) => void
}

const maxLines = 6

function Part({ part: { label, kind, options, proposed }, hint, listId, ...shared }: PartProps) {
  if (kind === 'select') return <SelectField {...shared} label={label} hint={hint} options={options ?? []} />
  if (kind === 'lines') {
    const lines = shared.value.split('\n').length
    return <AreaField {...shared} label={label} hint={hint} rows={Math.min(maxLines, lines)} />
  }
  return (
    <TextField
      {...shared}
      label={label}
      hint={hint}
      type={kind === 'number' ? 'number' : 'text'}
      {...(proposed === undefined ? {} : { list: listId })}
    />
  )
}
