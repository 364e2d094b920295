/** Replaces the credential of a provider: its API key, and other values that are filled in. */
import { useState } from 'preact/hooks'
import { type ApiError, call, type Fault, ifMatch, urlOf } from '../../api.ts'
import { Alert } from '../../parts/alert.tsx'
import { textOf } from '../../parts/cells.tsx'
import {
  CredentialFields,
  credentialOf,
  faultFinder,
  nothingEntered,
} from '../../parts/credential-fields.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { faultsOf } from '../../parts/object-form.tsx'
import { notify } from '../../parts/toast.tsx'
import { asApiError, useQuery } from '../../query.tsx'

interface Props {
  integration: string
  /** The provider's name in the API. */
  provider: string
  onClose: () => void
  onSaved: () => void
}

export function ReplaceCredential({ integration, provider, onClose, onSaved }: Props) {
  const path = { id: integration }
  const current = useQuery(urlOf('/v1/integrations/{id}', { path }))
  const providers = useQuery(urlOf('/v1/ai-providers', { query: { page_size: 1000 } }))
  const [entered, setEntered] = useState(nothingEntered)
  const [error, setError] = useState<ApiError | null>(null)
  const [own, setOwn] = useState<readonly Fault[]>([])
  const chosen = providers.data?.data.find(({ id }) => id === provider)
  const faultOf = faultFinder(faultsOf(error, own))
  const save = async (event: Event) => {
    event.preventDefault()
    setError(null)
    const { key, configurations, bad } = credentialOf(chosen, entered)
    const body = {
      ...key,
      ...(Object.keys(configurations).length === 0 ? {} : { configurations }),
    }
    const isEmpty = Object.keys(body).length === 0
    setOwn(isEmpty ? [{ param: '/key', message: 'Enter the new key, or another value.' }] : bad)
    if (isEmpty || bad.length > 0) return
    try {
      await call('PUT', '/v1/integrations/{id}', { path, body, headers: ifMatch(current.etag) })
      notify('The credential was replaced. Test it before you revoke the old one at the provider.')
      onSaved()
    } catch (fault) {
      const known = asApiError(fault)
      setError(known)
      if (known.status === 412) current.reload()
    }
  }
  const shown = error ?? current.error ?? providers.error
  const masked = current.data?.masked_key
  return (
    <Dialog title="Replace the credential" onClose={onClose}>
      {shown !== null && <Alert>{shown.message}</Alert>}
      <p>
        {typeof masked === 'string' && `The current key is ${textOf(masked)}. `}Requests use the new
        credential at once, those of every provider that shares it. Fields that you leave empty keep their
        values.
      </p>
      <form onSubmit={(event) => void save(event)} noValidate>
        <CredentialFields
          provider={chosen}
          label="New API key"
          entered={entered}
          onChange={setEntered}
          faultOf={faultOf}
        />
        <div class="buttons">
          <button type="submit" class="primary" disabled={current.data === null}>
            Replace
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
