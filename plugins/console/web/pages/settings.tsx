/** Settings of the organisation; its security switches are described in words. */
import { useLayoutEffect, useState } from 'preact/hooks'
import { type ApiError, call, urlOf } from '../api.ts'
import { rowOf } from '../json.ts'
import { Alert } from '../parts/alert.tsx'
import { TextField } from '../parts/field.tsx'
import { Page } from '../parts/page.tsx'
import { asApiError, useQuery } from '../query.tsx'
import { useMay } from '../session.tsx'

const verbs: Readonly<Record<string, string>> = { View: 'see', Write: 'change', Update: 'change' }
const things: Readonly<Record<string, string>> = {
  WsIntegrations: 'integrations of their workspace',
  WsMcpIntegrations: 'MCP integrations of their workspace',
  McpServers: 'MCP servers',
  AllData: 'the traffic of other people’s keys',
  Logs: 'the bodies of logs',
  LogMetadata: 'lists of logs',
  Analytics: 'analytics',
  ApiKeys: 'API keys',
  WsUsers: 'members of their workspace',
  VirtualKeys: 'providers',
  Ws: 'the workspace itself',
}
const whole: Readonly<Record<string, string>> = {
  allow_config_override: 'Requests may include their own config',
  block_inline_config: 'Only saved configs and stored credentials are allowed in requests',
}

/** By prefix of the switch's name; the last group takes the others. */
const groups = [
  ['Managers of a workspace', 'managers'],
  ['Members of a workspace', 'members'],
  ['Admins of the organisation', 'organisationAdmins'],
  ['Requests', ''],
] as const

/** `managersWriteConfigs` as a sentence. */
function wordsOf(name: string): string {
  if (Object.hasOwn(whole, name)) return whole[name] ?? name
  const found = /^(managers|members|organisationAdmins)(View|Write|Update)(.+)$/.exec(name)
  if (found === null) return name
  const [, who = '', verb = '', what = ''] = found
  const people =
    who === 'organisationAdmins' ? 'Admins of the organisation' : who[0]?.toUpperCase() + who.slice(1)
  return `${people} may ${verbs[verb] ?? verb} ${things[what] ?? what.toLowerCase()}`
}

export function SettingsPage() {
  const may = useMay()
  const isAllowed = may(['organisation_settings.read'])
  const { data, error, isBusy, reload } = useQuery(isAllowed ? urlOf('/v1/organisation') : null)
  const [name, setName] = useState('')
  const [switches, setSwitches] = useState<Readonly<Record<string, boolean>>>({})
  const [fault, setFault] = useState<ApiError | null>(null)
  const [said, setSaid] = useState('')
  const stored = rowOf(rowOf(data?.settings).security_settings)
  const names = Object.keys(stored).filter((one) => typeof stored[one] === 'boolean')
  useLayoutEffect(() => {
    setName(String(data?.name ?? ''))
    setSwitches(Object.fromEntries(names.map((one) => [one, stored[one] === true])))
  }, [data])
  const canSave = may(['organisation_settings.update'])
  const save = async (event: Event) => {
    event.preventDefault()
    setFault(null)
    setSaid('')
    const changed = Object.fromEntries(
      names.filter((one) => switches[one] !== stored[one]).map((one) => [one, switches[one] === true]),
    )
    const body = {
      ...(name === data?.name ? {} : { name }),
      ...(Object.keys(changed).length === 0 ? {} : { settings: { security_settings: changed } }),
    }
    if (Object.keys(body).length === 0) {
      setSaid('There is nothing to save.')
      return
    }
    try {
      await call('PUT', '/v1/organisation', { body })
      setSaid('Saved.')
      reload()
    } catch (error) {
      setFault(asApiError(error))
    }
  }
  return (
    <Page
      title="Settings"
      isBusy={isBusy}
      error={error}
      onRetry={reload}
      scopes={['organisation_settings.read']}
    >
      {fault !== null && <Alert>{fault.message}</Alert>}
      {data !== null && (
        <form class="form" onSubmit={(event) => void save(event)} noValidate>
          <TextField
            label="Name"
            value={name}
            onChange={setName}
            fault={fault?.faults.find(({ param }) => param === '/name')?.message}
          />
          <h2>Security</h2>
          {groups.map(([legend, prefix]) => (
            <fieldset key={legend}>
              <legend>{legend}</legend>
              {names
                .filter((one) => groups.find(([, start]) => one.startsWith(start))?.[1] === prefix)
                .map((one) => (
                  <label key={one} class="switch">
                    <input
                      type="checkbox"
                      checked={switches[one] === true}
                      disabled={!canSave}
                      onChange={(event) => setSwitches({ ...switches, [one]: event.currentTarget.checked })}
                    />
                    <span>{wordsOf(one)}</span>
                  </label>
                ))}
            </fieldset>
          ))}
          <div class="buttons">
            {canSave && (
              <button type="submit" class="primary">
                Save
              </button>
            )}
            <span role="status">{said}</span>
          </div>
        </form>
      )}
    </Page>
  )
}
