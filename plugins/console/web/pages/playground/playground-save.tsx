/** Saves a request of the playground or of the log as a version or a test case of a prompt. */
import { useState } from 'preact/hooks'
import { call, load, type Row, urlOf } from '../../api.ts'
import { rowOf, textsOf } from '../../json.ts'
import { type Expected, expectedWords } from '../../parts/expected.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { PickerField } from '../../parts/picker-field.tsx'
import { notify } from '../../parts/toast.tsx'
import { VariableFields } from '../../parts/variable-fields.tsx'
import { useQuery } from '../../query.tsx'
import { useOpened } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import type { Call } from './playground-target.tsx'

interface Props {
  call: Call
  /** The called prompt, with its version if it has one; or an empty string. */
  prompt: string
  workspace: string
  /** The answer of the run; empty before it. */
  answer: string
  /** The index among the targets side by side, from 0. */
  place: number
}

const slugOf = (prompt: string): string => prompt.split('@', 1)[0] ?? ''

export function SaveButtons(props: Props) {
  const may = useMay()
  const { opened, open, close } = useOpened(props.place === 0 ? 'save' : `save_${props.place + 1}`)
  const mayUpdate = may(['prompts.update'])
  return (
    <div class="buttons">
      {(mayUpdate || may(['prompts.create'])) && (
        <button type="button" onClick={() => open('version')}>
          Save as prompt version
        </button>
      )}
      {mayUpdate && (props.prompt !== '' || may(['prompts.create'])) && (
        <button type="button" onClick={() => open('case')}>
          Save as test case
        </button>
      )}
      {opened === 'version' && <VersionDialog {...props} onClose={close} />}
      {opened === 'case' && <CaseDialog {...props} onClose={close} />}
    </div>
  )
}

type DialogProps = Props & { onClose: () => void }

/** The parts of a request that a version stores. The messages of a called prompt stay unchanged. */
function contentOf({ body }: Call, prompt: string) {
  const { messages, model, variables: _variables, ...parameters } = body
  return {
    ...(prompt === '' ? { string: JSON.stringify(messages) } : {}),
    ...(typeof model === 'string' ? { model } : {}),
    parameters,
  }
}

function VersionDialog({ call: asked, prompt, workspace, onClose }: DialogProps) {
  const [slug, setSlug] = useState(slugOf(prompt))
  const [text, setText] = useState('')
  const headers = headersOf(workspace)
  const run = async () => {
    const content = contentOf(asked, prompt)
    if (slug === '') {
      const made = await call('POST', '/v1/prompts', {
        body: {
          name: text.trim(),
          string: '',
          model: 'any',
          ...content,
          ...(workspace === '' ? {} : { workspace_id: workspace }),
        },
        headers,
      })
      return `Saved as version 1 of the new prompt ${made.slug ?? made.id}.`
    }
    const path = { id: `${slug}@latest` }
    const before = await load(urlOf('/v1/prompts/{id}', { path }), { headers })
    const { parameters, ...others } = content
    const merged = { ...rowOf(before.parameters), ...parameters }
    const saved = await call('PUT', '/v1/prompts/{id}', {
      path: { id: before.id },
      body: {
        ...others,
        parameters: merged,
        patch: true,
        version_description: text.trim() || 'From the playground',
      },
      headers,
    })
    return `Saved as version ${saved.latest_version} of ${slug}, which is not published.`
  }
  return (
    <FormDialog
      title="Save as prompt version"
      action="Save"
      onSend={async () => {
        notify(await run())
        onClose()
      }}
      onClose={onClose}
      canSend={slug !== '' || text.trim() !== ''}
    >
      {() => (
        <>
          {prompt !== '' && (
            <p class="note">
              The messages of {slugOf(prompt)} stay; model and parameters of this call become its newest
              version.
            </p>
          )}
          {prompt === '' && (
            <PickerField
              label="Prompt"
              picks={{ api: '/v1/prompts', value: 'slug' }}
              none="A new prompt"
              workspace={workspace}
              value={slug}
              onChange={setSlug}
              hint="{{name}} in the messages is a variable."
            />
          )}
          <TextField label={slug === '' ? 'Name' : 'What changed'} value={text} onChange={setText} />
        </>
      )}
    </FormDialog>
  )
}

const headersOf = (workspace: string): Record<string, string> =>
  workspace === '' ? {} : { 'x-gateway-workspace-id': workspace }

const kinds = Object.entries(expectedWords) as [Expected['type'], string][]

/**
 * Saves a test case. Uses the variables of the prompt that was called; otherwise the messages become a prompt without
 * variables.
 */
function CaseDialog({ call: asked, prompt, workspace, answer, onClose }: DialogProps) {
  const [slug, setSlug] = useState(slugOf(prompt))
  const [name, setName] = useState('')
  const [variables, setVariables] = useState<Row>(rowOf(asked.body.variables))
  const [expected, setExpected] = useState<Expected>({ type: 'contains', value: answer })
  const headers = headersOf(workspace)
  const { data: chosen, error } = useQuery(
    slug === '' ? null : urlOf('/v1/prompts/{id}', { path: { id: slug } }),
    headers,
  )
  const run = async () => {
    const one = { name: name.trim(), variables: slug === '' ? {} : variables, expected: [expected] }
    if (slug === '') {
      const made = await call('POST', '/v1/prompts', {
        body: {
          name: name.trim(),
          string: '',
          model: 'any',
          ...contentOf(asked, ''),
          test_cases: [one],
          ...(workspace === '' ? {} : { workspace_id: workspace }),
        },
        headers,
      })
      return `Saved as the first test case of the new prompt ${made.slug ?? made.id}.`
    }
    const before = await load(urlOf('/v1/prompts/{id}', { path: { id: slug } }), { headers })
    await call('PUT', '/v1/prompts/{id}', {
      path: { id: before.id },
      body: { test_cases: [...(before.test_cases ?? []), one], patch: true },
      headers,
    })
    return `Saved as a test case of ${slug}.`
  }
  return (
    <FormDialog
      title="Save as test case"
      action="Save"
      onSend={async () => {
        notify(await run())
        onClose()
      }}
      onClose={onClose}
      canSend={name.trim() !== '' && (slug === '' || chosen !== null)}
      loadError={error}
    >
      {() => (
        <>
          {prompt === '' && (
            <PickerField
              label="Prompt"
              picks={{ api: '/v1/prompts', value: 'slug' }}
              none="A new prompt of these messages"
              workspace={workspace}
              value={slug}
              onChange={setSlug}
            />
          )}
          <TextField label="Name" value={name} onChange={setName} />
          {prompt === '' && slug !== '' && chosen !== null && (
            <fieldset>
              <legend>Variables</legend>
              <VariableFields
                names={textsOf(chosen.variables)}
                schema={chosen.variables_schema}
                values={variables}
                onChange={setVariables}
              />
            </fieldset>
          )}
          <SelectField
            label="The answer"
            value={expected.type}
            onChange={(type) => setExpected({ ...expected, type: type as Expected['type'] })}
            options={kinds.map(([type, words]) => [type, words] as const)}
          />
          {expected.type !== 'json' && (
            <TextField
              label="Text"
              value={expected.value ?? ''}
              onChange={(value) => setExpected({ ...expected, value })}
            />
          )}
        </>
      )}
    </FormDialog>
  )
}
