/** The guardrails of a node, selected by name. */
import { urlOf } from '../../api.ts'
import { textOf } from '../../parts/cells.tsx'
import { type Query, useQuery } from '../../query.tsx'
import { useMay } from '../../session.tsx'

type Side = 'input' | 'output'

interface Props {
  workspace: string | null
  /** The slugs of the selected guardrails. */
  input: readonly string[]
  output: readonly string[]
  /** Whether some guardrails are inline. Those can only be edited as JSON. */
  isWritten: boolean
  onChange: (side: Side, slugs: readonly string[]) => void
}

/** Explains why there is nothing to select. */
function whyNone({ data, error, isBusy }: Query<unknown>): string {
  if (isBusy) return 'Loading…'
  if (error !== null) return error.message
  return data === null
    ? 'You may not list guardrails: name them in the JSON.'
    : 'There are no guardrails yet.'
}

export function GuardrailChoice({ workspace, input, output, isWritten, onChange }: Props) {
  const may = useMay()
  const found = useQuery(
    may(['guardrails.list'])
      ? urlOf('/v1/guardrails', {
          query: { page_size: 200, sort: 'name', order: 'asc', workspace_id: workspace || null },
        })
      : null,
  )
  const rows = (found.data?.data ?? []).map(({ slug, name }) => ({
    slug: textOf(slug),
    name: textOf(name ?? slug),
  }))
  if (isWritten) return <p class="note">Its guardrails are written in place: edit them in the JSON.</p>
  const sides: readonly (readonly [Side, string, readonly string[]])[] = [
    ['input', 'Guardrails on requests', input],
    ['output', 'Guardrails on responses', output],
  ]
  return (
    <div class="pair">
      {sides.map(([side, label, chosen]) => (
        <fieldset key={side} class="choices">
          <legend>{label}</legend>
          {rows.length === 0 && <p class="hint">{whyNone(found)}</p>}
          {[
            ...rows,
            ...chosen
              .filter((slug) => rows.every((row) => row.slug !== slug))
              .map((slug) => ({ slug, name: slug })),
          ].map(({ slug, name }) => (
            <label key={slug} class="switch">
              <input
                type="checkbox"
                checked={chosen.includes(slug)}
                onChange={(event) =>
                  onChange(
                    side,
                    event.currentTarget.checked ? [...chosen, slug] : chosen.filter((one) => one !== slug),
                  )
                }
              />
              {name}
            </label>
          ))}
        </fieldset>
      ))}
    </div>
  )
}
