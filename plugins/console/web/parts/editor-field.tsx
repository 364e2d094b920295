/** A large JSON field with completion from a schema, validated by the gateway while typing. */
import { useEffect, useState } from 'preact/hooks'
import { call, type Fault } from '../api.ts'
import { rowsOf } from '../json.ts'
import { JsonField } from './json-field.tsx'
import { loadSchema, type SchemaName } from './schemas.tsx'

interface Props {
  label: string
  hint: string | undefined
  value: string
  onChange: (value: string) => void
  /** Errors of the last request. */
  faults: readonly Fault[]
  rows: number
  schema: SchemaName | undefined
  workspace: string | null
}

const pauseMs = 600

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // The field itself shows where the JSON is invalid.
    return undefined
  }
}

/** Errors that the gateway would report, loaded when typing pauses. */
function useLiveFaults(value: string, isChecked: boolean, workspace: string | null): readonly Fault[] {
  const [faults, setFaults] = useState<readonly Fault[]>([])
  const [first] = useState(value)
  useEffect(() => {
    setFaults([])
    const config = parsed(value)
    if (!isChecked || value === first || config === undefined) return
    const control = new AbortController()
    const timer = setTimeout(async () => {
      try {
        const answer = await call('POST', '/v1/configs/validate', {
          query: { workspace_id: workspace },
          body: { config },
          signal: control.signal,
        })
        const found = rowsOf(answer.errors).map(({ param, message }) => ({
          param: String(param ?? '').replace(/^\/config(?=\/|$)/, ''),
          message: String(message),
        }))
        if (!control.signal.aborted) setFaults(found)
      } catch (error) {
        if (!control.signal.aborted) console.info('The config could not be checked: ', error)
      }
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      control.abort()
    }
  }, [value])
  return faults
}

export function EditorField({ schema: name, faults, workspace, ...rest }: Props) {
  const [schema] = useState(() =>
    name === undefined
      ? null
      : loadSchema(name).catch((error) => {
          console.info('Nothing is proposed: ', error)
          return null
        }),
  )
  const live = useLiveFaults(rest.value, name === 'config', workspace)
  return <JsonField {...rest} schema={schema} isEditor faults={faults.length > 0 ? faults : live} />
}
