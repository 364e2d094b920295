/** All parts of the console on one page, for a check after changes: `/console/gallery`, which no page links to. */
import { useState } from 'preact/hooks'
import { initialTexts } from '../../parts/field-text.ts'
import { ObjectFields } from '../../parts/object-form.tsx'
import { Page } from '../../parts/page.tsx'
import { galleryFields } from './gallery-fields.ts'
import { galleryParts } from './gallery-parts.tsx'

const faults = galleryFields
  .filter(({ name }) => ['text', 'number', 'list'].includes(name))
  .map(({ name }) => ({ param: `/${name}`, message: 'is not accepted' }))

export function GalleryPage() {
  const [texts, setTexts] = useState(initialTexts(galleryFields))
  const [isFaulty, setFaulty] = useState(false)
  return (
    <Page title="Gallery">
      {galleryParts.map(([title, Part]) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          <Part />
        </section>
      ))}
      <section aria-label="Fields">
        <h2>Fields</h2>
        <label class="switch">
          <input
            type="checkbox"
            checked={isFaulty}
            onChange={(event) => setFaulty(event.currentTarget.checked)}
          />{' '}
          With faults
        </label>
        <form class="form" onSubmit={(event) => event.preventDefault()} noValidate>
          <ObjectFields
            fields={galleryFields}
            texts={texts}
            onChange={setTexts}
            faults={isFaulty ? faults : []}
          />
        </form>
      </section>
    </Page>
  )
}
