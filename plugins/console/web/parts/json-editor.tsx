/**
 * The editor of large JSON fields, loaded on first use: CodeMirror, with completion from a schema and errors at their
 * lines. Its styles have the nonce of the page. https://codemirror.net/docs/ref/
 */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import {
  bracketMatching,
  defaultHighlightStyle,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
  syntaxTree,
} from '@codemirror/language'
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint'
import { Compartment, EditorState } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useContext, useEffect, useRef } from 'preact/hooks'
import type { Json, Row } from '../api.ts'
import { membersAt, type Path, type Proposal, valuesAt } from './json-schema.ts'
import { HistoryContext, type TextHistory } from './text-history.tsx'

type Node = ReturnType<ReturnType<typeof syntaxTree>['resolveInner']>

const unquoted = (text: string): string => {
  try {
    return String(JSON.parse(text))
  } catch {
    return text.replaceAll('"', '')
  }
}

/** The path from the root of the value to a node. */
function pathOf(node: Node, text: (node: Node) => string): Path {
  const path: (string | number)[] = []
  for (let at: Node | null = node; at !== null; at = at.parent) {
    const { parent } = at
    if (at.name === 'Property') {
      const name = at.getChild('PropertyName')
      if (name !== null) path.unshift(unquoted(text(name)))
    } else if (parent?.name === 'Array') {
      let index = 0
      for (let before = at.prevSibling; before !== null; before = before.prevSibling)
        if (!/^[[\],⚠]$/.test(before.name)) index++
      path.unshift(index)
    }
  }
  return path
}

const parsed = (text: string): Json => {
  try {
    return JSON.parse(text)
  } catch {
    // An incomplete document has no values, but names of members are still suggested.
    return null
  }
}

const optionsOf = (proposals: readonly Proposal[], isName: boolean): Completion[] =>
  proposals.map(({ label, detail }) => ({
    label: isName ? JSON.stringify(label) : label,
    displayLabel: isName ? label : label.replaceAll('"', ''),
    detail,
    type: isName ? 'property' : 'enum',
    ...(isName ? { apply: `${JSON.stringify(label)}: ` } : {}),
  }))

/** Suggests names inside an object, and values after a colon or in an array. */
function complete(context: CompletionContext, schema: Row): CompletionResult | null {
  const { state, pos } = context
  const text = ({ from, to }: Node) => state.sliceDoc(from, to)
  const node = syntaxTree(state).resolveInner(pos, -1)
  const word = context.matchBefore(/"?[\w@.-]*/)
  const from = word?.from ?? pos
  // While the word grows, the list is narrowed instead of being requested again, because a pending list does not accept
  // Enter.
  const validFor = /^"?[\w@.-]*$/
  if (!context.explicit && word?.text === '') return null
  const document = parsed(state.doc.toString())
  const before = state.sliceDoc(0, from).trimEnd().at(-1)
  const property = node.name === 'Property' ? node : node.parent
  if (before === ':' && property?.name === 'Property')
    return { from, validFor, options: optionsOf(valuesAt(schema, pathOf(property, text), document), false) }
  let around: Node | null = node
  while (around !== null && around.name !== 'Object' && around.name !== 'Array') around = around.parent
  if (around?.name === 'Array') {
    const path = [...pathOf(around, text), 0]
    return { from, validFor, options: optionsOf(valuesAt(schema, path, document), false) }
  }
  if (around === null || (before !== '{' && before !== ',')) return null
  const present = new Set(
    around.getChildren('Property').flatMap((one) => {
      const name = one.getChild('PropertyName')
      return name === null || (name.from <= pos && pos <= name.to) ? [] : [unquoted(text(name))]
    }),
  )
  return {
    from,
    validFor,
    options: optionsOf(membersAt(schema, pathOf(around, text), { document, present }), true),
  }
}

const highlight = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--number)' },
])

const theme = EditorView.theme({
  '&': { backgroundColor: 'var(--panel)', color: 'var(--text)', fontSize: '0.87rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  // The same style as the plain editor of short JSON.
  '.cm-gutters': {
    backgroundColor: 'var(--panel)',
    color: 'var(--soft)',
    border: 'none',
    borderRight: '1px solid var(--line)',
  },
  '.cm-content': { caretColor: 'var(--text)', paddingBlock: '0.35rem' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selection)',
  },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', color: 'var(--text)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.8' },
})

