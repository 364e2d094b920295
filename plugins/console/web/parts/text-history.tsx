/** One undo history for a text that several parts of a page change, such as a tree and its JSON. */
import { createContext } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

export interface TextHistory {
  canUndo: boolean
  canRedo: boolean
  undo: () => void
  redo: () => void
  /** Changes the text as a separate undo step. */
  set: (text: string) => void
}

/** Text that is typed without such a pause is undone in one step. */
const pauseMs = 700

/** @param write changes the text; changes by other parts are recorded as well */
export function useTextHistory(text: string, write: (text: string) => void): TextHistory {
  const { current: state } = useRef({ past: [] as string[], future: [] as string[], shown: text, typedAt: 0 })
  const [, redraw] = useState(0)
  const show = (next: string, typedAt: number) => {
    state.shown = next
    state.typedAt = typedAt
    redraw((count) => count + 1)
  }
  useLayoutEffect(() => {
    if (text === state.shown) return
    const isTyping = Date.now() - state.typedAt < pauseMs
    // An empty text has not been loaded yet.
    if (!isTyping && state.shown !== '') state.past.push(state.shown)
    state.future = []
    show(text, state.shown === '' ? 0 : Date.now())
  }, [text])
  const step = (from: string[], to: string[]) => {
    const next = from.pop()
    if (next === undefined) return
    to.push(state.shown)
    show(next, 0)
    write(next)
  }
  return {
    canUndo: state.past.length > 0,
    canRedo: state.future.length > 0,
    undo: () => step(state.past, state.future),
    redo: () => step(state.future, state.past),
    set: (next) => {
      if (next === state.shown) return
      state.past.push(state.shown)
      state.future = []
      show(next, 0)
      write(next)
    },
  }
}

/** The history that a page shares with its JSON editor; null if the editor has its own. */
export const HistoryContext = createContext<TextHistory | null>(null)
