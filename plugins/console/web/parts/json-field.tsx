/**
 * A JSON field with errors at their lines. A large field becomes an editor with completion once the editor is loaded.
 * Until then, and if loading fails, it is a plain text area.
 */
import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Fault, Row } from '../api.ts'
import { Field } from './field.tsx'
import type { EditorProps } from './json-editor.tsx'
import { lineOf, scanJson } from './json-lines.ts'

interface Props {
  label: string
  value: string
  onChange: (value: string) => void
  /** Errors with pointers relative to this field. */
  faults: readonly Fault[]
  rows?: number
  hint?: string | undefined
  /** The schema for completion; a field with a schema becomes an editor. */
  schema?: Promise<Row | null> | null | undefined
  isEditor?: boolean
}

interface Shown {
  line: number
  message: string
}

/** The text area stays while the user is typing in it. */
function useEditor(isWanted: boolean, area: { current: HTMLTextAreaElement | null }) {
  const [Editor, setEditor] = useState<ComponentType<EditorProps> | null>(null)
  useEffect(() => {
    if (!isWanted) return
    let isGone = false
    import('./json-editor.tsx').then(
      ({ JsonEditor }) => {
        if (!isGone && document.activeElement !== area.current) setEditor(() => JsonEditor)
      },
      (error) => console.info('The editor cannot be loaded; the text area stays: ', error),
    )
    return () => {
      isGone = true
    }
  }, [])
  return Editor
}

export function JsonField({
  label,
  value,
  onChange,
  faults,
  rows = 16,
  hint,
  schema = null,
  isEditor = false,
}: Props) {
  const area = useRef<HTMLTextAreaElement>(null)
  const goToLine = useRef<(line: number) => void>(() => undefined)
  const Editor = useEditor(isEditor, area)
  const { lines, fault } = scanJson(value)
  const isBlank = value.trim() === ''
  const shown: readonly Shown[] =
    fault !== null && !isBlank
      ? [fault]
      : faults.map(({ param, message }) => ({
          line: lineOf(lines, param ?? ''),
          message: `${param === null || param === '' ? '' : `${param}: `}${message}`,
        }))
  return (
    <Field
      label={label}
      hint={hint}
      fault={
        shown.length > 0 ? `${shown.length} ${shown.length === 1 ? 'fault' : 'faults'}, listed below` : null
      }
      isGroup={Editor !== null}
    >
      {(control) => (
        <>
          {Editor === null ? (
            <PlainEditor {...{ control, area, rows, value, onChange, goToLine, shown }} />
          ) : (
            <Editor
              {...{ label, value, onChange, schema }}
              faults={shown}
              isInvalid={control['aria-invalid'] === 'true'}
              describedBy={control['aria-describedby']}
              onReady={(goTo) => {
                goToLine.current = goTo
              }}
            />
          )}
          {shown.length > 0 && (
            <ul class="faults" aria-label={`Faults of ${label}`}>
              {shown.map(({ line, message }) => (
                <li key={`${line} ${message}`}>
                  <button type="button" class="link" onClick={() => goToLine.current(line)}>
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

interface PlainProps {
  control: object
  area: { current: HTMLTextAreaElement | null }
  rows: number
  value: string
  onChange: (value: string) => void
  goToLine: { current: (line: number) => void }
  shown: readonly Shown[]
}

function PlainEditor({ control, area, rows, value, onChange, goToLine, shown }: PlainProps) {
  const gutter = useRef<HTMLPreElement>(null)
  const texts = value.split('\n')
  const faulty = new Set(shown.map(({ line }) => line))
  goToLine.current = (line) => {
    const start = texts.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0)
    const end = value.indexOf('\n', start)
    area.current?.focus()
    area.current?.setSelectionRange(start, end === -1 ? value.length : end)
  }
  return (
    <div class="editor">
      <pre ref={gutter} aria-hidden="true">
        {texts.map((_, index) => (
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
  )
}
