/**
 * The form of one object. A save sends the version that the form started with and never replaces a version that the
 * user has not seen: the gateway then answers 412, and the form shows both versions.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type ApiError, etagOf, ifMatch, type Row, send } from '../../api.ts'
import { rowOf } from '../../json.ts'
import { Alert } from '../../parts/alert.tsx'
import { Facts, textOf } from '../../parts/cells.tsx'
import { type Changeable, useChange } from '../../parts/change.tsx'
import { startDeletion } from '../../parts/deletions.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { bodyOf, type Texts, textsOf } from '../../parts/field-text.ts'
import { wordsOfMembers } from '../../parts/member-text.ts'
import { NewerVersion } from '../../parts/newer-version.tsx'
import { faultsOf, ObjectFields } from '../../parts/object-form.tsx'
import { Pairs } from '../../parts/pairs.tsx'
import { changedFields, rebaseTexts } from '../../parts/rebase-texts.ts'
import { cannotBeUndone, type UndoOffer, useUndo } from '../../parts/undo.ts'
import { asApiError } from '../../query.tsx'
import type { FieldSpec } from '../../resources/declare.ts'
import { nameOf, type Resource, scopesFor } from '../../resources.ts'
import { navigate, root } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import { useUnsaved } from '../../unsaved.tsx'

/** The values of an object that cannot be edited any more. */
const FixedFields = ({ fields, row }: { fields: readonly FieldSpec[]; row: Row }) => (
  <Facts
    rows={fields.map(({ name, label, members }) => [
      label,
      members === undefined ? (
        textOf(row[name])
      ) : (
        <Pairs values={wordsOfMembers(members, rowOf(row[name]))} />
      ),
    ])}
  />
)

/** The texts and the etag of a version of the object. */
interface Version {
  texts: Texts
  etag: string | null
}

const changedText = (singular: string): string =>
  `This ${singular} has been changed since you opened it, so nothing was saved. Your changes are still here: look at the newer version, then save again.`

interface Props {
  resource: Resource
  row: Row
  /** The etag of the row. */
  etag: string | null
  /** The object as the page has loaded it. */
  object: Changeable<Row>
  /** Called with the texts of the form, saved or not. */
  onDraft: (texts: Texts) => void
  /** Set to a function that changes a field from elsewhere on the page. */
  change: { current: (name: string, text: string) => void }
}

/** Kinds of fields that the page also shows outside of the form, such as the name. */
const plainKinds: readonly FieldSpec['kind'][] = ['text', 'select', 'number', 'boolean', 'time']

const plainOf = (fields: readonly FieldSpec[], body: Row): Row =>
  Object.fromEntries(
    fields
      .filter(({ kind, name }) => plainKinds.includes(kind) && name in body)
      .map(({ name }) => [name, body[name]]),
  )

const countOfMasks = (text = '') => text.split('****').length

interface WayBack {
  fields: readonly FieldSpec[]
  before: Texts
  sent: Texts
  saved: Texts
}

/**
 * The body that restores the earlier texts. Null if a secret was replaced, because only its mask is known, or if
 * nothing would change.
 */
function wayBack({ fields, before, sent, saved }: WayBack): Row | null {
  const changed = changedFields(before, sent)
  if (changed.some((name) => countOfMasks(before[name]) !== countOfMasks(sent[name]))) return null
  const { body, faults } = bodyOf(fields, before, saved)
  return faults.length > 0 || Object.keys(body).length === 0 ? null : body
}

const pathOf = (resource: Resource, row: Row): string =>
  `${resource.api}/${encodeURIComponent(String(row.id))}`

interface Removal extends Pick<Props, 'resource' | 'row' | 'etag'> {
  undo: UndoOffer | null
  /** Lets the user leave the page with unsaved changes. */
  release: () => void
}

