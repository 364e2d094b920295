/** A date and a time, in the user's time zone. */
import { Field } from './field.tsx'
import { incompleteTime } from './field-text.ts'

interface Props {
  label: string
  hint?: string | undefined
  fault: string | null
  /** The value of the input, or {@link incompleteTime}. */
  value: string
  onChange: (value: string) => void
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

export function TimeField({ label, hint = '', fault, value, onChange }: Props) {
  // A partially filled input has no value and reports no change.
  const read = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    const text = currentTarget.validity.badInput ? incompleteTime : currentTarget.value
    if (text !== value) onChange(text)
  }
  return (
    <Field label={label} fault={fault} hint={`In the time zone ${zone}. ${hint}`.trim()}>
      {(control) => (
        <input
          {...control}
          type="datetime-local"
          value={value === incompleteTime ? '' : value}
          onInput={read}
          onKeyUp={read}
          onBlur={read}
        />
      )}
    </Field>
  )
}
