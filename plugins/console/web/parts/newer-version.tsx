/** Shows a version that another user saved next to the unsaved one, and asks which to continue with. */
import type { FieldSpec } from '../resources.ts'
import { DiffView } from './diff-view.tsx'
import type { Texts } from './field-text.ts'
import { changedFields } from './rebase-texts.ts'

interface Props {
  fields: readonly FieldSpec[]
  base: Texts
  mine: Texts
  theirs: Texts
  onKeep: () => void
  onDiscard: () => void
}

export function NewerVersion({ fields, base, mine, theirs, onKeep, onDiscard }: Props) {
  const byThem = changedFields(base, theirs)
  const byMe = changedFields(base, mine)
  const shown = fields.filter(({ name }) => byThem.includes(name))
  return (
    <section class="newer" aria-label="Newer version">
      <h2>There is a newer version</h2>
      <p class="about">It was saved after you opened this page. Your changes are still in the form.</p>
      {shown.map(({ name, label }) => {
        const isBoth = byMe.includes(name) && mine[name] !== theirs[name]
        return (
          <div key={name}>
            <h3>
              {label}: {isBoth ? 'saved version and yours' : 'before and saved version'}
            </h3>
            <DiffView
              label={`Difference of ${label}`}
              before={(isBoth ? theirs[name] : base[name]) ?? ''}
              after={(isBoth ? mine[name] : theirs[name]) ?? ''}
            />
          </div>
        )
      })}
      <div class="buttons">
        <button type="button" class="primary" onClick={onKeep}>
          Keep my changes
        </button>
        <button type="button" onClick={onDiscard}>
          Use the saved version
        </button>
      </div>
    </section>
  )
}