/** Returns to the list and deletes the object, unless another user has changed it. */
function remove({ resource, row, etag, undo, release }: Removal) {
  const list = `${root}/${resource.path}`
  const id = String(row.id)
  startDeletion({
    id,
    name: nameOf(resource, row),
    path: `${list}/${encodeURIComponent(id)}`,
    done: 'deleted',
    async send() {
      const takeBack = await undo?.prepare()
      // `If-Match` prevents deleting a change by another user that this user has not seen.
      await send('DELETE', pathOf(resource, row), { headers: ifMatch(etag) })
      return takeBack
    },
  })
  release()
  navigate(list)
}

type FormProps = Omit<Props, 'onDraft'> & { fields: readonly FieldSpec[]; canSave: boolean }

/** The texts of the form, and the version that they started with. A newer version is shown beside unsaved changes. */
function useTexts({ fields, row, etag, canSave, change }: FormProps) {
  const loaded: Version = { texts: textsOf(fields, row), etag }
  const [base, setBase] = useState(loaded)
  const [texts, setTexts] = useState(loaded.texts)
  change.current = (name, text) => setTexts((now) => ({ ...now, [name]: text }))
  const [newer, setNewer] = useState<Version | null>(null)
  const isDirty = changedFields(base.texts, texts).length > 0
  const release = useUnsaved(isDirty && canSave)
  const adopt = (version: Version, next: Texts) => {
    setBase(version)
    setTexts(next)
    setNewer(null)
  }
  /** Whether the row already contains the values that are being saved. */
  const isSaving = useRef(false)
  // A layout effect runs before the user can type into the old values.
  useLayoutEffect(() => {
    if (isSaving.current) return
    if (!isDirty) adopt(loaded, loaded.texts)
    else if (changedFields(base.texts, loaded.texts).length === 0) setBase(loaded)
    else setNewer(loaded)
  }, [JSON.stringify(loaded)])
  return { base, setBase, texts, setTexts, newer, adopt, isSaving, release }
}

/** Saves the form: what it sends, what the user reads about it, and the way back. */
function useSave(
  props: FormProps,
  { base, setBase, texts, setTexts, isSaving }: ReturnType<typeof useTexts>,
) {
  const { resource, row, object, fields } = props
  const [error, setError] = useState<ApiError | null>(null)
  const [own, setOwn] = useState(faultsOf(null))
  const [said, setSaid] = useState('')
  const { attempt } = useChange(object)
  const put = async (body: Row, tag: string | null) => {
    // Fields that are not sent keep their values in the new version.
    const sent = resource.hasVersions === true ? { ...body, patch: true } : body
    const response = await send('PUT', pathOf(resource, row), { body: sent, headers: ifMatch(tag) })
    const answer = rowOf(await response.json())
    return { answer, version: { texts: textsOf(fields, answer), etag: etagOf(response) } }
  }
  /**
   * @returns a function that saves the earlier values again; null if nothing can restore them, or if they are still in
   * an earlier version
   */
  const putForm = async (body: Row): Promise<(() => Promise<unknown>) | null> => {
    isSaving.current = true
    try {
      const { answer, version } = await put(body, base.etag)
      setBase(version)
      // Text that was typed in the meantime is kept.
      setTexts((now) => rebaseTexts({ base: texts, mine: now, theirs: version.texts }))
      setSaid(resource.savedText?.(answer) ?? 'Saved.')
      const back = wayBack({ fields, before: base.texts, sent: texts, saved: version.texts })
      return back === null || resource.hasVersions === true ? null : () => put(back, version.etag)
    } finally {
      isSaving.current = false
    }
  }
  const save = (event: Event) => {
    event.preventDefault()
    const { body, faults } = bodyOf(fields, texts, base.texts)
    setOwn(faults)
    setError(null)
    setSaid('')
    if (faults.length > 0) return
    if (Object.keys(body).length === 0) {
      setSaid('There is nothing to save.')
      return
    }
    setSaid('Saving…')
    const shown = plainOf(fields, body)
    const name = nameOf(resource, { ...row, ...shown })
    attempt({
      expect: (now) => ({ ...now, ...shown }),
      send: () => putForm(body),
      said: (undo) => (undo === null ? null : { text: `${name} was saved.`, undo }),
      refused: `${name} was not saved`,
    }).catch((fault: unknown) => {
      const refusal = asApiError(fault)
      setSaid('')
      setError(refusal)
      if (refusal.status === 412) object.reload()
    })
  }
  return { error, faults: faultsOf(error, own), said, save }
}

