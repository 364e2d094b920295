/** A new object of any kind, by its resource's table. */
import { useState } from 'preact/hooks'
import { type ApiError, call } from '../api.ts'
import { Alert } from '../parts/alert.tsx'
import { bodyOf, faultsOf, initialTexts, ObjectFields } from '../parts/object-form.tsx'
import { Page } from '../parts/page.tsx'
import { asApiError } from '../query.tsx'
import { type Resource, scopesFor } from '../resources.ts'
import { navigate, root } from '../router.tsx'

export function CreatePage({ resource }: { resource: Resource }) {
  const fields = resource.fields.filter(({ on }) => on !== 'edit')
  const [texts, setTexts] = useState(initialTexts(fields))
  const [error, setError] = useState<ApiError | null>(null)
  const [own, setOwn] = useState(faultsOf(null))
  const [isBusy, setBusy] = useState(false)
  const create = async (event: Event) => {
    event.preventDefault()
    const { body, faults } = bodyOf(fields, texts, null)
    setOwn(faults)
    setError(null)
    if (faults.length > 0) return
    setBusy(true)
    try {
      const made = await call('POST', resource.api, body)
      navigate(`${root}/${resource.path}/${encodeURIComponent(String(made.id))}`)
    } catch (fault) {
      setError(asApiError(fault))
      setBusy(false)
    }
  }
  return (
    <Page title={`New ${resource.singular}`} isBusy={isBusy} scopes={scopesFor(resource, 'create')}>
      <p class="about">{resource.about}</p>
      {error !== null && <Alert>{error.message}</Alert>}
      <form class="form" onSubmit={(event) => void create(event)} noValidate>
        <ObjectFields fields={fields} texts={texts} onChange={setTexts} faults={faultsOf(error, own)} />
        <div class="buttons">
          <button type="submit" class="primary" disabled={isBusy}>
            Create
          </button>
        </div>
      </form>
    </Page>
  )
}
