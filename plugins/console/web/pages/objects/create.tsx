/** A form for a new object of any kind, generated from its resource. */
import { useState } from 'preact/hooks'
import { type ApiError, send } from '../../api.ts'
import { rowOf } from '../../json.ts'
import { Alert } from '../../parts/alert.tsx'
import { bodyOf, initialTexts } from '../../parts/field-text.ts'
import { type Loader, NotLoaded, useLoaded } from '../../parts/loaded.tsx'
import { faultsOf, ObjectFields } from '../../parts/object-form.tsx'
import { Page } from '../../parts/page.tsx'
import { changedFields } from '../../parts/rebase-texts.ts'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { HistoryContext, useTextHistory } from '../../parts/text-history.tsx'
import { asApiError } from '../../query.tsx'
import { type Resource, scopesFor } from '../../resources.ts'
import { navigate, root } from '../../router.tsx'
import { useUnsaved } from '../../unsaved.tsx'
import { NewKey } from '../keys/keys.tsx'
import type { BesideProps } from './extras.ts'

/** A secret that is shown once, before the page of its object opens. */
interface Once {
  secret: string
  path: string
  isKey: boolean
}

/** Content next to the form, by kind. */
const besideForm: Readonly<Record<string, Loader<BesideProps>>> = {
  configs: async () => (await import('../configs/new-config.tsx')).NewConfig,
}

export function CreatePage({ resource }: { resource: Resource }) {
  const fields = resource.fields.filter(({ on }) => on !== 'edit')
  const [texts, setTexts] = useState(initialTexts(fields))
  const [error, setError] = useState<ApiError | null>(null)
  const [own, setOwn] = useState(faultsOf(null))
  const [isBusy, setBusy] = useState(false)
  const [isLoading, setLoading] = useState(false)
  const [first] = useState(texts)
  // A field that is filled in automatically is not a change.
  const release = useUnsaved(changedFields(first, texts).some((name) => name !== 'workspace_id'))
  const [once, setOnce] = useState<Once | null>(null)
  const history = useTextHistory(texts.config ?? '', (config) => setTexts((now) => ({ ...now, config })))
  const { Component: Beside, isFailed } = useLoaded(besideForm[resource.path])
  const create = async (event: Event) => {
    event.preventDefault()
    const { body, faults } = bodyOf(fields, texts, null)
    setOwn(faults)
    setError(null)
    if (faults.length > 0) return
    setBusy(true)
    try {
      const made = rowOf(await (await send('POST', resource.api, { body })).json())
      const path = `${root}/${resource.path}/${encodeURIComponent(String(made.id))}`
      release()
      const secret = made.key ?? made.secret
      if (typeof secret === 'string') setOnce({ secret, path, isKey: secret === made.key })
      else navigate(path)
    } catch (fault) {
      setError(asApiError(fault))
      setBusy(false)
    }
  }
  return (
    <Page title={`New ${resource.singular}`} isBusy={isBusy} scopes={scopesFor(resource, 'create')}>
      <p class="about">{resource.about}</p>
      {error !== null && <Alert>{error.message}</Alert>}
      <div class={resource.path === 'configs' ? 'beside' : undefined}>
        <HistoryContext.Provider value={resource.path === 'configs' ? history : null}>
          <form class="form" onSubmit={(event) => void create(event)} noValidate>
            <ObjectFields
              fields={fields}
              texts={texts}
              onChange={setTexts}
              faults={faultsOf(error, own)}
              onLoading={setLoading}
            />
            <div class="buttons">
              <button type="submit" class="primary" disabled={isBusy || isLoading}>
                Create
              </button>
            </div>
          </form>
        </HistoryContext.Provider>
        {isFailed && <NotLoaded what="A part of this page" />}
        {Beside !== null && <Beside texts={texts} history={history} />}
      </div>
      {once?.isKey === true && <NewKey text={once.secret} onClose={() => navigate(once.path)} />}
      {once?.isKey === false && (
        <SecretDialog
          title="Your new secret"
          label="Your secret"
          secret={once.secret}
          onClose={() => navigate(once.path)}
        >
          Copy it now. It signs the deliveries, and you cannot see it again.
        </SecretDialog>
      )}
    </Page>
  )
}