export function EditForm({ onDraft, ...props }: Props) {
  const { resource, row } = props
  const may = useMay()
  const fields = resource.fields.filter(({ on }) => on !== 'create')
  const isFile = row.source === 'file'
  const whyFixed = resource.whyFixed?.(row) ?? null
  const canSave = !isFile && whyFixed === null && may(scopesFor(resource, 'update'))
  const form = { ...props, fields, canSave }
  const edited = useTexts(form)
  const { base, texts, newer, adopt } = edited
  // A layout effect runs before the page is painted. Otherwise a checkbox of the tree would flip back for a moment.
  useLayoutEffect(() => onDraft(texts), [texts])
  const undo = useUndo(resource, row)
  const { error, faults, said, save } = useSave(form, edited)
  const [isAsked, setAsked] = useState(false)
  const canDelete =
    !isFile && resource.path !== 'keys' && resource.canDelete !== false && may(scopesFor(resource, 'delete'))
  return (
    <section aria-label="Edit">
      {isFile && <p class="note">The config file declares this {resource.singular}. Edit it there.</p>}
      {whyFixed !== null && <WhyFixed>{whyFixed}</WhyFixed>}
      <Refusal error={error} singular={resource.singular} />
      {newer !== null && (
        <NewerVersion
          fields={fields}
          base={base.texts}
          mine={texts}
          theirs={newer.texts}
          onKeep={() => adopt(newer, rebaseTexts({ base: base.texts, mine: texts, theirs: newer.texts }))}
          onDiscard={() => adopt(newer, newer.texts)}
        />
      )}
      <form class="form" onSubmit={save} noValidate>
        {whyFixed === null ? (
          <ObjectFields fields={fields} texts={texts} onChange={edited.setTexts} faults={faults} row={row} />
        ) : (
          // The page's heading already contains the name.
          <FixedFields fields={fields.filter(({ name }) => row[name] !== nameOf(resource, row))} row={row} />
        )}
        <div class="buttons">
          {canSave && <SaveButton isBlocked={newer !== null} />}
          {canDelete && <DeleteButton onDelete={() => setAsked(true)} />}
          <span role="status">{said}</span>
        </div>
      </form>
      {isAsked && (
        <ConfirmDeletion
          resource={resource}
          undo={undo}
          onClose={() => setAsked(false)}
          onConfirm={() => remove({ resource, row, etag: base.etag, undo, release: edited.release })}
        />
      )}
    </section>
  )
}

/** Why the object was not saved. The "Save" button is at the end of a form that may be longer than the screen. */
function Refusal({ error, singular }: { error: ApiError | null; singular: string }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (error !== null) place.current?.scrollIntoView({ block: 'nearest' })
  }, [error])
  return (
    <div ref={place}>
      {error !== null && <Alert>{error.status === 412 ? changedText(singular) : error.message}</Alert>}
    </div>
  )
}

const WhyFixed = ({ children }: { children: string }) => (
  <>
    <h2>Settings</h2>
    <p class="note">{children}</p>
  </>
)

interface DeletionProps {
  resource: Resource
  undo: UndoOffer | null
  onClose: () => void
  onConfirm: () => void
}

const ConfirmDeletion = ({ resource, undo, onClose, onConfirm }: DeletionProps) => (
  <Confirm
    title={`Delete this ${resource.singular}?`}
    action="Delete"
    onClose={onClose}
    onConfirm={onConfirm}
  >
    <p>
      {resource.onDelete ?? 'Requests that name it are refused.'} {undo?.text ?? cannotBeUndone}
    </p>
  </Confirm>
)

const SaveButton = ({ isBlocked }: { isBlocked: boolean }) => (
  <button type="submit" class="primary" disabled={isBlocked}>
    Save
  </button>
)

const DeleteButton = ({ onDelete }: { onDelete: () => void }) => (
  <button type="button" class="danger" onClick={onDelete}>
    Delete
  </button>
)