export interface EditorProps {
  label: string
  value: string
  onChange: (value: string) => void
  schema: Promise<Row | null> | null
  faults: readonly { line: number; message: string }[]
  isInvalid: boolean
  describedBy: string | undefined
  /** Called with a function that moves to a line. */
  onReady: (goTo: (line: number) => void) => void
}

/** Finds the smallest replacement, which leaves the cursor in place. */
function changeOf(before: string, after: string) {
  let from = 0
  while (from < before.length && before[from] === after[from]) from++
  let end = 0
  const most = Math.min(before.length, after.length) - from
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) }
}

/** The editor's own history, or the page's, if other parts change the same text. */
function historyOf(shared: { current: TextHistory | null }) {
  if (shared.current === null) return [history(), keymap.of(historyKeymap)]
  const run = (step: 'undo' | 'redo') => () => {
    shared.current?.[step]()
    return true
  }
  return keymap.of([
    { key: 'Mod-z', run: run('undo'), preventDefault: true },
    { key: 'Mod-Shift-z', run: run('redo'), preventDefault: true },
    { key: 'Mod-y', run: run('redo'), preventDefault: true },
  ])
}

const nonce = () => document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.nonce ?? ''

export function JsonEditor(props: EditorProps) {
  const { label, value, faults, isInvalid, describedBy } = props
  const holder = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const latest = useRef(props)
  latest.current = props
  const shared = useRef<TextHistory | null>(null)
  shared.current = useContext(HistoryContext)
  /** Whether the editor is replacing its document with a new value. The page may already have a newer one by then. */
  const isAdopting = useRef(false)
  const attributes = useRef(new Compartment())
  /** Reported texts that may still return as values while the user types newer ones. */
  const reported = useRef(new Set<string>())
  const attributesOf = () =>
    EditorView.contentAttributes.of({
      'aria-label': label,
      // A scrollable element must be reachable by keyboard. Some programs require the attribute.
      tabindex: '0',
      ...(isInvalid ? { 'aria-invalid': 'true' } : {}),
      ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
    })
  useEffect(() => {
    const { current: parent } = holder
    if (parent === null) return
    const editor = new EditorView({
      parent,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          EditorView.cspNonce.of(nonce()),
          lineNumbers(),
          lintGutter(),
          historyOf(shared),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          json(),
          syntaxHighlighting(highlight),
          syntaxHighlighting(defaultHighlightStyle, { fallback: true }),
          autocompletion({
            override: [
              async (context) => {
                const schema = await latest.current.schema
                return schema === null ? null : complete(context, schema)
              },
            ],
          }),
          // Tab leaves the editor, as in any other field.
          keymap.of([...completionKeymap, ...defaultKeymap]),
          theme,
          attributes.current.of(attributesOf()),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged || isAdopting.current) return
            const text = update.state.doc.toString()
            reported.current.add(text)
            latest.current.onChange(text)
          }),
        ],
      }),
    })
    view.current = editor
    latest.current.onReady((line) => {
      const { from, to } = editor.state.doc.line(Math.min(Math.max(line, 1), editor.state.doc.lines))
      editor.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true })
      editor.focus()
    })
    return () => editor.destroy()
  }, [])
  useEffect(() => {
    const { current: editor } = view
    if (editor === null) return
    const now = editor.state.doc.toString()
    const isCurrent = now === value
    if (!isCurrent && reported.current.has(value)) return
    reported.current.clear()
    if (isCurrent) return
    isAdopting.current = true
    editor.dispatch({ changes: changeOf(now, value) })
    isAdopting.current = false
  }, [value])
  useEffect(() => {
    view.current?.dispatch({ effects: attributes.current.reconfigure(attributesOf()) })
  }, [isInvalid, describedBy, label])
  const known = JSON.stringify(faults)
  useEffect(() => {
    const { current: editor } = view
    if (editor === null) return
    const { doc } = editor.state
    const diagnostics = faults
      .filter(({ line }) => line <= doc.lines)
      .map(({ line, message }): Diagnostic => {
        const { from, to } = doc.line(line)
        return { from, to, severity: 'error', message }
      })
    editor.dispatch(setDiagnostics(editor.state, diagnostics))
  }, [known, value])
  return <div class="codemirror" ref={holder} />
}
