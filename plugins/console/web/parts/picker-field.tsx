/**
 * A field that refers to another object, selected by name. Without the right to list such objects, it is a text field.
 */
import { type Row, urlOf } from '../api.ts'
import { useQuery } from '../query.tsx'
import type { FieldSpec } from '../resources.ts'
import { textOf } from './cells.tsx'
import { SelectField, TextField } from './field.tsx'

interface Props {
  label: string
  hint?: string | undefined
  fault?: string | null | undefined
  value: string
  onChange: (value: string) => void
  picks: NonNullable<FieldSpec['picks']>
  isRequired?: boolean | undefined
  /** Offers only objects of this workspace. */
  workspace?: string | null
  /** The label of an empty selection. */
  none?: string | undefined
}

/** The maximum number of options; with more objects, the user types the value. */
const most = 200

export function PickerField({ picks, workspace = null, isRequired = false, none = 'None', ...field }: Props) {
  const found = useQuery<{ data: readonly Row[]; total: number }>(
    urlOf(picks.api, {
      query: { page_size: most, sort: 'name', order: 'asc', workspace_id: workspace || null },
    }),
  )
  const rows: readonly Row[] = found.data?.data ?? []
  const isWhole = found.data !== null && found.data.total <= most
  const options = rows.flatMap((row) => {
    const value = row[picks.value]
    return typeof value === 'string' ? [[value, optionText(row)] as const] : []
  })
  if (!isWhole && !found.isBusy) return <TextField {...field} isRequired={isRequired} />
  const isKnown = field.value === '' || options.some(([value]) => value === field.value)
  return (
    <SelectField
      {...field}
      options={[
        ...(isRequired && field.value !== '' ? [] : [['', isRequired ? 'Choose one' : none] as const]),
        ...(isKnown ? [] : [[field.value, field.value] as const]),
        ...options,
      ]}
    />
  )
}

const optionText = ({ name, slug, id }: Row): string => {
  const shown = textOf(name ?? slug ?? id)
  return slug === null || slug === undefined || slug === shown ? shown : `${shown} (${textOf(slug)})`
}
