/** A field for the name of a model: any text, with the models of connected providers as suggestions. */
import { useId } from 'preact/hooks'
import { urlOf } from '../api.ts'
import { useQuery } from '../query.tsx'
import { useMay } from '../session.tsx'
import { TextField } from './field.tsx'

interface Props {
  label: string
  hint?: string | undefined
  fault: string | null
  value: string
  onChange: (value: string) => void
}

const most = 200

export function ModelField(props: Props) {
  const id = useId()
  const may = useMay()
  const { data } = useQuery(may(['models.list']) ? urlOf('/v1/models', { query: { limit: most } }) : null)
  return (
    <>
      <TextField {...props} list={`${id}-models`} />
      <datalist id={`${id}-models`}>
        {(data?.data ?? []).map((model) => (
          <option key={String(model.id)} value={String(model.id)} />
        ))}
      </datalist>
    </>
  )
}
