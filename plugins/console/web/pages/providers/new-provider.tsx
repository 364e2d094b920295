/** Connects a provider: its credential becomes an integration of a workspace, with a provider of the same name. */
import { useState } from 'preact/hooks'
import { type ApiError, call, type Fault, type Row, urlOf } from '../../api.ts'
import { Alert } from '../../parts/alert.tsx'
import { textOf } from '../../parts/cells.tsx'
import {
  CredentialFields,
  credentialOf,
  faultFinder,
  nothingEntered,
} from '../../parts/credential-fields.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { faultsOf, WorkspaceField } from '../../parts/object-form.tsx'
import { Page } from '../../parts/page.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { asApiError, useQuery } from '../../query.tsx'
import { navigate, root } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import { useUnsaved } from '../../unsaved.tsx'

const scopes = ['workspace_integrations.create', 'organisation_integrations.create']

/** The most common providers come first. */
const first = ['openai', 'anthropic', 'azure-openai', 'bedrock', 'google', 'vertex-ai']

function sorted(providers: readonly Row[]): readonly Row[] {
  const rank = ({ id }: Row) => (first.includes(String(id)) ? first.indexOf(String(id)) : first.length)
  return [...providers].sort(
    (one, other) => rank(one) - rank(other) || textOf(one.name).localeCompare(textOf(other.name)),
  )
}

export function NewProviderPage() {
  const may = useMay()
  const { data, error, isBusy, reload } = useQuery(
    may(scopes) ? urlOf('/v1/ai-providers', { query: { page_size: 1000 } }) : null,
  )
  return (
    <Page title="New provider" isBusy={isBusy} error={error} onRetry={reload} scopes={scopes}>
      <p class="about">The credential is stored encrypted. Requests refer to the provider as @slug.</p>
      {data === null && isBusy && <Skeleton />}
      {data !== null && <Form providers={sorted(data.data)} />}
    </Page>
  )
}

function Form({ providers }: { providers: readonly Row[] }) {
  const [provider, setProvider] = useState(textOf(providers[0]?.id))
  const [name, setName] = useState('')
  const [workspace, setWorkspace] = useState('')
  const [entered, setEntered] = useState(nothingEntered)
  const [error, setError] = useState<ApiError | null>(null)
  const [own, setOwn] = useState<readonly Fault[]>([])
  const [isBusy, setBusy] = useState(false)
  const [isLoading, setLoading] = useState(false)
  const release = useUnsaved([name, entered.key, ...Object.values(entered.texts)].some((text) => text !== ''))
  const chosen = providers.find(({ id }) => id === provider)
  const faultOf = faultFinder(faultsOf(error, own))
  const create = async (event: Event) => {
    event.preventDefault()
    setError(null)
    const { key, configurations, bad } = credentialOf(chosen, entered)
    setOwn(bad)
    if (bad.length > 0) return
    setBusy(true)
    const body = {
      name: name.trim() === '' ? provider : name.trim(),
      ai_provider_id: provider,
      configurations,
      ...key,
      ...(workspace === '' ? {} : { workspace_id: workspace }),
    }
    try {
      const { default_provider: made } = await call('POST', '/v1/integrations', { body })
      setEntered(nothingEntered)
      release()
      navigate(`${root}/providers${made === null || made === undefined ? '' : `/${made.id}`}`)
    } catch (fault) {
      setError(asApiError(fault))
      setBusy(false)
    }
  }
  return (
    <>
      {error !== null && <Alert>{error.message}</Alert>}
      <form class="form" onSubmit={(event) => void create(event)} noValidate>
        <SelectField
          label="Provider"
          value={provider}
          onChange={setProvider}
          fault={faultOf('/ai_provider_id')}
          options={providers.map(({ id, name: title }) => [textOf(id), textOf(title)] as const)}
        />
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          fault={faultOf('/name')}
          placeholder={provider}
        />
        <CredentialFields
          provider={chosen}
          label="API key"
          entered={entered}
          onChange={setEntered}
          faultOf={faultOf}
        />
        <WorkspaceField
          value={workspace}
          onChange={setWorkspace}
          fault={faultOf('/workspace_id') ?? null}
          onLoading={setLoading}
        />
        <div class="buttons">
          <button type="submit" class="primary" disabled={isBusy || isLoading}>
            Create
          </button>
        </div>
      </form>
    </>
  )
}
