/** Connecting a provider: its credential becomes an integration of a workspace, with a provider of the same name. */
import { useState } from 'preact/hooks'
import { type ApiError, call, type Fault, type Row } from '../api.ts'
import { credentialFields, providerNames } from '../data-providers.ts'
import { Alert } from '../parts/alert.tsx'
import { AreaField, SelectField, TextField } from '../parts/field.tsx'
import { faultsOf, WorkspaceField } from '../parts/object-form.tsx'
import { Page } from '../parts/page.tsx'
import { asApiError } from '../query.tsx'
import { navigate, root } from '../router.tsx'

const scopes = ['workspace_integrations.create', 'organisation_integrations.create']

export function NewProviderPage() {
  const [provider, setProvider] = useState(providerNames[0] ?? '')
  const [name, setName] = useState('')
  const [key, setKey] = useState('')
  const [workspace, setWorkspace] = useState('')
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const [error, setError] = useState<ApiError | null>(null)
  const [own, setOwn] = useState<readonly Fault[]>([])
  const [isBusy, setBusy] = useState(false)
  const fields = credentialFields(provider)
  const faults = faultsOf(error, own)
  const faultOf = (param: string) => faults.find((one) => one.param === param)?.message
  const create = async (event: Event) => {
    event.preventDefault()
    setError(null)
    const configurations: Row = {}
    const bad: Fault[] = []
    for (const field of fields) {
      const text = (texts[field.name] ?? '').trim()
      if (text === '') continue
      try {
        configurations[field.name] = field.isJson === true ? JSON.parse(text) : text
      } catch {
        bad.push({ param: `/configurations/${field.name}`, message: 'This is not JSON.' })
      }
    }
    setOwn(bad)
    if (bad.length > 0) return
    setBusy(true)
    const body: Row = {
      name: name.trim() === '' ? provider : name.trim(),
      ai_provider_id: provider,
      configurations,
    }
    if (key.trim() !== '') body.key = key.trim()
    if (workspace !== '') body.workspace_id = workspace
    try {
      const made = await call('POST', '/v1/integrations', body)
      const started = made.default_provider
      const id =
        typeof started === 'object' && started !== null && !Array.isArray(started) ? String(started.id) : ''
      setKey('')
      navigate(`${root}/providers${id === '' ? '' : `/${id}`}`)
    } catch (fault) {
      setError(asApiError(fault))
      setBusy(false)
    }
  }
  return (
    <Page title="New provider" isBusy={isBusy} scopes={scopes}>
      <p class="about">The credential is stored encrypted. Requests name the provider as @slug.</p>
      {error !== null && <Alert>{error.message}</Alert>}
      <form class="form" onSubmit={(event) => void create(event)} noValidate>
        <SelectField
          label="Provider"
          value={provider}
          onChange={setProvider}
          fault={faultOf('/ai_provider_id')}
          options={providerNames.map((one) => [one, one] as const)}
        />
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          fault={faultOf('/name')}
          placeholder={provider}
        />
        <TextField
          label="API key"
          type="password"
          autocomplete="new-password"
          value={key}
          onChange={setKey}
          fault={faultOf('/key')}
        />
        {fields.map(({ name: field, label, hint, isJson }) => {
          const shared = {
            label,
            hint,
            value: texts[field] ?? '',
            onChange: (text: string) => setTexts((old) => ({ ...old, [field]: text })),
            fault: faultOf(`/configurations/${field}`),
          }
          return isJson === true ? (
            <AreaField key={field} {...shared} />
          ) : (
            <TextField key={field} {...shared} />
          )
        })}
        <WorkspaceField value={workspace} onChange={setWorkspace} fault={faultOf('/workspace_id') ?? null} />
        <div class="buttons">
          <button type="submit" class="primary" disabled={isBusy}>
            Create
          </button>
        </div>
      </form>
    </Page>
  )
}
