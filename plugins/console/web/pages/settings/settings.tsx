/** Settings of the organisation, with its security switches described in words. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type ApiError, etagOf, ifMatch, type Row, send, urlOf } from '../../api.ts'
import { rowOf } from '../../json.ts'
import { Alert } from '../../parts/alert.tsx'
import { textOf } from '../../parts/cells.tsx'
import { useChange } from '../../parts/change.tsx'
import { TextField } from '../../parts/field.tsx'
import { Page } from '../../parts/page.tsx'
import { asApiError, useQuery } from '../../query.tsx'
import { useMay } from '../../session.tsx'
import { useUnsaved } from '../../unsaved.tsx'

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

/** Groups by the prefix of the switch's name; the last group contains the rest. */
const groups = [
  ['Managers of a workspace', 'managers'],
  ['Members of a workspace', 'members'],
  ['Admins of the organisation', 'organisationAdmins'],
  ['Requests', ''],
] as const

/** Formats `managersWriteConfigs` as a sentence. */
function wordsOf(name: string): string {
  if (Object.hasOwn(whole, name)) return whole[name] ?? name
  const found = /^(managers|members|organisationAdmins)(View|Write|Update)(.+)$/.exec(name)
  if (found === null) return name
  const [, who = '', verb = '', what = ''] = found
  const people =
    who === 'organisationAdmins' ? 'Admins of the organisation' : who[0]?.toUpperCase() + who.slice(1)
  return `${people} may ${verbs[verb] ?? verb} ${things[what] ?? what.toLowerCase()}`
}

interface Edits {
  name: string | null
  switches: Readonly<Record<string, boolean>>
}

const withSwitches = (settings: unknown, switches: Edits['switches']): Row => {
  const { security_settings: security, ...others } = rowOf(settings)
  return { ...others, security_settings: { ...rowOf(security), ...switches } }
}

const noEdits: Edits = { name: null, switches: {} }

interface SwitchesProps {
  names: readonly string[]
  isOn: (name: string) => boolean
  isFixed: boolean
  onChange: (name: string, isOn: boolean) => void
}

/** The security settings that are on or off, by group. */
const Switches = ({ names, isOn, isFixed, onChange }: SwitchesProps) => (
  <>
    {groups.map(([legend, prefix]) => (
      <fieldset key={legend}>
        <legend>{legend}</legend>
        {names
          .filter((one) => groups.find(([, start]) => one.startsWith(start))?.[1] === prefix)
          .map((one) => (
            <label key={one} class="switch">
              <input
                type="checkbox"
                checked={isOn(one)}
                disabled={isFixed}
                onChange={(event) => onChange(one, event.currentTarget.checked)}
              />
              <span>{wordsOf(one)}</span>
            </label>
          ))}
      </fieldset>
    ))}
  </>
)

/** The form of the organisation: its unsaved edits, and the change that saves them. */
function useSettings() {
  const may = useMay()
  const isAllowed = may(['organisation_settings.read'])
  const organisation = useQuery(isAllowed ? urlOf('/v1/organisation') : null)
  const { data, etag, reload } = organisation
  /** The version to replace. A save returns the next one before it is loaded. */
  const version = useRef(etag)
  useLayoutEffect(() => {
    version.current = etag
  }, [etag])
  const { attempt } = useChange(organisation)
  /** Unsaved edits: only the values that differ from the stored ones. */
  const [edits, setEdits] = useState<Edits>(noEdits)
  const [fault, setFault] = useState<ApiError | null>(null)
  const [said, setSaid] = useState('')
  /** The settings when the form was opened or last saved. */
  const opened = useRef<Row | null>(null)
  const stored = rowOf(rowOf(data?.settings).security_settings)
  if (data !== null) opened.current ??= { ...stored, name: data.name }
  const names = Object.keys(stored).filter((one) => typeof stored[one] === 'boolean')
  const name = edits.name ?? String(data?.name ?? '')
  const isOn = (one: string) => edits.switches[one] ?? stored[one] === true
  const changed = Object.fromEntries(
    Object.entries(edits.switches).filter(([one, value]) => value !== stored[one]),
  )
  const body = {
    ...(name === data?.name ? {} : { name }),
    ...(Object.keys(changed).length === 0 ? {} : { settings: { security_settings: changed } }),
  }
  const isDirty = Object.keys(body).length > 0
  useUnsaved(data !== null && isDirty)
  const byOthers = names.filter((one) => opened.current?.[one] !== stored[one]).map(wordsOf)
  if (data !== null && opened.current?.name !== data.name) byOthers.unshift(`Name: ${textOf(data.name)}`)
  const save = async (event: Event) => {
    event.preventDefault()
    setFault(null)
    setSaid('')
    if (!isDirty) {
      setSaid('There is nothing to save.')
      return
    }
    const put = async (sent: typeof body, tag: string | null) => {
      const response = await send('PUT', '/v1/organisation', { body: sent, headers: ifMatch(tag) })
      opened.current = null
      version.current = etagOf(response)
      return version.current
    }
    const back = {
      ...(name === data?.name ? {} : { name: data?.name ?? '' }),
      ...(Object.keys(changed).length === 0
        ? {}
        : {
            settings: {
              security_settings: Object.fromEntries(
                Object.keys(changed).map((one) => [one, stored[one] === true]),
              ),
            },
          }),
    }
    setSaid('Saving…')
    try {
      await attempt({
        async send() {
          const tag = await put(body, version.current)
          setEdits(noEdits)
          setSaid('Saved.')
          return tag
        },
        expect: (shown) => ({ ...shown, name, settings: withSwitches(shown.settings, changed) }),
        said: (tag) => ({
          text: 'The settings were saved.',
          undo: () => put(back, tag),
        }),
        refused: 'The settings were not saved',
      })
    } catch (error) {
      const known = asApiError(error)
      setSaid('')
      setFault(known)
      if (known.status === 412) reload()
    }
  }
  return { organisation, names, name, isOn, setEdits, byOthers, fault, said, save }
}

export function SettingsPage() {
  const may = useMay()
  const { organisation, names, name, isOn, setEdits, byOthers, fault, said, save } = useSettings()
  const { data, error, isBusy, reload } = organisation
  const canSave = may(['organisation_settings.update'])
  return (
    <Page
      title="Settings"
      isBusy={isBusy}
      error={error}
      onRetry={reload}
      scopes={['organisation_settings.read']}
    >
      {fault !== null && fault.status !== 412 && <Alert>{fault.message}</Alert>}
      {fault?.status === 412 && (
        <Alert>
          The settings have been changed since you opened this page, so nothing was saved. Your changes are
          still here. {byOthers.length > 0 && `Changed: ${byOthers.join('; ')}. `}Save again to apply yours.
        </Alert>
      )}
      {data !== null && (
        <form class="form" onSubmit={(event) => void save(event)} noValidate>
          <TextField
            label="Name"
            value={name}
            onChange={(text) => setEdits((edits) => ({ ...edits, name: text }))}
            fault={fault?.faults.find(({ param }) => param === '/name')?.message}
          />
          <h2>Security</h2>
          <Switches
            names={names}
            isOn={isOn}
            isFixed={!canSave}
            onChange={(one, isChecked) =>
              setEdits((edits) => ({ ...edits, switches: { ...edits.switches, [one]: isChecked } }))
            }
          />
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
