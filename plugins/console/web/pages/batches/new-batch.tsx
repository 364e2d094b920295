/** A form for a new batch: its file of requests, their endpoint, and whether it starts immediately. */

import { useState } from 'preact/hooks'
import { call, urlOf } from '../../api.ts'
import type { Body } from '../../api-types.ts'
import { formatSeconds } from '../../parts/cells.tsx'
import { SelectField } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { PickerField } from '../../parts/picker-field.tsx'
import { notify } from '../../parts/toast.tsx'
import { useQuery } from '../../query.tsx'
import type { ListProps } from './list-props.ts'

type BatchBody = Body<'post', '/v1/batches'>

const endpoints = [
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/embeddings',
  '/v1/completions',
  '/v1/moderations',
] as const satisfies readonly BatchBody['endpoint'][]

interface Props extends ListProps {
  onClose: () => void
  onStarted: () => void
}

export function NewBatch({ headers, onClose, onStarted }: Props) {
  const files = useQuery(urlOf('/v1/files', { query: { purpose: 'batch', limit: 100 } }), headers)
  const [file, setFile] = useState('')
  const [endpoint, setEndpoint] = useState<string>(endpoints[0])
  const [isAtOnce, setAtOnce] = useState(true)
  const [provider, setProvider] = useState('')
  const [config, setConfig] = useState('')
  const rows = files.data?.data ?? []
  const chosen = file === '' ? (rows[0]?.id ?? '') : file
  const start = async () => {
    await call('POST', '/v1/batches', {
      headers: {
        ...headers,
        ...(provider === '' ? {} : { 'x-gateway-virtual-key': provider }),
        ...(config === '' ? {} : { 'x-gateway-config': config }),
      },
      body: {
        input_file_id: chosen,
        endpoint: endpoints.find((one) => one === endpoint) ?? endpoints[0],
        completion_window: isAtOnce ? 'immediate' : '24h',
      },
    })
    notify('The batch has started.')
    onStarted()
  }
  return (
    <FormDialog
      title="Start a batch"
      action="Start"
      onSend={start}
      onClose={onClose}
      canSend={chosen !== '' && (provider !== '' || config !== '')}
      loadError={files.error}
    >
      {() => (
        <>
          <SelectField
            label="File of requests"
            value={chosen}
            onChange={setFile}
            hint={`JSON lines: custom_id, method, url and body.${files.data?.data.length === 0 ? ' Upload one on this page first.' : ''}`}
            options={
              rows.length === 0
                ? [
                    [
                      '',
                      files.data === null
                        ? files.isBusy
                          ? 'Loading…'
                          : 'Could not be loaded'
                        : 'No file with the purpose batch yet',
                    ],
                  ]
                : rows.map(
                    ({ id, filename, created_at: at }) => [id, `${filename}, ${formatSeconds(at)}`] as const,
                  )
            }
          />
          <SelectField
            label="Endpoint"
            value={endpoint}
            onChange={setEndpoint}
            options={endpoints.map((one) => [one, one] as const)}
          />
          <SelectField
            label="When"
            value={isAtOnce ? 'immediate' : '24h'}
            onChange={(value) => setAtOnce(value === 'immediate')}
            options={[
              ['immediate', 'At once, by the gateway'],
              ['24h', 'Within 24 hours, by the provider if it has batches'],
            ]}
          />
          <PickerField
            label="Provider"
            value={provider}
            onChange={setProvider}
            picks={{ api: '/v1/providers', value: 'slug' }}
            none="As the config says"
          />
          <PickerField
            label="Config"
            value={config}
            onChange={setConfig}
            picks={{ api: '/v1/configs', value: 'slug' }}
            hint="A batch needs a provider or a config."
          />
        </>
      )}
    </FormDialog>
  )
}
