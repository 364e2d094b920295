/** A labelled field of a form, with its errors next to it. */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface Control {
  id: string
  'aria-invalid'?: 'true' | undefined
  'aria-describedby'?: string | undefined
}

interface Props {
  label: string
  fault?: string | null | undefined
  hint?: string | undefined
  /** Whether the content is not a single form control and has its own labels. */
  isGroup?: boolean
  children: (control: Control) => ComponentChildren
}

export function Field({ label, fault, hint, isGroup = false, children }: Props) {
  const id = useId()
  const isFaulty = fault !== undefined && fault !== null
  const described = [hint === undefined ? '' : `${id}-hint`, isFaulty ? `${id}-fault` : ''].filter(Boolean)
  return (
    <div class="field">
      {isGroup ? <p class="label">{label}</p> : <label for={id}>{label}</label>}
      {children({
        id,
        'aria-invalid': isFaulty ? 'true' : undefined,
        'aria-describedby': described.length > 0 ? described.join(' ') : undefined,
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {isFaulty && (
        <p id={`${id}-fault`} class="fault">
          {fault}
        </p>
      )}
    </div>
  )
}

interface TextProps extends Omit<Props, 'children'> {
  value: string
  onChange: (value: string) => void
  type?: 'text' | 'password' | 'email' | 'number' | 'url' | 'datetime-local'
  autocomplete?: string
  isRequired?: boolean
  isReadOnly?: boolean
  placeholder?: string
  /** The id of a `datalist`. */
  list?: string | undefined
  inputMode?: 'decimal' | undefined
}

export const TextField = ({ value, onChange, type = 'text', ...rest }: TextProps) => (
  <Field label={rest.label} fault={rest.fault} hint={rest.hint}>
    {(control) => (
      <input
        {...control}
        // JSX requires a literal input type.
        type={type as 'text'}
        value={value}
        step={type === 'number' ? 'any' : undefined}
        required={rest.isRequired}
        readOnly={rest.isReadOnly}
        placeholder={rest.placeholder}
        list={rest.list}
        inputMode={rest.inputMode}
        autocomplete={rest.autocomplete ?? 'off'}
        spellcheck={false}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
)

interface SelectProps extends Omit<Props, 'children'> {
  value: string
  onChange: (value: string) => void
  /** Each option's value and label. */
  options: readonly (readonly [string, string])[]
}

export const SelectField = ({ value, onChange, options, ...rest }: SelectProps) => (
  <Field {...rest}>
    {(control) => (
      <select {...control} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
)

interface AreaProps extends Omit<Props, 'children'> {
  value: string
  onChange: (value: string) => void
  rows?: number
  isCode?: boolean
}

export const AreaField = ({ value, onChange, rows = 3, isCode = false, ...rest }: AreaProps) => (
  <Field {...rest}>
    {(control) => (
      <textarea
        {...control}
        class={isCode ? 'code' : undefined}
        rows={rows}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
)
