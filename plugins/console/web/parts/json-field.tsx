/** A JSON editor: a plain text area with line numbers, and faults at their lines. */
import { useRef } from 'preact/hooks'
import type { Fault } from '../api.ts'
import { Field } from './field.tsx'
import { lineOf, scanJson } from './json-lines.ts'

interface Props {
  label: string
  value: string
  onChange: (value: string) => void
  /** With pointers below this field. */
  faults: readonly Fault[]
  rows?: number
  hint?: string | undefined
}

export function JsonField({ label, value, onChange, faults, rows = 16, hint }: Props) {
  const gutter = useRef<HTMLPreElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const { lines, fault } = scanJson(value)
  const isBlank = value.trim() === ''
  const shown =
    fault !== null && !isBlank
      ? [fault]
      : faults.map(({ param, message }) => ({
          line: lineOf(lines, param ?? ''),
          message: `${param === null || param === '' ? '' : `${param}: `}${message}`,
        }))
  const count = value.split('\n').length
  const goTo = (line: number) => {
    const start =
      value
        .split('\n')
        .slice(0, line - 1)
        .join('\n').length + (line > 1 ? 1 : 0)
    const end = value.indexOf('\n', start)
    area.current?.focus()
    area.current?.setSelectionRange(start, end === -1 ? value.length : end)
  }
  const faulty = new Set(shown.map(({ line }) => line))
  return (
    <Field
      label={label}
      hint={hint}
      fault={shown.length > 0 ? `${shown.length} fault(s), listed below` : null}
    >
      {(control) => (
        <>
          <div class="editor">
            <pre ref={gutter} aria-hidden="true">
              {Array.from({ length: count }, (_, index) => (
                <span key={index} class={faulty.has(index + 1) ? 'bad' : undefined}>
                  {`${index + 1}\n`}
                </span>
              ))}
            </pre>
            <textarea
              {...control}
              ref={area}
              rows={rows}
              spellcheck={false}
              wrap="off"
              value={value}
              onInput={(event) => onChange(event.currentTarget.value)}
              onScroll={(event) => {
                if (gutter.current !== null) gutter.current.scrollTop = event.currentTarget.scrollTop
              }}
            />
          </div>
          {shown.length > 0 && (
            <ul class="faults" aria-label={`Faults of ${label}`}>
              {shown.map(({ line, message }) => (
                <li key={`${line} ${message}`}>
                  <button type="button" class="link" onClick={() => goTo(line)}>
                    Line {line}
                  </button>{' '}
                  {message}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Field>
  )
}
